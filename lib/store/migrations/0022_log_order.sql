-- Programs write several lines within a millisecond, and lists showed them in the order of their ids, which are hashes.
-- Lines of before have no place: among each other they stay where they were.
alter table logs
  add column nanos integer not null default 0,
  add column place integer not null default 0;
comment on column logs.nanos is 'nanoseconds beyond the whole millisecond of "timestamp", as sent';
comment on column logs.place is 'which of its request, from 0';
