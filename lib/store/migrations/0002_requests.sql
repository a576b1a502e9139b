-- Requests as such: which were stored, how many each key brought, and which were refused and why.

-- One row a stored request. A replay from the spool finds the receipt of what was stored after all, and stores
-- nothing twice, counts included. Kept for days only; see `partitions.ts`.
create table receipts (
  project_id  bigint      not null,
  received_at timestamptz not null,
  request_id  uuid        not null,
  primary key (project_id, received_at, request_id)
) partition by range (received_at);

-- Requests by key and hour: what a key is still used for.
create table key_hours (
  project_id   bigint      not null,
  key_id       text        collate "C" not null,
  hour         timestamptz not null,
  accepted     bigint      not null default 0,
  refused      bigint      not null default 0,
  last_used_at timestamptz not null,
  primary key (project_id, key_id, hour)
) with (fillfactor = 60);

-- The newest refused requests of each project, for the DSN doctor: no payload and no whole key.
create table refused_requests (
  project_id bigint      not null,
  "time"     timestamptz not null,
  id         uuid        not null,
  -- False: the key is none of this project's; only the address names the project.
  is_own_key boolean     not null,
  key_id     text        not null default '',
  -- The first characters of what the client sent as its key.
  key_hint   text        not null default '',
  status     smallint    not null,
  reason     text        not null,
  detail     text        not null,
  method     text        not null default '',
  path       text        not null default '',
  sdk        text        not null default '',
  origin     text        not null default '',
  user_agent text        not null default '',
  primary key (project_id, "time", id)
);

update outcomes set kind = 'unsupported' where kind = 'not_stored';
