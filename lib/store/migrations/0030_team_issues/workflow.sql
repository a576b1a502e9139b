-- What a team does with its issues: numbers to speak of them, states, priorities, assignees, and who did what.

alter table issues
  -- In the order of arrival, by project: the short id SHOP-1A is the project's slug and this in base 32.
  add column number             bigint,
  add column substatus          text check (substatus in (
    'new', 'ongoing', 'regressed', 'escalating',
    'archived_until_escalating', 'archived_until_condition_met', 'archived_forever'
  )),
  -- Since when the substatus holds; status_changed_at is since when the status does.
  add column substatus_since    timestamptz,
  add column priority           text not null default 'high' check (priority in ('high', 'medium', 'low')),
  -- Set by hand, and left alone since.
  add column priority_locked_at timestamptz,
  add column assignee_kind      text check (assignee_kind in ('user', 'team')),
  -- A UUID of a person, a number of a team.
  add column assignee_id        text,
  -- Kind of the actor: what a person has chosen no rule changes.
  add column assigned_by        text check (assigned_by in ('user', 'rule', 'release', 'system')),
  -- Of a resolved issue: which release or commit it is resolved in; null: now.
  add column resolution         jsonb,
  -- Of an archived issue: what ends that; null: nothing.
  add column snooze             jsonb;

update issues set
  number = numbered.number,
  substatus = case
    when issues.status = 'ignored' then 'archived_forever'
    when issues.status = 'resolved' then null
    when issues.is_regressed then 'regressed'
    when issues.first_seen > now() - interval '7 days' then 'new'
    else 'ongoing' end,
  substatus_since = status_changed_at,
  priority = case when level in ('info', 'debug') then 'low' when level = 'warning' then 'medium' else 'high' end
from (
  select project_id, id, row_number() over (partition by project_id order by id) as number from issues
) as numbered
where issues.project_id = numbered.project_id and issues.id = numbered.id;
alter table issues drop column is_regressed;

create unique index issues_by_number on issues (project_id, number);
create index issues_by_assignee on issues (project_id, assignee_kind, assignee_id) where assignee_id is not null;
-- What the clock looks at: few of many. No counter is part of it, so counting touches no index.
create index issues_by_state on issues (substatus, substatus_since)
  where substatus in ('new', 'regressed', 'escalating', 'archived_until_escalating', 'archived_until_condition_met');
create index issues_resolved_in on issues (project_id, id) where resolution is not null;

-- The last number given in each project.
create table issue_numbers (
  project_id  bigint primary key,
  last_number bigint not null
);
insert into issue_numbers (project_id, last_number)
select project_id, max(number) from issues group by project_id;

create sequence issue_activity_ids as bigint;

-- What was done with an issue, and by whom; comments are of the type note.
create table issue_activity (
  project_id bigint      not null,
  issue_id   bigint      not null,
  id         bigint      not null default nextval('issue_activity_ids'),
  -- As Sentry names them: set_resolved, assigned, note, …
  type       text        not null,
  -- user, rule, release, system
  actor_kind text        not null,
  -- Of a user or a rule.
  actor_id   text,
  data       jsonb       not null default '{}',
  created_at timestamptz not null,
  -- What was done at once has one number, by which it is taken back.
  change_id  bigint,
  -- How the issue was, as far as this changed it; null: it cannot be taken back.
  before     jsonb,
  primary key (project_id, issue_id, id)
);
-- What came back in a release.
create index issue_activity_regressions on issue_activity (project_id, (data->>'version')) where type = 'set_regression';
create index issue_activity_by_change on issue_activity (project_id, change_id) where change_id is not null;

-- What is true of an issue for one person.
create table issue_people (
  project_id    bigint  not null,
  issue_id      bigint  not null,
  -- A UUID.
  user_id       text    not null,
  seen_at       timestamptz,
  is_bookmarked boolean not null default false,
  -- Why they are told of changes: commented, assigned, bookmarked, changed_status, mentioned, unknown; 'off': they
  -- are not, whatever happens; null: nothing has made them.
  subscription  text,
  primary key (project_id, issue_id, user_id)
);
create index issue_people_by_user on issue_people (project_id, user_id);
