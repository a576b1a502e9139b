-- What became of everything that was sent, by hour, and by UTC day for Usage: a month of a large organization is
-- millions of hours, and thousands of days.
create table outcome_hours (
  project_id bigint      not null,
  hour       timestamptz not null,
  category   text        not null,
  kind       text        not null,
  reason     text        not null default '',
  quantity   bigint      not null,
  -- The table's name was `outcomes` once.
  constraint outcomes_pkey primary key (project_id, hour, category, kind, reason)
) with (fillfactor = 60);

create table outcome_days (
  project_id bigint not null,
  day        date   not null,
  category   text   not null,
  kind       text   not null,
  reason     text   not null default '',
  quantity   bigint not null,
  primary key (project_id, day, category, kind, reason)
) with (fillfactor = 60);

-- Outcomes are appended by commits and added up for many of them at once: if each added to the rows of its hour and
-- its day, all would wait for one another.
create table outcome_journal (
  project_id bigint      not null,
  hour       timestamptz not null,
  category   text        not null,
  kind       text        not null,
  reason     text        not null,
  quantity   bigint      not null
);

-- What readers see: all that is committed, whether it is added up or not.
create view outcomes as
select project_id, hour, category, kind, reason, sum(quantity)::bigint as quantity
from (
  select project_id, hour, category, kind, reason, quantity from outcome_hours
  union all
  select project_id, hour, category, kind, reason, quantity from outcome_journal
) as counted
group by 1, 2, 3, 4, 5;

create view outcomes_by_day as
select project_id, day, category, kind, reason, sum(quantity)::bigint as quantity
from (
  select project_id, day, category, kind, reason, quantity from outcome_days
  union all
  select project_id, (hour at time zone 'UTC')::date, category, kind, reason, quantity
  from outcome_journal
) as counted
group by 1, 2, 3, 4, 5;

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
