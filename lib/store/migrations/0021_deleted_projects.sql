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
