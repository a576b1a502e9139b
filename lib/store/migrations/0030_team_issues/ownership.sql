-- Who owns the code that errors come from: rules, CODEOWNERS, and what they say of issues.

create table ownership_rules (
  project_id      bigint      primary key,
  -- As it was entered.
  raw             text        not null default '',
  -- As Sentry has it; channels of alerts say themselves who hears of what nobody owns.
  fallthrough     boolean     not null default true,
  auto_assignment text        not null default 'owner' check (auto_assignment in ('owner', 'suspect', 'off')),
  auto_sync       boolean     not null default true,
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  -- E-mail address; '' for a token of the instance.
  updated_by      text        not null default ''
);

create sequence codeowners_ids as bigint;
create table codeowners (
  project_id      bigint      primary key,
  id              bigint      not null default nextval('codeowners_ids'),
  raw             text        not null,
  -- Of a code mapping that may be gone; null: paths are those of the repository.
  code_mapping_id bigint,
  -- {"@name": "mail address or #team"}
  names           jsonb       not null default '{}',
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  updated_by      text        not null default ''
);

-- Whom rules and suspect commits suggest for an issue, the first first.
create table issue_owners (
  project_id bigint      not null,
  issue_id   bigint      not null,
  owner_kind text        not null check (owner_kind in ('user', 'team')),
  -- A UUID of a person, a number of a team.
  owner_id   text        not null,
  place      smallint    not null,
  source     text        not null check (source in ('rule', 'codeowners', 'suspect')),
  -- The rule as it was, or the id of the commit.
  reason     text        not null,
  created_at timestamptz not null,
  -- Whether they have been told of the new issue.
  is_told    boolean     not null default true,
  primary key (project_id, issue_id, owner_kind, owner_id)
);
create index issue_owners_by_owner on issue_owners (project_id, owner_kind, owner_id);
create index issue_owners_to_tell on issue_owners (created_at) where not is_told;

-- When the owners of an issue were last worked out.
create table issue_owner_checks (
  project_id bigint      not null,
  issue_id   bigint      not null,
  checked_at timestamptz not null,
  primary key (project_id, issue_id)
);
