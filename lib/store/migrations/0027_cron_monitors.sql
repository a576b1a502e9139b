-- Cron jobs that report themselves: their settings, how each environment stands, and what went wrong.
alter table monitors
  add column monitor_id uuid    not null default gen_random_uuid(),
  add column name       text    not null default '',
  -- active or disabled.
  add column status     text    not null default 'active',
  add column is_muted   boolean not null default false,
  -- Part of the address for pings: a new one makes the old address useless.
  add column ping_nonce text    not null default substr(md5(gen_random_uuid()::text), 1, 8);
update monitors set name = slug where name = '';
create unique index monitors_by_id on monitors (project_id, monitor_id);

create table monitor_environments (
  project_id       bigint      not null,
  slug             text        collate "C" not null,
  environment      text        collate "C" not null,
  -- active: nothing is finished yet; ok; error: an incident is open.
  status           text        not null default 'active',
  is_muted         boolean     not null default false,
  created_at       timestamptz not null,
  last_check_in_at timestamptz,
  -- When the next run is expected, and when it is missed; null without a schedule.
  next_at          timestamptz,
  latest_at        timestamptz,
  incident_id      uuid,
  -- How many check-ins came in which minute, for the limit.
  taken_minute     timestamptz,
  taken            integer     not null default 0,
  primary key (project_id, slug, environment)
);
create index monitor_environments_due on monitor_environments (latest_at) where latest_at is not null;
insert into monitor_environments (project_id, slug, environment, created_at, last_check_in_at)
select project_id, monitor_slug, environment, min(started_at), max(started_at)
from check_ins group by 1, 2, 3;

alter table check_ins
  -- When the run was expected, by the schedule of then.
  add column expected_at  timestamptz,
  -- Null without a schedule: then a run may take as long as it likes.
  add column timeout_at   timestamptz,
  -- The monitor's settings as they were.
  add column config       jsonb,
  -- What the job said, its last 10 KB.
  add column log          text,
  -- No report has come: the clock made it.
  add column is_ours      boolean not null default false,
  -- The service itself was away while the job ran: its end may be lost.
  add column is_uncertain boolean not null default false;
-- One of the clock's for each expected time, however often it looks.
create unique index check_ins_of_clock on check_ins (project_id, monitor_slug, environment, expected_at)
  where is_ours;
create index check_ins_open on check_ins (timeout_at) where status = 'in_progress';

create table monitor_incidents (
  project_id  bigint      not null,
  incident_id uuid        not null,
  slug        text        collate "C" not null,
  environment text        collate "C" not null,
  -- When the first of the failed runs began, or should have.
  started_at  timestamptz not null,
  resolved_at timestamptz,
  -- Failed runs so far.
  failures    integer     not null,
  -- Null until its first event is stored, or while it is muted.
  issue_id    bigint,
  primary key (project_id, incident_id)
);
create index monitor_incidents_by_monitor on monitor_incidents (project_id, slug, started_at desc);

-- What issues are to be told, written with what it is about and taken away when it is done.
create table monitor_notes (
  project_id  bigint      not null,
  -- Of the event that it becomes.
  event_id    uuid        not null,
  sequence    bigint      not null generated always as identity,
  slug        text        collate "C" not null,
  incident_id uuid        not null,
  -- The run that failed; null: the incident is over.
  check_in_id uuid,
  noted_at    timestamptz not null,
  primary key (project_id, event_id)
);
create index monitor_notes_in_order on monitor_notes (sequence);

-- Check-ins that were not taken, or not as they were meant.
create table monitor_errors (
  project_id  bigint      not null,
  error_id    uuid        not null,
  slug        text        collate "C" not null,
  environment text        collate "C" not null,
  type        text        not null,
  detail      text        not null,
  noted_at    timestamptz not null,
  primary key (project_id, error_id)
);
create index monitor_errors_by_monitor on monitor_errors (project_id, slug, noted_at desc);

-- When somebody last looked for missed runs: what was due in a longer gap is nobody's fault.
create table monitor_clock (
  is_only  boolean     primary key default true check (is_only),
  alive_at timestamptz not null
);
