-- Profiles: the index; the bytes are in the object store, and go when the row goes.
create table profiles (
  project_id     bigint           not null,
  profile_id     uuid             not null,
  "timestamp"    timestamptz      not null,
  received_at    timestamptz      not null,
  format         text             not null,
  platform       text             not null,
  environment    text             collate "C" not null default '',
  release        text             collate "C" not null default '',
  transaction    text             not null default '',
  transaction_id uuid,
  trace_id       uuid,
  span_id        text             collate "C",
  profiler_id    uuid,
  duration_ms    double precision not null,
  samples        integer          not null,
  size_bytes     bigint           not null,
  blob_key       text             not null,
  primary key (project_id, profile_id)
);
create index profiles_by_time on profiles (project_id, "timestamp" desc);
create index profiles_by_trace on profiles (project_id, trace_id) where trace_id is not null;

-- Observations as they came.
create table metric_points (
  project_id  bigint           not null,
  name        text             collate "C" not null,
  "timestamp" timestamptz      not null,
  point_id    uuid             not null,
  received_at timestamptz      not null,
  type        text             not null,
  unit        text             not null default '',
  value       double precision not null,
  trace_id    uuid,
  span_id     text             collate "C",
  environment text             collate "C" not null default '',
  release     text             collate "C" not null default '',
  attributes  jsonb            not null default '{}',
  primary key (project_id, name, "timestamp", point_id)
) partition by range ("timestamp");
