-- Files that came with events; the bytes are in the object store, and go when the row goes.
create table attachments (
  project_id      bigint      not null,
  event_id        uuid        not null,
  attachment_id   uuid        not null,
  "timestamp"     timestamptz not null,
  received_at     timestamptz not null,
  filename        text        not null,
  content_type    text        not null,
  attachment_type text        not null,
  size_bytes      bigint      not null,
  blob_key        text        not null,
  primary key (project_id, event_id, attachment_id)
);

create table feedback (
  project_id  bigint      not null,
  feedback_id uuid        not null,
  "timestamp" timestamptz not null,
  received_at timestamptz not null,
  -- The error it is about.
  event_id    uuid,
  message     text        not null,
  name        text        not null default '',
  email       text        not null default '',
  url         text        not null default '',
  source      text        not null default '',
  platform    text        not null default 'other',
  environment text        collate "C" not null default '',
  release     text        collate "C" not null default '',
  user_key    text        collate "C",
  trace_id    uuid,
  span_id     text        collate "C",
  is_resolved boolean     not null default false,
  payload     text        not null default '{}',
  primary key (project_id, feedback_id)
);
create index feedback_by_time on feedback (project_id, "timestamp" desc, feedback_id);
create index feedback_by_event on feedback (project_id, event_id) where event_id is not null;
