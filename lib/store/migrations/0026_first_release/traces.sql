-- Transactions as rows, with what lists filter and sort by; their spans packed: a trace view reads all spans of a
-- trace at once.
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
  -- Compressed as that of events.
  payload            bytea            not null,
  service            text             collate "C" not null default '',
  route              text             not null default '',
  is_failed          boolean          not null default false,
  server_sample_rate real             not null default 1,
  primary key (project_id, "timestamp", event_id)
) partition by range ("timestamp");
alter table transactions alter column payload set storage external;
create index transactions_by_trace on transactions (project_id, trace_id);
create index transactions_by_name on transactions (project_id, name, "timestamp");
create index transactions_by_duration on transactions (project_id, name, duration_ms);
-- What is rare is searched for in these. Most transactions are in none but the first.
create index transactions_by_user on transactions (project_id, lower(user_key)) where user_key is not null;
create index transactions_by_status on transactions (project_id, lower(status)) where status not in ('', 'ok');
create index transactions_by_http_status on transactions (project_id, http_status) where http_status <> 200;

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

-- One row for the spans of one trace, one sender and one request.
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
  -- Traces are searched by what spans below their entries say, too: {"db.system.name": ["postgresql"], …}, see
  -- span_facts.ts. Found by the key of batches from the trace.
  facts       jsonb       not null default '{}',
  primary key (project_id, trace_id, "timestamp", batch_id)
) partition by range ("timestamp");
alter table span_batches alter column span_ids set storage external;
alter table span_batches alter column spans set storage external;

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
