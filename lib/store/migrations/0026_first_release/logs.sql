-- Log lines.
create table logs (
  project_id  bigint      not null,
  "timestamp" timestamptz not null,
  log_id      uuid        not null,
  received_at timestamptz not null,
  level       text        not null,
  body        text        not null,
  logger      text        collate "C" not null default '',
  server      text        collate "C" not null default '',
  environment text        collate "C" not null default '',
  release     text        collate "C" not null default '',
  sdk         text        not null default '',
  trace_id    uuid,
  span_id     text        collate "C",
  attributes  jsonb       not null default '{}',
  -- Programs write several lines within a millisecond: nanoseconds beyond the whole millisecond of "timestamp", as
  -- sent, and which of its request it is, from 0.
  nanos       integer     not null default 0,
  place       integer     not null default 0,
  primary key (project_id, "timestamp", log_id)
) partition by range ("timestamp");
create index logs_by_trace on logs (project_id, trace_id, "timestamp") where trace_id is not null;
