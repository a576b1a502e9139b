-- Which event an issue shows: of those with its newest time the one with the highest id, as everywhere that lists
-- events. Null where an older version stored the last one, which any other of that time may follow.
alter table issues add column last_event_id uuid;

-- When a release was last heard of, to the millisecond; null, where an older version counted, leaves the hour.
alter table project_hours add column last_seen timestamptz;
alter table session_hours add column last_seen timestamptz;
