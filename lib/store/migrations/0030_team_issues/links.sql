-- Where a project's issues are tracked elsewhere: GitHub, Jira and their like. What is secret (token, secret of the
-- webhook) is sealed.
create table tracker_connections (
  project_id    bigint      not null,
  connection_id uuid        not null,
  -- github, gitlab, gitea, jira, youtrack, custom
  type          text        not null,
  name          text        not null,
  -- Address, repository or project, labels and so on: nothing that is secret.
  settings      jsonb       not null,
  sealed        bytea       not null,
  -- Since when an issue that is resolved here is closed there; null: it is not.
  closes_since  timestamptz,
  -- The last time that the tracker was asked or has told something, and what went wrong then; '' for nothing.
  asked_at      timestamptz,
  last_error    text        not null default '',
  heard_at      timestamptz,
  created_at    timestamptz not null,
  updated_at    timestamptz not null,
  updated_by    text        not null,
  primary key (project_id, connection_id)
);

create table issue_links (
  project_id    bigint      not null,
  issue_id      bigint      not null,
  id            bigint      not null generated always as identity,
  -- Null for an address that belongs to none of the project's trackers, or whose tracker was removed.
  connection_id uuid,
  -- As people say it there: owner/repo#12, OPS-7.
  key           text        not null,
  url           text        not null,
  title         text        not null default '',
  -- open, closed; unknown where nobody has told
  state         text        not null default 'unknown' check (state in ('open', 'closed', 'unknown')),
  -- When it got this state, by the tracker's own clock: what comes late changes nothing.
  state_at      timestamptz,
  -- E-mail address; '' for a token of the instance.
  created_by    text        not null,
  created_at    timestamptz not null,
  -- Closing it after the issue was resolved at that time; see errors/links/closing.ts.
  closes_for    timestamptz,
  attempts      integer     not null default 0,
  due_at        timestamptz not null default '-infinity',
  close_error   text        not null default '',
  primary key (project_id, id)
);
create unique index issue_links_of_issue on issue_links (project_id, issue_id, url);
create index issue_links_by_key on issue_links (project_id, connection_id, key);
create index issue_links_open on issue_links (project_id, connection_id) where state <> 'closed' and connection_id is not null;

-- What trackers have told: the same is not taken twice.
create table tracker_deliveries (
  project_id    bigint      not null,
  connection_id uuid        not null,
  -- As the tracker names it, or of its bytes.
  delivery_id   text        collate "C" not null,
  received_at   timestamptz not null,
  primary key (project_id, connection_id, delivery_id)
);
create index tracker_deliveries_by_time on tracker_deliveries (received_at);

-- Which repository the files of stack frames come from.
create table code_mappings (
  project_id     bigint      not null,
  id             bigint      not null generated always as identity,
  -- As releases name it: owner/repo.
  repository     text        not null,
  -- github, gitlab, gitea, bitbucket, custom
  host           text        not null,
  -- With {commit}, {path} and {line}.
  url_template   text        not null,
  stack_root     text        not null,
  source_root    text        not null,
  default_branch text        not null,
  created_at     timestamptz not null,
  updated_at     timestamptz not null,
  updated_by     text        not null,
  primary key (project_id, id)
);
create unique index code_mappings_by_root on code_mappings (project_id, stack_root, source_root, repository);
