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
  primary key (project_id, id)
) with (fillfactor = 60);
create index issues_by_day on issues (project_id, status, last_seen_on);

-- Which issue a group hash belongs to, whatever version of the grouping algorithm made it. The version stays
-- with each hash; a later algorithm adds hashes beside the old ones and never splits an issue.
create table issue_hashes (
  project_id bigint   not null,
  hash       uuid     not null,
  version    smallint not null,
  issue_id   bigint   not null,
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
  payload     text        not null,
  primary key (project_id, issue_id, "timestamp", event_id)
) partition by range ("timestamp");
create index events_by_trace on events (project_id, trace_id) where trace_id is not null;

-- Partitions inherit the setting. Not every build of Postgres has lz4 (PGlite has not): those keep pglz.
do $$
begin
  alter table events alter column payload set compression lz4;
exception when feature_not_supported then
  null;
end $$;

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
  primary key (project_id, hour, environment, release)
) with (fillfactor = 60);

-- Distinct users of an issue, and the issues of a user.
create table issue_users (
  project_id bigint not null,
  issue_id   bigint not null,
  user_key   text   collate "C" not null,
  primary key (project_id, issue_id, user_key)
);
create index issue_users_by_user on issue_users (project_id, user_key);

-- Which issues have seen a tag value (environment, release and transaction among them): search and completion.
-- Written once per day and combination, not per event.
create table issue_tags (
  project_id bigint not null,
  key        text   collate "C" not null,
  value      text   collate "C" not null,
  issue_id   bigint not null,
  last_seen  date   not null,
  primary key (project_id, key, value, issue_id)
) with (fillfactor = 80);
create index issue_tags_by_issue on issue_tags (project_id, issue_id);

-- What became of everything that was sent.
create table outcomes (
  project_id bigint      not null,
  hour       timestamptz not null,
  category   text        not null,
  kind       text        not null,
  reason     text        not null default '',
  quantity   bigint      not null,
  primary key (project_id, hour, category, kind, reason)
) with (fillfactor = 60);
