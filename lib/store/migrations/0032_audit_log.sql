-- The audit log is read by project and by target as well, and by event over the whole instance.
create index on audit_entries (organization_id, project_id, id desc);
create index on audit_entries (event, id desc);

-- Nobody changes what is written, whatever they can do in the app; what is old enough goes.
create function keep_audit_entries() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and old.at < now() - interval '400 days' then
    return old;
  end if;
  raise exception 'Audit entries cannot be changed, and are kept for 400 days';
end $$;
create trigger kept before update or delete on audit_entries
  for each row execute function keep_audit_entries();
create trigger kept_whole before truncate on audit_entries
  for each statement execute function keep_audit_entries();

-- Where an organization wants its entries sent; the secret that signs them is sealed.
create table audit_webhooks (
  organization_id bigint      not null primary key,
  url             text        not null,
  sealed          bytea       not null,
  created_at      timestamptz not null default now(),
  -- Of the last entry that was taken.
  delivered_at    timestamptz,
  -- What went wrong at the last attempt; '' for nothing.
  last_error      text        not null default '',
  failed_at       timestamptz,
  -- In a row; says how long the next attempt waits.
  failures        int         not null default 0,
  due_at          timestamptz not null default now()
);

-- Entries that wait to be sent, in the order in which they were stored: the first of an organization is its cursor.
create table audit_outbox (
  seq             bigint not null generated always as identity primary key,
  organization_id bigint not null,
  entry_id        uuid   not null
);
create index on audit_outbox (organization_id, seq);
