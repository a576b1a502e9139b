-- Cron jobs that report themselves.
create table monitors (
  project_id bigint      not null,
  slug       text        collate "C" not null,
  -- Schedule and margins as the client last sent them, or null.
  config     jsonb,
  first_seen timestamptz not null,
  last_seen  timestamptz not null,
  primary key (project_id, slug)
);

create table check_ins (
  project_id   bigint      not null,
  check_in_id  uuid        not null,
  monitor_slug text        collate "C" not null,
  environment  text        collate "C" not null default '',
  release      text        collate "C" not null default '',
  status       text        not null,
  started_at   timestamptz not null,
  -- Null while in progress.
  finished_at  timestamptz,
  duration_sec double precision,
  trace_id     uuid,
  received_at  timestamptz not null,
  -- Whether the report that a run began has arrived: it may come after the one that ended it.
  has_begun    boolean     not null default true,
  primary key (project_id, check_in_id)
);
create index check_ins_by_monitor on check_ins (project_id, monitor_slug, started_at desc);
