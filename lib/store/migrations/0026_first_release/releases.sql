-- The state of each single session; its updates may come late, twice and in any order. Kept for days only: clients
-- send no updates of older sessions, and the counts below have them.
create table sessions (
  project_id   bigint      not null,
  started_at   timestamptz not null,
  session_id   uuid        not null,
  seq          bigint      not null,
  status       text        not null,
  errors       integer     not null default 0,
  duration_sec double precision,
  user_hash    text        collate "C",
  environment  text        collate "C" not null default '',
  release      text        collate "C" not null default '',
  received_at  timestamptz not null,
  primary key (project_id, session_id)
) with (fillfactor = 80);

-- Sessions by the hour they started in: `total` holds all, the others those that ended so. Single sessions and
-- those that servers counted themselves.
create table session_hours (
  project_id  bigint      not null,
  hour        timestamptz not null,
  release     text        collate "C" not null default '',
  environment text        collate "C" not null default '',
  total       bigint      not null default 0,
  errored     bigint      not null default 0,
  unhandled   bigint      not null default 0,
  abnormal    bigint      not null default 0,
  crashed     bigint      not null default 0,
  -- As that of project_hours.
  last_seen   timestamptz,
  primary key (project_id, hour, release, environment)
) with (fillfactor = 60);

-- Who had sessions on a day, and how badly the worst of them ended.
create table session_users (
  project_id  bigint  not null,
  day         date    not null,
  release     text    collate "C" not null default '',
  environment text    collate "C" not null default '',
  user_hash   text    collate "C" not null,
  is_errored  boolean not null default false,
  is_crashed  boolean not null default false,
  primary key (project_id, day, release, environment, user_hash)
) with (fillfactor = 80);
