-- Versions of a project's programs: made by a tool before they run, or by the first event that names them.
create sequence release_ids as bigint;

create table releases (
  project_id    bigint      not null,
  version       text        collate "C" not null,
  id            bigint      not null default nextval('release_ids'),
  -- Versions in their order, as text; null where the name has none: those are in the order of time.
  sort_key      text        collate "C",
  ref           text        not null default '',
  url           text        not null default '',
  -- open, archived
  status        text        not null default 'open',
  -- tool, event
  made_by       text        not null,
  -- As a tool told them: [{"repository", "commit", "previousCommit"}].
  refs          jsonb       not null default '[]',
  commit_count  integer     not null default 0,
  created_at    timestamptz not null default now(),
  released_at   timestamptz,
  -- To the hour: what is exact stands in the counts.
  first_event   timestamptz,
  last_event    timestamptz,
  primary key (project_id, version)
) with (fillfactor = 80);
create index releases_by_time on releases (project_id, created_at desc);
create index releases_expiring on releases (created_at);

-- Those that were heard of before; their order follows with their next event.
insert into releases (project_id, version, made_by, created_at, first_event, last_event)
select project_id, release, 'event', min(hour), min(hour), max(hour)
from (
  select project_id, release, hour from project_hours where release <> ''
  union all
  select project_id, release, hour from session_hours where release <> ''
) as heard
group by project_id, release;

-- What is to be known of issues that a release was the first to have.
create index issues_by_first_release on issues (project_id, first_release) where first_release <> '';

-- Where commits are from, by the name that tools give.
create sequence repository_ids as bigint;

create table repositories (
  organization_id bigint      not null,
  id              bigint      not null default nextval('repository_ids'),
  name            text        collate "C" not null,
  url             text        not null default '',
  created_at      timestamptz not null default now(),
  primary key (organization_id, id)
);
create unique index repositories_by_name on repositories (organization_id, name);

create table commits (
  project_id    bigint      not null,
  -- 0 for none.
  repository_id bigint      not null,
  commit_id     text        collate "C" not null,
  organization_id bigint    not null,
  author_name   text        not null default '',
  author_email  text        not null default '',
  message       text        not null default '',
  committed_at  timestamptz not null,
  primary key (project_id, repository_id, commit_id)
);

-- What a commit changed.
create table commit_files (
  project_id    bigint not null,
  repository_id bigint not null,
  commit_id     text   collate "C" not null,
  path          text   collate "C" not null,
  -- A, M, D
  change        text   not null,
  primary key (project_id, repository_id, commit_id, path)
);

create table release_commits (
  project_id    bigint  not null,
  version       text    collate "C" not null,
  -- From 0, as the tool listed them: the newest first.
  place         integer not null,
  repository_id bigint  not null,
  commit_id     text    collate "C" not null,
  primary key (project_id, version, place)
);
create index release_commits_by_commit on release_commits (project_id, repository_id, commit_id);

-- Issues that a commit of a release says it fixes, by their short ids.
create table release_fixes (
  project_id    bigint      not null,
  version       text        collate "C" not null,
  short_id      text        collate "C" not null,
  repository_id bigint      not null,
  commit_id     text        collate "C" not null,
  -- When the issue was resolved by it; null as long as it was not.
  applied_at    timestamptz,
  primary key (project_id, version, short_id)
);

create sequence deploy_ids as bigint;

create table deploys (
  project_id  bigint      not null,
  id          bigint      not null default nextval('deploy_ids'),
  version     text        collate "C" not null,
  environment text        collate "C" not null,
  name        text        not null default '',
  url         text        not null default '',
  started_at  timestamptz,
  finished_at timestamptz not null,
  primary key (project_id, id)
);
create index deploys_by_time on deploys (project_id, finished_at desc);
create index deploys_by_release on deploys (project_id, version, finished_at desc);
