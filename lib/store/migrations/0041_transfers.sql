-- Exports and imports of a project's data, which a clock works on piece by piece.
create table transfers (
  project_id      bigint      not null,
  id              uuid        not null,
  organization_id bigint      not null,
  kind            text        not null check (kind in ('export', 'import')),
  state           text        not null default 'waiting' check (state in ('waiting', 'done', 'failed')),
  asked_by        text        not null,
  asked_at        timestamptz not null default now(),
  started_at      timestamptz,
  finished_at     timestamptz,
  -- Of an export: from here on, before there.
  since           timestamptz,
  until           timestamptz,
  -- Of an import: what the file was called.
  label           text        not null default '',
  -- Where the work goes on.
  progress        jsonb       not null default '{}',
  -- How much of what.
  counts          jsonb       not null default '{}',
  -- Bytes of what is in the object store for it.
  size_bytes      bigint      not null default 0,
  -- From then on that is deleted.
  expires_at      timestamptz,
  last_error      text        not null default '',
  primary key (project_id, id)
);
create index on transfers (asked_at) where state = 'waiting';
create index on transfers (expires_at) where expires_at is not null;

-- What lies in the object store: pieces of files; those of one name follow each other.
create table transfer_parts (
  project_id  bigint  not null,
  transfer_id uuid    not null,
  name        text    collate "C" not null,
  number      integer not null,
  key         text    not null,
  -- Before it was compressed.
  bytes       bigint  not null,
  primary key (project_id, transfer_id, name, number)
);

-- Which issues the events of an issue elsewhere came to here, while an import is under way.
create table transfer_issues (
  project_id  bigint  not null,
  transfer_id uuid    not null,
  source_id   text    collate "C" not null,
  issue_id    bigint  not null,
  events      integer not null,
  primary key (project_id, transfer_id, source_id, issue_id)
);
