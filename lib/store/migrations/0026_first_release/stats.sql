-- What is added up: by transaction name, kind of span and the like, see stats/series.ts.
create table stat_series (
  project_id  bigint   not null,
  -- Made of what follows.
  series_id   bigint   not null,
  kind        smallint not null,
  environment text     collate "C" not null,
  release     text     collate "C" not null,
  service     text     collate "C" not null,
  name        text     collate "C" not null,
  op          text     collate "C" not null,
  category    text     not null,
  parent      text     collate "C" not null,
  http_method text     not null,
  route       text     collate "C" not null,
  protocol    text     not null,
  browser     text     not null,
  device      text     not null,
  country     text     not null,
  seen_on     date     not null,
  primary key (project_id, series_id)
);
-- A page has visits of many kinds for each of its vitals: read one vital without the others.
create index stat_series_by_name on stat_series (project_id, kind, name, op);
create index stat_series_by_day on stat_series (seen_on);

-- What commits have counted and nobody has added to the tables below yet, see writer/stat_journal.ts.
create table stat_journal (
  project_id  bigint      not null,
  entry_id    uuid        not null,
  entry       bytea       not null,
  -- They are added up when the oldest has waited for a while, whoever appended it.
  appended_at timestamptz not null default now(),
  primary key (project_id, entry_id)
);
alter table stat_journal alter column entry set storage external;

-- By minute, hour and day. Sketches and sets are merged by writing them one behind the other.
create table stat_minutes (
  project_id  bigint           not null,
  kind        smallint         not null,
  "timestamp" timestamptz      not null,
  series_id   bigint           not null,
  count       bigint           not null,
  failures    bigint           not null,
  -- How many it stands for, with what was sampled away.
  weight      double precision not null,
  sum         double precision not null,
  status_2xx  integer          not null,
  status_3xx  integer          not null,
  status_4xx  integer          not null,
  status_5xx  integer          not null,
  sketch      bytea            not null,
  users       bytea            not null,
  -- A trace to look at.
  trace_id    uuid,
  primary key (project_id, kind, "timestamp", series_id)
) partition by range ("timestamp");
alter table stat_minutes alter column sketch set storage main;
alter table stat_minutes alter column users set storage main;
create table stat_hours (like stat_minutes including all) partition by range ("timestamp");
create table stat_days (like stat_minutes including all);
create index stat_hours_by_series on stat_hours (project_id, series_id, "timestamp");
create index stat_days_by_series on stat_days (project_id, series_id, "timestamp");
-- For what expires alone. As a tree it misleads the planner: it looks cheap for the days of a page, and reads all kinds.
create index stat_days_by_time on stat_days using brin ("timestamp");
