-- Where in time rows of logs and transactions may be that are searched for, see store/search_index: made by a clock of
-- rows that have been there for a while. Rows that no segment has are read as they are.
create table log_segments (
  project_id bigint      not null,
  -- Rows with start <= "timestamp" < "end" are in it; segments do not overlap.
  start      timestamptz not null,
  "end"      timestamptz not null,
  -- When its blocks begin, how many rows they have, and what else is told of them, see segment.ts.
  blocks     bytea       not null,
  facts      bytea       not null,
  primary key (project_id, start)
);
alter table log_segments alter column blocks set storage external;
alter table log_segments alter column facts set storage external;
create index log_segments_by_time on log_segments (start);

create table log_parts (
  project_id bigint      not null,
  part       smallint    not null,
  -- Of the segment.
  start      timestamptz not null,
  bits       bytea       not null,
  primary key (project_id, part, start)
);
alter table log_parts alter column bits set storage main;
create index log_parts_by_time on log_parts (start);

create table transaction_segments (like log_segments including all);
create table transaction_parts (like log_parts including all);

-- Hours in which rows have come that were late, or have gone.
create table late_rows (
  project_id bigint      not null,
  "table"    text        not null,
  hour       timestamptz not null
);
create index late_rows_of_project on late_rows (project_id, "table");
