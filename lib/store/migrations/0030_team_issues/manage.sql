-- Managing issues: splitting, discarding and deleting them, and showing them to people without an account.

-- The group hash that an event was filed by, so that a group can be taken out of its issue; null before this schema,
-- where the payload tells.
alter table events add column group_hash uuid;

-- Groups whose events are dropped. The hashes of a discard are in issue_hashes as those of the issue -id: whoever
-- looks up the issue of an event learns of it without a further question.
create sequence discard_ids as bigint;
create table discards (
  project_id      bigint      not null,
  id              bigint      not null default nextval('discard_ids'),
  -- Of the issue, as it was.
  type            text        not null,
  title           text        not null,
  culprit         text        not null,
  level           text        not null,
  discarded_by    text        not null,
  discarded_at    timestamptz not null,
  -- Events since then.
  times_dropped   bigint      not null default 0,
  last_dropped_at timestamptz,
  primary key (project_id, id)
) with (fillfactor = 80);

-- Issues that are deleted, until nothing of them is left. Their rows stay for a while as merged into issue 0, which does
-- not exist: what hides merged issues hides them, and a writer that still holds one of them notices.
create table deleted_issues (
  project_id bigint      not null,
  issue_id   bigint      not null,
  deleted_at timestamptz not null,
  deleted_by text        not null,
  -- What its hashes belong to now; null: to nothing.
  discard_id bigint,
  -- When all that was stored of it had gone for the first time.
  purged_at  timestamptz,
  primary key (project_id, issue_id)
);

-- Groups on their way out of an issue: their events follow in batches, in the order of their time.
create table issue_splits (
  project_id  bigint      not null,
  to_issue    bigint      not null,
  from_issue  bigint      not null,
  hashes      uuid[]      not null,
  -- Issues that were merged into it and can be taken out no more, because some of their groups went.
  frozen      bigint[]    not null,
  created_at  timestamptz not null,
  -- The event looked at last.
  cursor_time timestamptz,
  cursor_id   uuid,
  -- Null: not all events have followed. Afterwards the newest are looked at once more, at this time: a writer may have
  -- been under way.
  settles_at  timestamptz,
  primary key (project_id, to_issue)
);
create index issue_splits_by_source on issue_splits (project_id, from_issue);

-- Links by which anybody may look at an issue.
create table issue_shares (
  project_id  bigint      not null,
  -- 32 hex digits that nobody guesses.
  id          uuid        not null,
  issue_id    bigint      not null,
  created_by  text        not null,
  created_at  timestamptz not null,
  expires_at  timestamptz not null,
  with_source boolean     not null,
  primary key (project_id, id)
);
create index issue_shares_by_issue on issue_shares (project_id, issue_id);
