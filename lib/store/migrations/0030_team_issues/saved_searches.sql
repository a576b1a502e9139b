-- Searches of issues that people keep: under a name, as what a project's list begins with, and those of late. Queries
-- are of the issue search, and of an organization, since a search can go over several projects.
create sequence saved_search_ids as bigint;

create table saved_searches (
  organization_id bigint      not null,
  id              bigint      not null default nextval('saved_search_ids'),
  -- A UUID of a person.
  owner_id        text        not null,
  -- Everybody in the organization sees it; else its owner alone.
  is_shared       boolean     not null,
  name            text        not null,
  query           text        not null,
  -- As the list of issues names its orders.
  sort            text        not null,
  created_at      timestamptz not null default now(),
  primary key (organization_id, id)
);
create index saved_searches_by_owner on saved_searches (organization_id, owner_id);

-- What a person wants the list of a project to begin with.
create table pinned_searches (
  -- 0: every project of the organization that has none of its own.
  project_id      bigint      not null,
  organization_id bigint      not null,
  user_id         text        not null,
  id              bigint      not null default nextval('saved_search_ids'),
  query           text        not null,
  sort            text        not null,
  pinned_at       timestamptz not null default now(),
  primary key (project_id, organization_id, user_id)
);

create table recent_searches (
  organization_id bigint      not null,
  user_id         text        not null,
  query           text        not null,
  id              bigint      not null default nextval('saved_search_ids'),
  created_at      timestamptz not null default now(),
  searched_at     timestamptz not null default now(),
  primary key (organization_id, user_id, query)
);
