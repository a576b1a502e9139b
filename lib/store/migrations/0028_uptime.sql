-- What is checked from outside: monitors with how they stand, each check, incidents, and sums for bars and percentages.

create table uptime_monitors (
  project_id         bigint      not null,
  monitor_id         uuid        not null,
  name               text        not null,
  -- http, tcp, tls, dns, …: that of the target.
  kind               text        not null,
  -- What is checked, without its secrets, which are sealed beside it.
  target             jsonb       not null,
  sealed             bytea,
  -- Whom its checks reach: not too many of one host run at a time.
  host               text        collate "C" not null,
  interval_sec       integer     not null,
  failure_threshold  integer     not null,
  recovery_threshold integer     not null,
  certificate_days   integer[]   not null,
  -- Maintenance windows, see monitors/uptime/windows.ts.
  windows            jsonb       not null,
  channel_ids        uuid[]      not null,
  is_paused          boolean     not null default false,
  created_at         timestamptz not null,
  updated_at         timestamptz not null,
  updated_by         text        not null,
  -- Raised by every change of a person: a check of what the monitor was before changes no state.
  version            integer     not null default 1,

  -- When it is checked next, and who does it at the moment.
  due_at             timestamptz not null,
  claimed_by         uuid,
  claimed_until      timestamptz not null default '-infinity',
  state              text        not null default 'unknown' check (state in ('unknown', 'up', 'degraded', 'down')),
  -- Since when it has this state.
  since              timestamptz not null,
  -- Checks in a row that failed, and that succeeded.
  failures           integer     not null default 0,
  successes          integer     not null default 0,
  -- The first of the checks in a row that say otherwise than the state.
  turning_since      timestamptz,
  -- Whether the last failure was one of the way, not of an answer.
  is_network_failure boolean     not null default false,
  -- Set while this server itself seems to have no network.
  is_cut_off         boolean     not null default false,
  incident_id        uuid,
  checked_at         timestamptz,
  succeeded_at       timestamptz,
  last_ms            double precision,
  -- What was wrong the last time; '' when nothing was.
  last_error         text        not null default '',
  -- Until when time stands in the sums.
  counted_until      timestamptz,
  -- As it was seen last: fingerprint, names and days.
  certificate        jsonb,
  -- Of which certificate channels were told last, and at how many days.
  told_fingerprint   text        not null default '',
  told_days          integer,
  primary key (project_id, monitor_id)
) with (fillfactor = 50);
create index uptime_monitors_due on uptime_monitors (due_at) where not is_paused;
create index uptime_monitors_claimed on uptime_monitors (host) where claimed_by is not null;

-- One check; exactly one for each due time.
create table uptime_checks (
  project_id    bigint           not null,
  monitor_id    uuid             not null,
  due_at        timestamptz      not null,
  checked_at    timestamptz      not null,
  -- up, degraded, down; unknown: not measured
  status        text             not null,
  -- What kind of failure it was, and a sentence; '' for none.
  reason        text             not null default '',
  message       text             not null default '',
  http_status   integer,
  total_ms      double precision,
  dns_ms        double precision,
  connect_ms    double precision,
  tls_ms        double precision,
  first_byte_ms double precision,
  download_ms   double precision,
  address       text             not null default '',
  trace_id      uuid,
  is_maintenance boolean         not null default false,
  incident_id   uuid,
  primary key (project_id, monitor_id, due_at)
) partition by range (due_at);
create index uptime_checks_of_incident on uptime_checks (project_id, incident_id, due_at) where incident_id is not null;

create table uptime_incidents (
  project_id   bigint      not null,
  incident_id  uuid        not null,
  monitor_id   uuid        not null,
  -- The first failed check, and the check with which it was certain.
  opened_at    timestamptz not null,
  confirmed_at timestamptz not null,
  -- The first check that succeeded again.
  closed_at    timestamptz,
  -- The last failed check.
  last_seen    timestamptz not null,
  reason       text        not null,
  message      text        not null,
  checks       integer     not null,
  -- What was seen when it opened: status, headers, beginning of the body, timings. JSON as text: it takes every character.
  evidence     text        not null,
  -- [{at, by, text}]
  comments     jsonb       not null default '[]',
  -- How often channels were reminded that it is still down, and when they heard of it last.
  reminders    integer     not null default 0,
  told_at      timestamptz,
  primary key (project_id, incident_id)
);
create index uptime_incidents_of_monitor on uptime_incidents (project_id, monitor_id, opened_at desc);
create index uptime_incidents_by_time on uptime_incidents (last_seen);

-- Seconds in each state, and what checks took, by hour and by UTC day.
create table uptime_hours (
  project_id      bigint           not null,
  monitor_id      uuid             not null,
  start           timestamptz      not null,
  up_sec          double precision not null default 0,
  degraded_sec    double precision not null default 0,
  down_sec        double precision not null default 0,
  -- Not measured.
  unknown_sec     double precision not null default 0,
  maintenance_sec double precision not null default 0,
  checks          integer          not null default 0,
  failures        integer          not null default 0,
  -- Of the checks that succeeded.
  ms_sum          double precision not null default 0,
  primary key (project_id, monitor_id, start)
);
create index uptime_hours_by_time on uptime_hours (start);
create table uptime_days (like uptime_hours including all);

-- Since when nothing can be reached any more from here: one notice for all monitors of a project.
create table uptime_cut_offs (
  project_id bigint      not null primary key,
  since      timestamptz not null,
  -- Who was told.
  channel_ids uuid[]     not null
);
