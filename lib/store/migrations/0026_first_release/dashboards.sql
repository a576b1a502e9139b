-- Dashboards: what people put together to look at.
create table dashboards (
  project_id   bigint      not null,
  -- 16 hex digits, drawn.
  dashboard_id text        collate "C" not null,
  name         text        not null,
  -- Counts up with every change: whoever saves says which one they have seen.
  version      integer     not null default 1,
  panels       integer     not null,
  -- See lib/dashboards/content.ts.
  content      jsonb       not null,
  created_at   timestamptz not null default now(),
  updated_at   timestamptz not null default now(),
  -- A user's id; null for the holder of the instance's token.
  updated_by   text,
  primary key (project_id, dashboard_id)
);
