-- Exports and deletions of what is stored of one person who uses the programs of an organization. The row of a deletion
-- that is done is its receipt: it holds no identifier, but its hash.
create table end_user_jobs (
  id              uuid        not null primary key,
  organization_id bigint      not null,
  kind            text        not null check (kind in ('export', 'erase')),
  -- id, email, username, ip
  identity_kind   text        not null,
  -- SHA-256 of organization, kind and value.
  identity_hash   text        not null,
  -- The identifier, while the work needs it.
  sealed          bytea,
  state           text        not null default 'waiting' check (state in ('waiting', 'done', 'failed')),
  asked_by        text        not null,
  asked_at        timestamptz not null default now(),
  started_at      timestamptz,
  finished_at     timestamptz,
  -- [{"id", "slug", "name"}, …]: in this order.
  projects        jsonb       not null,
  -- Where the work goes on: {"project": 0, "source": 0, "cursor": …}
  progress        jsonb       not null default '{}',
  -- {"<project id>": {"events": 12}}
  counts          jsonb       not null default '{}',
  -- Of an export: the parts of its files in the object store, [{"name", "key", "bytes"}, …].
  parts           jsonb       not null default '[]',
  expires_at      timestamptz,
  last_error      text        not null default ''
);
create index on end_user_jobs (organization_id, asked_at desc);
create index on end_user_jobs (asked_at) where state = 'waiting';
create index on end_user_jobs (expires_at) where expires_at is not null;
