-- Points of metrics are kept as written, then packed into blocks, see metrics/compact.
create table metrics (
  project_id        bigint           not null,
  -- Made of name, kind and unit.
  metric_id         bigint           not null,
  name              text             collate "C" not null,
  -- counter, gauge, histogram
  kind              text             collate "C" not null,
  -- UCUM, or ''.
  unit              text             collate "C" not null,
  description       text             not null,
  first_seen        timestamptz      not null,
  seen_on           date             not null,
  -- How often its points come, in milliseconds; 0: not known yet.
  usual_interval_ms double precision not null default 0,
  primary key (project_id, metric_id)
);
create index metrics_by_name on metrics (project_id, name);
create index metrics_by_day on metrics (seen_on);

create table metric_series (
  project_id  bigint      not null,
  -- Made of the metric, the temporality and the labels.
  series_id   bigint      not null,
  metric_id   bigint      not null,
  -- cumulative, delta, observed, level
  temporality text        collate "C" not null,
  labels      jsonb       not null,
  -- Three of the labels, or ''.
  environment text        collate "C" not null,
  release     text        collate "C" not null,
  service     text        collate "C" not null,
  first_seen  timestamptz not null,
  seen_on     date        not null,
  primary key (project_id, series_id)
);
create index metric_series_by_metric on metric_series (project_id, metric_id, series_id);
create index metric_series_by_day on metric_series (seen_on);

-- Points that no block has yet: a row for each request.
create table metric_batches (
  project_id  bigint        not null,
  received_at timestamptz   not null,
  batch_id    uuid          not null,
  -- Beginnings of the two-hour slots that its points lie in.
  slots       timestamptz[] not null,
  metric_ids  bigint[]      not null,
  points      integer       not null,
  -- It cannot be read: somebody has to look at it.
  is_damaged  boolean       not null default false,
  -- See metrics/codec/batch.ts.
  body        bytea         not null,
  primary key (project_id, received_at, batch_id)
);
alter table metric_batches alter column body set storage external;
alter table metric_batches set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

-- Points and rollups of up to 256 series of a metric.
create table metric_blocks (
  project_id bigint      not null,
  metric_id  bigint      not null,
  -- 0: points as written, in slots of two hours · 1: minutes, in slots of two hours · 2: hours, in slots of a day
  tier       smallint    not null,
  slot       timestamptz not null,
  -- 0: settled; below: damaged, set aside. In metric_packs above, later ones have higher numbers.
  pack       bigint      not null,
  min_series bigint      not null,
  max_series bigint      not null,
  series     integer     not null,
  samples    integer     not null,
  is_damaged boolean     not null default false,
  -- See metrics/codec/block.ts.
  body       bytea       not null,
  primary key (project_id, metric_id, tier, slot, pack, min_series)
) partition by range (slot);
alter table metric_blocks alter column body set storage external;

-- Blocks of points that are to be settled: their rows are often replaced, which would leave holes in a day's partition.
create table metric_packs (like metric_blocks including all);
alter table metric_packs set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
create sequence metric_pack_numbers start 1;
create view metric_stored_blocks as
  select * from metric_blocks union all select * from metric_packs;

-- What of the blocks is yet to be settled (level 1: two hours) or rolled up (level 2: days).
create table metric_slots (
  project_id  bigint      not null,
  level       smallint    not null,
  slot        timestamptz not null,
  -- Null: never yet.
  settled_at  timestamptz,
  -- Null: nothing came since.
  dirty_since timestamptz,
  -- How often something came.
  changes     bigint      not null default 1,
  primary key (project_id, level, slot)
);
create index metric_slots_waiting on metric_slots (level, slot) where dirty_since is not null;
create index metric_slots_by_time on metric_slots (slot);

-- Observations with their trace: a few of a series and minute.
create table metric_exemplars (
  project_id  bigint           not null,
  metric_id   bigint           not null,
  minute      timestamptz      not null,
  series_id   bigint           not null,
  -- Of those of the series and minute.
  place       smallint         not null,
  "timestamp" timestamptz      not null,
  value       double precision not null,
  trace_id    uuid             not null,
  span_id     text             collate "C",
  primary key (project_id, metric_id, minute, series_id, place)
) partition by range (minute);

-- What remote write 1.0 says of metrics: once a minute, apart from the samples, and to any of several processes.
create table metric_families (
  project_id bigint      not null,
  -- Of the family: http_seconds of http_seconds_bucket, http_seconds_sum.
  name       text        collate "C" not null,
  -- By its number on the wire.
  type       smallint    not null,
  -- In words, or ''.
  unit       text        not null,
  help       text        not null,
  updated_at timestamptz not null default now(),
  primary key (project_id, name)
);
