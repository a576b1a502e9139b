-- Which installation this database belongs to: the same id stands in KV and in the object store.
create table instance (
  is_only    boolean     primary key default true check (is_only),
  id         uuid        not null,
  founded_at timestamptz not null default now()
);

-- What the control store needs to be made again when it is lost. Written from it, and read for that alone.
create table control_organizations (
  id         bigint      primary key,
  slug       text        not null,
  name       text        not null,
  created_at timestamptz not null
);

create table control_projects (
  project_id      bigint      primary key,
  organization_id bigint      not null,
  slug            text        not null,
  name            text        not null,
  platform        text        not null,
  created_at      timestamptz not null,
  settings        jsonb       not null
);

-- Hashes: whoever reads this table cannot send.
create table control_keys (
  project_id bigint not null,
  key_hash   text   collate "C" not null,
  details    jsonb  not null,
  primary key (project_id, key_hash)
);

-- A project is deleted by the row that its deletion wrote here, and by nothing else: an empty control store says nothing
-- about projects. Rows stay after the purge, so that an id is never given out again.
create table deleted_projects (
  id               bigint      primary key,
  organization_id  bigint      not null,
  slug             text        not null,
  name             text        not null,
  -- Who deleted it: a mail address, or what stands for somebody without one.
  deleted_by       text        not null,
  deleted_at       timestamptz not null default now(),
  purge_started_at timestamptz,
  purged_rows      bigint      not null default 0,
  purged_at        timestamptz
);
create index deleted_projects_to_purge on deleted_projects (deleted_at) where purged_at is null;
