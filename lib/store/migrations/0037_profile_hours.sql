-- Profiles added up by hour: what charts and lists of services count over weeks. Rows are appended by the statements that
-- insert and delete profiles, negative ones for those that go; a clock joins them, see profiles/queries/profile_hours.ts.
create table profile_hours (
  project_id  bigint      not null,
  hour        timestamptz not null,
  service     text        collate "C" not null,
  kind        text        not null,
  platform    text        not null,
  environment text        collate "C" not null,
  release     text        collate "C" not null,
  is_delta    boolean     not null,
  types       text[]      not null,
  -- Of the type at this place of `types`, from 1: a row each.
  place       integer     not null,
  total       numeric     not null,
  -- Profiles whose total is not 0.
  filled      bigint      not null,
  profiles    bigint      not null,
  bytes       numeric     not null,
  first_seen  timestamptz not null,
  last_seen   timestamptz not null,
  -- Whether there is one row of its kind in its hour, for all that the clock has seen.
  is_joined   boolean     not null default false
);
create index profile_hours_by_time on profile_hours (project_id, hour);
create index profile_hours_apart on profile_hours (project_id, hour) where not is_joined;

-- From which hour on profiles are counted there. The clock moves it back, hour by hour, over those from before.
create table profile_hours_since (
  is_only boolean     primary key default true check (is_only),
  hour    timestamptz not null
);
insert into profile_hours_since (hour)
select case when exists (select 1 from profiles) then date_trunc('hour', now(), 'UTC') + interval '1 hour' else '-infinity' end;

create function count_profile_hours() returns trigger language plpgsql as $$
declare
  sign constant integer := case tg_op when 'DELETE' then -1 else 1 end;
begin
  insert into profile_hours
  select project_id, hour, service, kind, platform, environment, release, is_delta, types, place,
    sum(total) * sign, count(*) filter (where total <> 0) * sign, count(*) * sign,
    sum(size_bytes) * sign, min("timestamp"), max("timestamp")
  from (select *, date_trunc('hour', "timestamp", 'UTC') as hour from changed) as profiles,
    unnest(totals) with ordinality as value (total, place)
  where hour >= (select since.hour from profile_hours_since as since)
  group by project_id, hour, service, kind, platform, environment, release, is_delta, types, place;
  return null;
end
$$;
create trigger profiles_counted after insert on profiles
  referencing new table as changed for each statement execute function count_profile_hours();
create trigger profiles_uncounted after delete on profiles
  referencing old table as changed for each statement execute function count_profile_hours();
