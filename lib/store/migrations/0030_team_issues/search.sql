-- What stacks and exceptions of issues say, so that a search looks into them. Issues share most of their frames: each
-- text is there once for a project, in lower case, and a search reads these few instead of all events. Steady traffic
-- writes none of it.
create table search_texts (
  project_id bigint   not null,
  -- Made of kind and text.
  id         bigint   not null,
  -- 0: the value of an exception, or a message; 1: a frame, its function, filename, module, abs_path and package on a
  -- line each; 2: the number of a line in a frame of the application.
  kind       smallint not null,
  text       text     collate "C" not null,
  -- The newest day on which an issue was found to have it. Texts that no issue has any more go after the retention.
  seen_on    date     not null,
  primary key (project_id, id)
);

create table issue_texts (
  project_id  bigint not null,
  text_id     bigint not null,
  issue_id    bigint not null,
  -- As that of issue_tags.
  merged_from bigint,
  primary key (project_id, text_id, issue_id)
);
create index issue_texts_by_issue on issue_texts (project_id, issue_id);
