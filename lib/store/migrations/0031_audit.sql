-- Who changed what: written once, in the transaction of the change or from the control store, and deleted by age alone.
create table audit_entries (
  -- UUID version 7: in order of time, and made where the change was made, so that moving it twice stores it once.
  id              uuid        not null primary key,
  at              timestamptz not null,
  -- Null for what concerns the whole instance or a person alone.
  organization_id bigint,
  project_id      bigint,
  event           text        not null,
  actor_kind      text        not null,
  actor_id        text,
  actor_label     text        not null,
  address         text,
  user_agent      text,
  request_id      text,
  target_kind     text        not null,
  target_id       text        not null,
  target_label    text        not null,
  -- {"field": [before, after]}, secrets replaced.
  changes         jsonb       not null
);

create index on audit_entries (organization_id, id desc);
create index on audit_entries (organization_id, event, id desc);
create index on audit_entries (organization_id, actor_label, id desc);
create index on audit_entries (at);
