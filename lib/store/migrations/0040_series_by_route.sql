-- An endpoint's page finds its series by method and route; without this it reads all series of the project's transactions.
create index stat_series_by_route on stat_series (project_id, kind, http_method, route) where route <> '';
