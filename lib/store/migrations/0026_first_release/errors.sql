-- Issues, the events under them, and what lists and charts need. `project_id` leads every key and index:
-- it is the distribution column on Citus, and no query may cross projects.
--
-- Names that are compared and searched, never sorted for people, are `collate "C"`: comparisons cost less, and
-- an index serves `like 'prefix%'`. Tables whose rows are counted up leave room on their pages, and no counter
-- is indexed, so that an update stays on its page and touches no index (a HOT update).

-- Drawn before the issue row exists, because a new group hash is what decides a race between two writers.
create sequence issue_ids as bigint;

create table issues (
  project_id        bigint      not null,
  id                bigint      not null,
  type              text        not null,
  title             text        not null,
  culprit           text        not null default '',
  level             text        not null,
  platform          text        not null default 'other',
  metadata          jsonb       not null default '{}',
  status            text        not null default 'unresolved'
                                check (status in ('unresolved', 'resolved', 'ignored')),
  is_regressed      boolean     not null default false,
  -- Since when the status holds; an event received after a resolution reopens the issue.
  status_changed_at timestamptz not null,
  first_seen        timestamptz not null,
  last_seen         timestamptz not null,
  -- The UTC day of last_seen. Lists find the issues of a time range by it: it changes once a day, while an
  -- index on last_seen would grow a dead entry with every batch of events.
  last_seen_on      date        not null,
  first_release     text        not null default '',
  last_release      text        not null default '',
  times_seen        bigint      not null default 0,
  users_seen        bigint      not null default 0,
  -- Where a person has merged it into another, it is hidden and keeps its own figures, so that it can be taken out
  -- again; what it brought to the other is marked with its id (merged_from).
  merged_into       bigint,
  merged_at         timestamptz,
  -- Which event it shows: of those with its newest time the one with the highest id, as everywhere that lists
  -- events. Null where a version before this schema stored the last one, which any other of that time may follow.
  last_event_id     uuid,
  primary key (project_id, id)
) with (fillfactor = 60);
create index issues_by_day on issues (project_id, status, last_seen_on);
create index issues_by_merged_into on issues (project_id, merged_into) where merged_into is not null;
-- For alerts: an issue that is new or came back. Both change the status, which is seldom.
create index issues_by_status_change on issues (project_id, status_changed_at);

-- Which issue a group hash belongs to, whatever version of the grouping algorithm made it. The version stays
-- with each hash; a later algorithm adds hashes beside the old ones and never splits an issue.
create table issue_hashes (
  project_id  bigint   not null,
  hash        uuid     not null,
  version     smallint not null,
  issue_id    bigint   not null,
  merged_from bigint,
  primary key (project_id, hash)
);
create index issue_hashes_by_issue on issue_hashes (project_id, issue_id);

-- Each event id once per project, whatever day its event is filed under: makes repeats harmless and finds an
-- event by id in one partition instead of all.
create table event_ids (
  project_id  bigint      not null,
  event_id    uuid        not null,
  issue_id    bigint      not null,
  "timestamp" timestamptz not null,
  primary key (project_id, event_id)
);

create table events (
  project_id  bigint      not null,
  issue_id    bigint      not null,
  "timestamp" timestamptz not null,
  event_id    uuid        not null,
  received_at timestamptz not null,
  level       text        not null,
  platform    text        not null,
  environment text        collate "C" not null default '',
  release     text        collate "C" not null default '',
  transaction text        not null default '',
  title       text        not null,
  user_key    text        collate "C",
  trace_id    uuid,
  -- An object of strings: {"browser": "Firefox", …}.
  tags        jsonb       not null default '{}',
  -- Compressed before it is sent here: `unpackText()` tells it from the plain text that was here once.
  payload     bytea       not null,
  merged_from bigint,
  -- The span that it happened in.
  span_id     text        collate "C",
  primary key (project_id, issue_id, "timestamp", event_id)
) partition by range ("timestamp");
-- Partitions inherit the setting.
alter table events alter column payload set storage external;
create index events_by_trace on events (project_id, trace_id) where trace_id is not null;
-- Alerts count the events of a few minutes, of all issues.
create index events_by_time on events (project_id, "timestamp");

