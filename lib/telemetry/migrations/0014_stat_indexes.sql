-- For what expires alone. As a tree it misleads the planner: it looks cheap for the days of a page, and reads all kinds.
drop index stat_days_by_time;
create index stat_days_by_time on stat_days using brin ("timestamp");

-- A page has visits of many kinds for each of its vitals: read one vital without the others.
drop index stat_series_by_kind;
create index stat_series_by_name on stat_series (project_id, kind, name, op);
