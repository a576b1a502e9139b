-- Mails to people about issues: what they are yet to be told of, and mails on their way.

-- Of what was done with issues: whether everybody who wants to know has been told.
alter table issue_activity add column is_told boolean not null default false;
create index issue_activity_to_tell on issue_activity (created_at) where not is_told;

create table mails (
  organization_id bigint      not null,
  -- The same for the same mail, however often it is made: 32 hex digits.
  id              text        not null,
  -- A JSON object: the mail as it goes out.
  mail            text        not null,
  created_at      timestamptz not null,
  -- When it is tried, or tried again.
  due_at          timestamptz not null,
  attempts        integer     not null default 0,
  primary key (organization_id, id)
);
create index mails_by_due_at on mails (due_at);
