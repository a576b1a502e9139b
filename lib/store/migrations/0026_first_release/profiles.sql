-- Profiles are pprof: here is the index of them. The bytes are in the object store, and go when the row goes.
create table profiles (
  project_id     bigint           not null,
  profile_id     uuid             not null,
  -- When it began.
  "timestamp"    timestamptz      not null,
  received_at    timestamptz      not null,
  -- pprof, sentry_sample_v1, sentry_sample_v2, otlp
  source         text             not null,
  -- See pprof/profile_kind.ts.
  kind           text             not null,
  service        text             collate "C" not null default '',
  instance       text             collate "C" not null default '',
  platform       text             not null,
  environment    text             collate "C" not null default '',
  release        text             collate "C" not null default '',
  transaction    text             not null default '',
  transaction_id uuid,
  trace_id       uuid,
  span_id        text             collate "C",
  profiler_id    uuid,
  duration_ms    double precision not null,
  period         bigint           not null default 0,
  period_type    text             not null default '',
  samples        integer          not null,
  -- Sample types as `cpu:nanoseconds`, and the sum of each.
  types          text[]           not null,
  totals         bigint[]         not null,
  -- Covers a stretch of time, rather than telling how things stand or what was counted since a process began.
  is_delta       boolean          not null,
  -- Values of labels, of the upload and of its samples, each key with a list.
  labels         jsonb            not null default '{}',
  size_bytes     bigint           not null,
  blob_key       text             not null,
  -- The item as an SDK sent it, where it was no pprof; else ''.
  original_key   text             not null default '',
  primary key (project_id, profile_id)
);
create index profiles_by_time on profiles (project_id, "timestamp" desc, profile_id);
create index profiles_by_service on profiles (project_id, service, kind, "timestamp");
create index profiles_by_trace on profiles (project_id, trace_id) where trace_id is not null;
create index profiles_by_profiler on profiles (project_id, profiler_id, "timestamp") where profiler_id is not null;
create index profiles_by_transaction on profiles (project_id, transaction, "timestamp") where transaction <> '';
create index profiles_expiring on profiles ("timestamp");

-- Traces and spans that samples of a profile name, with the sums of their values.
create table profile_traces (
  project_id  bigint      not null,
  trace_id    uuid        not null,
  profile_id  uuid        not null,
  -- '' for samples that name the trace only.
  span_id     text        collate "C" not null,
  "timestamp" timestamptz not null,
  totals      bigint[]    not null,
  primary key (project_id, trace_id, profile_id, span_id)
);
create index profile_traces_expiring on profile_traces ("timestamp");
