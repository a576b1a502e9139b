-- Outcomes by UTC day, for Usage: a month of a large organization is millions of hours, and thousands of days.
create table outcome_days (
  project_id bigint not null,
  day        date   not null,
  category   text   not null,
  kind       text   not null,
  reason     text   not null default '',
  quantity   bigint not null,
  primary key (project_id, day, category, kind, reason)
) with (fillfactor = 60);

insert into outcome_days
select project_id, (hour at time zone 'UTC')::date, category, kind, reason, sum(quantity)
from outcomes group by 1, 2, 3, 4, 5;
