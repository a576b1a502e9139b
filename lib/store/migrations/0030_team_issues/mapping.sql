-- Source maps that events would have needed, so that those events can be mapped when one comes.
create table missing_maps (
  project_id bigint      not null,
  -- In 32 hex digits; '' when files are known by release and dist only.
  debug_id   text        collate "C" not null,
  -- '' for none.
  release    text        collate "C" not null,
  dist       text        collate "C" not null,
  first_seen timestamptz not null default now(),
  -- To the hour.
  last_seen  timestamptz not null default now(),
  primary key (project_id, debug_id, release, dist)
);
create index missing_maps_by_time on missing_maps (last_seen);

-- Events that were stored before their maps could be read: they are mapped as soon as somebody gets to it.
create table unmapped_events (
  project_id bigint      not null,
  event_id   uuid        not null,
  noted_at   timestamptz not null default now(),
  primary key (project_id, event_id)
);
create index unmapped_events_by_time on unmapped_events (noted_at);
