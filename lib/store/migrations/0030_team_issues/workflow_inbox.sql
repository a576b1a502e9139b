-- Since when nobody has to look at an issue any more; '-infinity': somebody has asked for a look. See workflow/inbox.ts.
alter table issues add column reviewed_at timestamptz;
-- What was done in projects, the newest first.
create index issue_activity_by_id on issue_activity (project_id, id desc);
