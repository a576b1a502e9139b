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

-- Alert rules, what state each of their groups is in, and what happened.

create table alert_rules (
  project_id      bigint      not null,
  rule_id         uuid        not null,
  name            text        not null,
  -- Source, condition and the rest of what a person fills in, see alerts/rule_row.ts.
  definition      jsonb       not null,
  is_enabled      boolean     not null,
  muted_until     timestamptz,
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  updated_by      text        not null,
  -- Raised by every change of a person: an evaluation of what the rule was before is not kept.
  version         integer     not null default 1,
  -- Since when it watches what it watches: issues that began before are none of its business.
  active_since    timestamptz not null,
  -- The end of the last window that was judged. It moves in the transaction that changes states.
  evaluated_until timestamptz,
  -- Why the last evaluation failed; '' when it did not.
  last_error      text        not null default '',
  told_at         timestamptz,
  -- Set by a person; the engine ends what it has told of, and removes the row.
  deleted_at      timestamptz,
  primary key (project_id, rule_id)
) with (fillfactor = 50);

create table alert_states (
  project_id  bigint      not null,
  rule_id     uuid        not null,
  -- Made of "group", which may be long.
  group_id    uuid        not null,
  "group"     text        not null,
  status      text        not null check (status in ('ok', 'pending', 'firing', 'no_data')),
  level       text        check (level in ('warning', 'critical')),
  value       double precision,
  -- Since when it has this status.
  since       timestamptz not null,
  -- The last change of status or level.
  changed_at  timestamptz not null,
  -- The end of the last window with data.
  seen_at     timestamptz not null,
  -- What channels were told last.
  told_status text        not null default 'ok',
  told_level  text,
  -- When they were told for the last time, and the time before.
  told_at     timestamptz,
  told_before timestamptz,
  critical_told_at timestamptz,
  is_flapping boolean     not null default false,
  primary key (project_id, rule_id, group_id)
) with (fillfactor = 60);

create table alert_history (
  project_id  bigint      not null,
  rule_id     uuid        not null,
  "at"        timestamptz not null,
  entry_id    bigint      not null generated always as identity,
  "group"     text        not null,
  from_status text        not null,
  to_status   text        not null,
  level       text,
  value       double precision,
  notice      text        not null,
  primary key (project_id, rule_id, "at", entry_id)
);

create index alert_history_by_time on alert_history ("at");
