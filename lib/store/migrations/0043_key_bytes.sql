-- Bytes of accepted requests as they were sent: what a quota by bytes counts.
alter table key_hours add column bytes bigint not null default 0;
