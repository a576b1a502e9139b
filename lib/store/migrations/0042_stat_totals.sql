-- Spans by category and web vitals of all pages are counted as such from this day on. The clock moves it back, day by day,
-- over those from before (see stats/totals.ts). It begins when no process of an earlier version adds up counts any more.
create table stat_totals_since (
  is_only boolean     primary key default true check (is_only),
  day     timestamptz not null
);
insert into stat_totals_since (day)
select case when exists (select 1 from stat_series)
  then date_trunc('day', now(), 'UTC') + interval '2 days' else '-infinity' end;
