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
