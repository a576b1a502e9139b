-- Whether an import takes the settings that are in the file, which needs more rights than its data do.
alter table transfers add column takes_settings boolean not null default false;
