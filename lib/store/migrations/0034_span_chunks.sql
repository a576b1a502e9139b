-- Spans that commit together lie in one chunk, and what traces are searched by of them stands once a day. Rows of before
-- keep theirs within them: their new columns are null.
create table span_chunks (
  project_id  bigint      not null,
  -- The latest of the times of its batches: retention deletes it with the last of them.
  "timestamp" timestamptz not null,
  -- Made of `timestamp` and chance, see spans/stored_spans.ts.
  chunk_id    bigint      not null,
  -- See spans/chunk.ts.
  spans       bytea       not null,
  primary key (project_id, "timestamp", chunk_id)
) partition by range ("timestamp");
alter table span_chunks alter column spans set storage external;

-- What batches of a day say of what their spans work with: {"db.system.name": ["postgresql"], …}, see span_rules.ts.
create table span_facts (
  project_id  bigint      not null,
  -- The start of a UTC day.
  "timestamp" timestamptz not null,
  -- Made of `facts`.
  facts_id    bigint      not null,
  facts       jsonb       not null,
  primary key (project_id, "timestamp", facts_id)
) partition by range ("timestamp");

alter table span_batches
  -- Null: `spans` has them all.
  add column chunk_id bigint,
  -- Of its spans within the chunk.
  add column place integer,
  -- In span_facts, of the day of `timestamp`; null: see `facts`.
  add column facts_id bigint;
