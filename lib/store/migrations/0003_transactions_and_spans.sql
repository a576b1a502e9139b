-- Transactions as rows, their spans packed: a trace view reads all spans of a trace at once.
create table transactions (
  project_id         bigint           not null,
  "timestamp"        timestamptz      not null,
  event_id           uuid             not null,
  received_at        timestamptz      not null,
  started_at         timestamptz      not null,
  duration_ms        double precision not null,
  trace_id           uuid             not null,
  span_id            text             collate "C" not null,
  parent_span_id     text             collate "C",
  sent_as            text             not null,
  name               text             collate "C" not null,
  source             text             not null default '',
  op                 text             collate "C" not null default '',
  status             text             not null default '',
  http_method        text             not null default '',
  http_status        smallint,
  platform           text             not null,
  environment        text             collate "C" not null default '',
  release            text             collate "C" not null default '',
  user_key           text             collate "C",
  tags               jsonb            not null default '{}',
  -- {"lcp": {"value": 1200, "unit": "millisecond"}, …}
  measurements       jsonb            not null default '{}',
  client_sample_rate real             not null default 1,
  profile_id         uuid,
  profiler_id        uuid,
  payload            text             not null,
  primary key (project_id, "timestamp", event_id)
) partition by range ("timestamp");
create index transactions_by_trace on transactions (project_id, trace_id);
create index transactions_by_name on transactions (project_id, name, "timestamp");

-- One row for the spans of one trace in one request.
create table span_batches (
  project_id         bigint      not null,
  trace_id           uuid        not null,
  "timestamp"        timestamptz not null,
  batch_id           uuid        not null,
  received_at        timestamptz not null,
  environment        text        collate "C" not null default '',
  release            text        collate "C" not null default '',
  transaction        text        not null default '',
  platform           text        not null default 'other',
  sdk                text        not null default '',
  client_sample_rate real        not null default 1,
  span_count         integer     not null,
  -- A JSON list of spans.
  spans              text        not null,
  primary key (project_id, trace_id, "timestamp", batch_id)
) partition by range ("timestamp");

do $$
begin
  alter table transactions alter column payload set compression lz4;
  alter table span_batches alter column spans set compression lz4;
exception when feature_not_supported then
  null;
end $$;