-- Occurrences by hour and by UTC day: what lists, sparklines and charts within a scope add up. Ranges of weeks
-- read days and, at their edges, hours. Time comes before the issue, so that both "all issues of a range" and
-- "one issue, these hours" are served by one index.
create table issue_hours (
  project_id  bigint      not null,
  hour        timestamptz not null,
  issue_id    bigint      not null,
  environment text        collate "C" not null default '',
  release     text        collate "C" not null default '',
  times_seen  integer     not null,
  primary key (project_id, hour, issue_id, environment, release)
) with (fillfactor = 80);

create table issue_days (
  project_id  bigint  not null,
  day         date    not null,
  issue_id    bigint  not null,
  environment text    collate "C" not null default '',
  release     text    collate "C" not null default '',
  times_seen  integer not null,
  primary key (project_id, day, issue_id, environment, release)
) with (fillfactor = 80);

-- The same for the whole project: its charts, and the pickers of environments and releases.
create table project_hours (
  project_id  bigint      not null,
  hour        timestamptz not null,
  environment text        collate "C" not null default '',
  release     text        collate "C" not null default '',
  times_seen  integer     not null,
  -- When a release was last heard of, to the millisecond; null, where a version before this schema counted,
  -- leaves the hour.
  last_seen   timestamptz,
  primary key (project_id, hour, environment, release)
) with (fillfactor = 60);

-- Distinct users of an issue, and the issues of a user.
create table issue_users (
  project_id  bigint not null,
  issue_id    bigint not null,
  user_key    text   collate "C" not null,
  merged_from bigint,
  primary key (project_id, issue_id, user_key)
);
create index issue_users_by_user on issue_users (project_id, user_key);

-- Which issues have seen a tag value (environment, release and transaction among them): search and completion.
-- Written once per day and combination, not per event.
create table issue_tags (
  project_id  bigint not null,
  key         text   collate "C" not null,
  value       text   collate "C" not null,
  issue_id    bigint not null,
  last_seen   date   not null,
  merged_from bigint,
  primary key (project_id, key, value, issue_id)
) with (fillfactor = 80);
create index issue_tags_by_issue on issue_tags (project_id, issue_id);

-- Events that still have to follow a merge, or the end of one: there may be many, so they move in batches.
create table issue_moves (
  project_id bigint  not null,
  from_issue bigint  not null,
  to_issue   bigint  not null,
  -- True: back to `to_issue`, and only the events that came from it.
  is_return  boolean not null,
  primary key (project_id, from_issue, to_issue)
);

-- Files that came with events; the bytes are in the object store, and go when the row goes.
create table attachments (
  project_id      bigint      not null,
  event_id        uuid        not null,
  attachment_id   uuid        not null,
  "timestamp"     timestamptz not null,
  received_at     timestamptz not null,
  filename        text        not null,
  content_type    text        not null,
  attachment_type text        not null,
  size_bytes      bigint      not null,
  blob_key        text        not null,
  primary key (project_id, event_id, attachment_id)
);

create table feedback (
  project_id  bigint      not null,
  feedback_id uuid        not null,
  "timestamp" timestamptz not null,
  received_at timestamptz not null,
  -- The error it is about.
  event_id    uuid,
  message     text        not null,
  name        text        not null default '',
  email       text        not null default '',
  url         text        not null default '',
  source      text        not null default '',
  platform    text        not null default 'other',
  environment text        collate "C" not null default '',
  release     text        collate "C" not null default '',
  user_key    text        collate "C",
  trace_id    uuid,
  span_id     text        collate "C",
  is_resolved boolean     not null default false,
  payload     text        not null default '{}',
  primary key (project_id, feedback_id)
);
create index feedback_by_time on feedback (project_id, "timestamp" desc, feedback_id);
create index feedback_by_event on feedback (project_id, event_id) where event_id is not null;
