-- Transactions: what lists filter and sort by; their payload is compressed before it is sent here, as that of events.
alter table transactions
  add column service text collate "C" not null default '',
  add column route text not null default '',
  add column is_failed boolean not null default false,
  add column server_sample_rate real not null default 1;
alter table transactions alter column payload type bytea using convert_to(payload, 'UTF8');
alter table transactions alter column payload set storage external;
create index transactions_by_duration on transactions (project_id, name, duration_ms);

-- The span that an error happened in.
alter table events add column span_id text collate "C";

-- Who sent spans: a few rows a day, which many batches name.
create table span_sources (
  project_id  bigint      not null,
  -- The start of a UTC day.
  "timestamp" timestamptz not null,
  -- Made of what follows.
  source_id   bigint      not null,
  environment text        collate "C" not null,
  release     text        collate "C" not null,
  service     text        collate "C" not null,
  platform    text        not null,
  sdk         text        not null,
  resource    jsonb       not null,
  primary key (project_id, "timestamp", source_id)
) partition by range ("timestamp");

-- One row for the spans of one trace, one sender and one request. Earlier rows had another form, and no page.
drop table span_batches;
create table span_batches (
  project_id  bigint      not null,
  trace_id    uuid        not null,
  -- The earliest start.
  "timestamp" timestamptz not null,
  batch_id    uuid        not null,
  received_at timestamptz not null,
  -- In span_sources, of the day of `timestamp`.
  source_id   bigint      not null,
  transaction text        not null default '',
  span_count  integer     not null,
  -- Eight bytes each.
  span_ids    bytea       not null,
  -- See spans/pack.ts.
  spans       bytea       not null,
  primary key (project_id, trace_id, "timestamp", batch_id)
) partition by range ("timestamp");
alter table span_batches alter column span_ids set storage external;
alter table span_batches alter column spans set storage external;

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
create index stat_series_by_kind on stat_series (project_id, kind, name);
create index stat_series_by_day on stat_series (seen_on);

-- What commits have counted and nobody has added to the tables above yet, see writer/stat_journal.ts.
create table stat_journal (
  project_id bigint not null,
  entry_id   uuid   not null,
  entry      bytea  not null,
  primary key (project_id, entry_id)
);
alter table stat_journal alter column entry set storage external;

-- Transactions that were counted under a common name, since a project used too many names in an hour.
create table folded_names (
  project_id   bigint      not null,
  hour         timestamptz not null,
  transactions bigint      not null,
  -- A set that is merged by writing it one behind the other.
  names        bytea       not null,
  example      text        not null,
  primary key (project_id, hour)
);

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
create table stat_hours (like stat_minutes including all) partition by range ("timestamp");
create table stat_days (like stat_minutes including all);
create index stat_hours_by_series on stat_hours (project_id, series_id, "timestamp");
create index stat_days_by_series on stat_days (project_id, series_id, "timestamp");
create index stat_days_by_time on stat_days ("timestamp");
do $$
declare
  stats text;
begin
  foreach stats in array array['stat_minutes', 'stat_hours', 'stat_days'] loop
    execute format('alter table %I alter column sketch set storage main', stats);
    execute format('alter table %I alter column users set storage main', stats);
  end loop;
end $$;
