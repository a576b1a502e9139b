-- Whether the report that a run began has arrived: it may come after the one that ended it.
alter table check_ins add column has_begun boolean not null default true;
