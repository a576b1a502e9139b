-- Where notices of a project go: what is secret about a channel (addresses of webhooks, tokens, keys) is sealed.
create table notification_channels (
  project_id        bigint      not null,
  channel_id        uuid        not null,
  -- email, slack, teams, discord, telegram, pagerduty, webhook
  type              text        not null,
  name              text        not null,
  -- What may be shown of where it leads.
  target            text        not null,
  sealed            bytea       not null,
  created_at        timestamptz not null,
  updated_at        timestamptz not null,
  updated_by        text        not null,
  -- Who sends through it at the moment, one at a time, and until when unless they say so again.
  claimed_by        uuid,
  claimed_until     timestamptz not null default '-infinity',
  -- After failures, and when it has had its messages of the minute.
  paused_until      timestamptz not null default '-infinity',
  window_started_at timestamptz not null default '-infinity',
  window_messages   integer     not null default 0,
  primary key (project_id, channel_id)
);

-- One notice on its way through one channel.
create table deliveries (
  project_id    bigint      not null,
  channel_id    uuid        not null,
  delivery_id   uuid        not null,
  -- In which order they go out.
  sequence      bigint      generated always as identity,
  -- The same for all channels that it goes to, and when it is sent again.
  notice_id     uuid        not null,
  -- JSON, see notifications/notice.ts. Text takes every character that JSON can write.
  notice        text        not null,
  incident_key  text        not null,
  -- The same of deliveries that go out as one message, and at every attempt: receivers know it again by this.
  message_id    uuid        not null,
  -- waiting, sent, failed
  state         text        not null,
  attempts      integer     not null default 0,
  -- When it is tried, while it waits.
  due_at        timestamptz not null,
  -- HTTP status or SMTP reply code of the last attempt, and what was said.
  status        integer,
  answer        text        not null default '',
  created_at    timestamptz not null,
  attempted_at  timestamptz,
  primary key (project_id, channel_id, delivery_id)
);
create index deliveries_by_sequence on deliveries (project_id, channel_id, sequence);
create index deliveries_due on deliveries (due_at) where state = 'waiting';
create index deliveries_waiting on deliveries (project_id, channel_id, sequence) where state = 'waiting';
create index deliveries_by_time on deliveries (created_at);
