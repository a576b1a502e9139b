-- For what expires alone. As a tree it misleads the planner: it looks cheap for the days of a page, and reads all kinds.
drop index stat_days_by_time;
create index stat_days_by_time on stat_days using brin ("timestamp");

-- A page has visits of many kinds for each of its vitals: read one vital without the others.
drop index stat_series_by_kind;
create index stat_series_by_name on stat_series (project_id, kind, name, op);

-- What is rare is searched for in these. Most transactions are in none but the first.
create index transactions_by_user on transactions (project_id, lower(user_key)) where user_key is not null;
create index transactions_by_status on transactions (project_id, lower(status)) where status not in ('', 'ok');
create index transactions_by_http_status on transactions (project_id, http_status) where http_status <> 200;
