-- When the registrations of watched domains end, as their registries say: asked once a day for all monitors of a project.
create table uptime_domains (
  project_id bigint      not null,
  -- As `example.co.uk`.
  domain     text        collate "C" not null,
  -- When the registry is asked again.
  due_at     timestamptz not null,
  -- Null: no registry has told.
  ends_at    timestamptz,
  primary key (project_id, domain)
);
create index uptime_domains_by_time on uptime_domains (due_at);

alter table uptime_monitors
  -- The registered domain of what is checked; '' for none.
  add column domain           text not null default '' collate "C",
  -- Of which end of it channels were told last, and at how many days.
  add column told_domain_end  timestamptz,
  add column told_domain_days integer;
