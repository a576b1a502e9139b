-- Tags that many events of a project have in common, each set once: a row of events has the others and the set's id.
create table tag_sets (
  project_id bigint not null,
  -- Made of `tags`.
  tags_id    bigint not null,
  -- An object of strings, as those of events.
  tags       jsonb  not null,
  -- The UTC day on which an event last came with it: no older event needs it longer.
  last_seen  date   not null,
  primary key (project_id, tags_id)
) with (fillfactor = 80);

-- Null: `tags` has them all, as all of before.
alter table events add column tags_id bigint;

-- Events with all of their tags, for whoever reads. What asks for no tags costs no join.
create view events_with_tags as
select
  events.project_id, issue_id, "timestamp", event_id, received_at, level, platform, environment, release, transaction,
  title, user_key, trace_id, coalesce(shared.tags || events.tags, events.tags) as tags, payload, merged_from, span_id,
  group_hash, chunk_id
from events
left join tag_sets as shared on shared.project_id = events.project_id and shared.tags_id = events.tags_id;
