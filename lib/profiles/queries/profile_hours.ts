/**
 * Profiles added up by hour. A trigger counts what is inserted and deleted, so that the hours are never wrong; here they
 * are joined, made for profiles from before there were hours, and read together with the profiles at both ends of a time.
 */
import type postgres from "postgres";
import { storable } from "../../core/errors.ts";
import { HOUR_MS } from "../../core/time.ts";
import type { Queryable, Sql } from "../../store/database.ts";
import { inScope } from "../../store/query_limits.ts";
import { placeOf, type ProfileQuery, type ProfileSelection, selected } from "./profile_query.ts";

/**
 * Profiles of a query as rows of one form, each of one place of `types`: `time, service, kind, platform, environment,
 * release, is_delta, types, place, total, filled, profiles, bytes, first_seen, last_seen`. Whole hours come added up, with
 * their beginning as `time`, where the query asks for nothing that they do not tell.
 */
export function profileParts(sql: Queryable, query: ProfileQuery): postgres.Fragment {
  const { start, end } = query;
  if (!isToldByHours(query)) return ofProfiles(sql, query);
  const first = hourOf(new Date(start.getTime() + HOUR_MS - 1));
  const last = hourOf(end);
  const from = sql`(select greatest(hour, ${first}::timestamptz) from profile_hours_since)`;
  return sql`
    select hour as time, service, kind, platform, environment, release, is_delta, types, place,
      total, filled, profiles, bytes, first_seen, last_seen
    from profile_hours
    where project_id = ${query.projectId} and hour >= ${from} and hour < ${last}
      ${inScope(sql, query)}
      ${
    query.services.length === 0
      ? sql``
      : sql`and service = any (${query.services.map(storable)}::text[])`
  }
      ${query.kind === undefined ? sql`` : sql`and kind = ${query.kind}`}
    union all (${ofProfiles(sql, query, sql`and "timestamp" < ${from}`)})
    union all (${
    ofProfiles(sql, { ...query, start: later(start, last) }, sql`and "timestamp" >= ${from}`)
  })
  `;
}

function ofProfiles(
  sql: Queryable,
  query: ProfileQuery,
  more: postgres.Fragment = sql``,
): postgres.Fragment {
  return sql`
    select "timestamp" as time, service, kind, platform, environment, release, is_delta, types,
      place::integer, total::numeric, (total <> 0)::integer::bigint as filled, 1::bigint as profiles,
      size_bytes::numeric as bytes, "timestamp" as first_seen, "timestamp" as last_seen
    from (
      select * from profiles where ${selected(sql, { ...query, type: undefined })} ${more}
    ) as found, unnest(totals) with ordinality as value (total, place)
  `;
}

/** How many profiles of a selection there are; null where hours do not tell. @param onlyDelta as `readMergeRows()` */
export async function countByHours(
  sql: Queryable,
  selection: ProfileSelection,
  onlyDelta: boolean,
): Promise<number | null> {
  if (!isToldByHours(selection)) return null;
  const [row] = await sql<{ count: string }[]>`
    select coalesce(sum(profiles), 0) as count from (${profileParts(sql, selection)}) as parts
    where place = ${placeOf(sql, selection.type)} ${onlyDelta ? sql`and is_delta` : sql``}
  `;
  return Number(row?.count ?? 0);
}

/** Hours know nothing of what tells single profiles and samples apart. */
function isToldByHours(query: ProfileQuery): boolean {
  const { transaction, labels = [], profileIds, profilerId, traceId, spanId, clip } = query;
  const own = [transaction, profileIds, profilerId, traceId, spanId];
  return !clip && labels.length === 0 && own.every((value) => value === undefined);
}

/** The hour that a time is in. */
export function hourOf(time: Date): Date {
  return new Date(Math.floor(time.getTime() / HOUR_MS) * HOUR_MS);
}

function later(a: Date, b: Date): Date {
  return a > b ? a : b;
}

/** Hours that are joined at once. */
const HOURS_A_BATCH = 100;

/**
 * Joins rows of the same kind of the hours to which some came. Those that went by being counted down are gone after it.
 *
 * @returns whether there may be more of them
 */
export async function joinHours(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ count: number }[]>`
    with due as (
      select distinct project_id, hour from profile_hours where not is_joined limit ${HOURS_A_BATCH}
    ),
    gone as (
      delete from profile_hours using due
      where profile_hours.project_id = due.project_id and profile_hours.hour = due.hour
      returning profile_hours.*
    ),
    joined as (
      insert into profile_hours
      select project_id, hour, service, kind, platform, environment, release, is_delta, types, place,
        sum(total), sum(filled), sum(profiles), sum(bytes),
        min(first_seen) filter (where profiles > 0), max(last_seen) filter (where profiles > 0), true
      from gone
      group by project_id, hour, service, kind, platform, environment, release, is_delta, types, place
      having sum(profiles) > 0
    )
    select count(*)::integer as count from due
  `;
  // To the hour that goes on some come all the time: it is joined once.
  return row?.count === HOURS_A_BATCH;
}

/**
 * Counts the newest hour of those that are not counted yet. Nobody stores profiles while it is at it, which takes some
 * milliseconds.
 *
 * @returns whether there may be more of them
 */
export async function countHourBefore(sql: Sql): Promise<boolean> {
  const [known] = await sql`select 1 from profile_hours_since where hour > '-infinity'`;
  if (known === undefined) return false;
  return await sql.begin(async (tx) => {
    // Whoever stores at this moment is done with it then, and whoever comes after sees the earlier hour.
    await tx`lock table profiles in share row exclusive mode`;
    const [counted] = await tx<{ since: Date }[]>`
      select hour as since from profile_hours_since where hour > '-infinity' for update
    `;
    if (counted === undefined) return false;
    const { since } = counted;
    const [newest] = await tx<{ hour: Date | null }[]>`
      select date_trunc('hour', max("timestamp"), 'UTC') as hour from profiles where "timestamp" < ${since}
    `;
    const hour = newest?.hour ?? null;
    if (hour === null) {
      await tx`update profile_hours_since set hour = '-infinity'`;
      return false;
    }
    await tx`
      insert into profile_hours
      select project_id, ${hour}::timestamptz, service, kind, platform, environment, release, is_delta,
        types, place, sum(total), count(*) filter (where total <> 0), count(*), sum(size_bytes),
        min("timestamp"), max("timestamp"), true
      from profiles, unnest(totals) with ordinality as value (total, place)
      where "timestamp" >= ${hour} and "timestamp" < ${new Date(hour.getTime() + HOUR_MS)}
        and "timestamp" < ${since}
      group by project_id, service, kind, platform, environment, release, is_delta, types, place
    `;
    await tx`update profile_hours_since set hour = ${hour}`;
    return true;
  });
}
