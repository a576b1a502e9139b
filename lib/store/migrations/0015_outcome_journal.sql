-- Outcomes are appended by commits and added up for many of them at once: if each added to the rows of its hour and
-- its day, all would wait for one another.
create table outcome_journal (
  project_id bigint      not null,
  hour       timestamptz not null,
  category   text        not null,
  kind       text        not null,
  reason     text        not null,
  quantity   bigint      not null
);

alter table outcomes rename to outcome_hours;

-- What readers see: all that is committed, whether it is added up or not.
create view outcomes as
select project_id, hour, category, kind, reason, sum(quantity)::bigint as quantity
from (
  select project_id, hour, category, kind, reason, quantity from outcome_hours
  union all
  select project_id, hour, category, kind, reason, quantity from outcome_journal
) as counted
group by 1, 2, 3, 4, 5;

create view outcomes_by_day as
select project_id, day, category, kind, reason, sum(quantity)::bigint as quantity
from (
  select project_id, day, category, kind, reason, quantity from outcome_days
  union all
  select project_id, (hour at time zone 'UTC')::date, category, kind, reason, quantity
  from outcome_journal
) as counted
group by 1, 2, 3, 4, 5;

-- Counts of transactions are added up when the oldest has waited for a while, whoever appended it.
alter table stat_journal add column appended_at timestamptz not null default now();
