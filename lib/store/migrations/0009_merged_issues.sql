-- Issues that a person has merged into another. The merged one is hidden and keeps its own figures, so that it can
-- be taken out again; what it brought to the other is marked with its id.
alter table issues
  add column merged_into bigint,
  add column merged_at   timestamptz;
create index issues_by_merged_into on issues (project_id, merged_into) where merged_into is not null;

alter table issue_hashes add column merged_from bigint;
alter table issue_users add column merged_from bigint;
alter table issue_tags add column merged_from bigint;
alter table events add column merged_from bigint;

-- Events that still have to follow a merge, or the end of one: there may be many, so they move in batches.
create table issue_moves (
  project_id bigint  not null,
  from_issue bigint  not null,
  to_issue   bigint  not null,
  -- True: back to `to_issue`, and only the events that came from it.
  is_return  boolean not null,
  primary key (project_id, from_issue, to_issue)
);
