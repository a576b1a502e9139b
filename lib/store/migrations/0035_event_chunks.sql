-- Payloads of events, packed together: those of one project and one UTC day that commit together are one chunk. Chunks
-- next to each other are joined later on; an event keeps the id that its chunk had at first.
create table event_chunks (
  project_id  bigint      not null,
  -- The day of its events begins, so that retention drops both together.
  "timestamp" timestamptz not null,
  -- By the time at which it was written. Joined ones stand for all ids from the first to the last of what is in them.
  chunk_id    bigint      not null,
  last_id     bigint      not null,
  -- Waits to be joined.
  is_small    boolean     not null,
  -- From `packChunk()`.
  body        bytea       not null,
  primary key (project_id, "timestamp", chunk_id)
) partition by range ("timestamp");
-- Compressed already. Partitions inherit the setting.
alter table event_chunks alter column body set storage external;
create index event_chunks_small on event_chunks ("timestamp", project_id, chunk_id) where is_small;

-- Null: the payload lies in the row itself, as all of before.
alter table events add column chunk_id bigint;
alter table events alter column payload drop not null;
