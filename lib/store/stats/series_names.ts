import { DAY_MS } from "../../core/time.ts";
import { storable } from "../../core/errors.ts";
import type { Queryable, Sql } from "../database.ts";
import { distinctCount } from "./distinct.ts";
import { foldForReading } from "./fold_stats.ts";
import { SERIES_KINDS } from "./series.ts";

/** Names of a project that a picker offers. */
const MAX_NAMES = 200;
/** Names that were not seen for longer are no longer offered. */
const NAMES_SINCE = "90 days";
/** Names of transactions: as many as a browser offers at once. */
const MAX_TRANSACTION_NAMES = 300;
/** More than a list of endpoints has. */
const MAX_ROUTES = 20_000;
/** More releases than a chart can show apart. */
const MAX_STARTS = 20;

/** Environments of a project's errors and transactions in the last 90 days, by name. */
export async function environmentsOf(sql: Sql, projectId: string): Promise<string[]> {
  const rows = await sql<{ environment: string }[]>`
    select environment from project_hours
    where project_id = ${projectId} and hour > now() - ${NAMES_SINCE}::interval and environment <> ''
    union
    select environment from stat_series
    where project_id = ${projectId} and kind = ${SERIES_KINDS.total}
      and seen_on > now() - ${NAMES_SINCE}::interval and environment <> ''
    order by environment
    limit ${MAX_NAMES}
  `;
  return rows.map(({ environment }) => environment);
}

/** Releases of a project's errors and transactions in the last 90 days, the most recently seen first. */
export async function releasesOf(sql: Sql, projectId: string): Promise<string[]> {
  const rows = await sql<{ release: string }[]>`
    select release from (
      select release, max(hour) as seen from project_hours
      where project_id = ${projectId} and hour > now() - ${NAMES_SINCE}::interval and release <> ''
      group by release
      union all
      select release, max(seen_on) from stat_series
      where project_id = ${projectId} and kind = ${SERIES_KINDS.total}
        and seen_on > now() - ${NAMES_SINCE}::interval and release <> ''
      group by release
    ) as named
    group by release order by max(seen) desc, release desc
    limit ${MAX_NAMES}
  `;
  return rows.map(({ release }) => release);
}

/** Services that sent transactions in the last 90 days, by name. */
export async function servicesOf(sql: Sql, projectId: string): Promise<string[]> {
  const rows = await sql<{ service: string }[]>`
    select distinct service from stat_series
    where project_id = ${projectId} and kind = ${SERIES_KINDS.total}
      and seen_on > now() - ${NAMES_SINCE}::interval and service <> ''
    order by service
    limit ${MAX_NAMES}
  `;
  return rows.map(({ service }) => service);
}

/** Names of transactions of the last seven days, by name; not all of them where there are many. */
export async function transactionNames(sql: Queryable, projectId: string): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select distinct name from stat_series
    where project_id = ${projectId} and kind = ${SERIES_KINDS.transaction_whole}
      and seen_on > (now() - interval '7 days')::date and name <> ''
    order by name
    limit ${MAX_TRANSACTION_NAMES}
  `;
  return rows.map(({ name }) => name);
}

/** Routes of transactions that ever answered requests of a method, in no order; not all of them where there are very many. */
export async function routesOf(
  sql: Sql,
  projectId: string,
  method: string,
): Promise<string[]> {
  await foldForReading(sql);
  const rows = await sql<{ route: string }[]>`
    select distinct route from stat_series
    where project_id = ${projectId} and kind = ${SERIES_KINDS.transaction_whole}
      and http_method = ${storable(method)} and route <> ''
    limit ${MAX_ROUTES}
  `;
  return rows.map(({ route }) => route);
}

/** What was counted under the common name, because a project used too many names. */
export interface Folded {
  readonly transactions: number;
  /** How many names they would have had: exact below 256, else an estimate. */
  readonly names: number;
  /** One of them. */
  readonly example: string;
}

/** What was folded within a stretch of time, or null when nothing was. */
export async function readFolded(
  sql: Sql,
  projectId: string,
  { start, end }: { readonly start: Date; readonly end: Date },
): Promise<Folded | null> {
  await foldForReading(sql);
  const [row] = await sql<{ transactions: string | null; names: Uint8Array; example: string }[]>`
    select
      sum(transactions) as transactions, string_agg(names, ''::bytea) as names,
      (array_agg(example order by hour desc))[1] as example
    from folded_names
    where project_id = ${projectId} and hour > ${start}::timestamptz - interval '1 hour'
      and hour < ${end}
  `;
  if (row === undefined || row.transactions === null) return null;
  return {
    transactions: Number(row.transactions),
    names: distinctCount(row.names),
    example: row.example,
  };
}

/** When a release was first seen within a stretch of time, to the hour. */
export interface ReleaseStart {
  readonly release: string;
  readonly at: Date;
}

/** The releases whose first transactions came within a stretch of time, the newest first. */
export async function releaseStarts(
  sql: Sql,
  projectId: string,
  { start, end }: { readonly start: Date; readonly end: Date },
): Promise<ReleaseStart[]> {
  // Days tell which releases are new; hours, of those alone, when they began.
  const fresh = await sql<{ release: string; series: string[]; day: Date }[]>`
    select release, array_agg(distinct series.series_id)::text[] as series, min("timestamp") as day
    from stat_days as counted
    join stat_series as series
      on series.project_id = ${projectId} and series.series_id = counted.series_id
    where counted.project_id = ${projectId} and counted.kind = ${SERIES_KINDS.total} and release <> ''
    group by release
    having min("timestamp") >= date_trunc('day', ${start}::timestamptz, 'UTC')
      and min("timestamp") < ${end}
    order by day desc
    limit ${MAX_STARTS}
  `;
  if (fresh.length === 0) return [];
  // One part for each, whose day is known to the planner: it looks at no other partition. A plan for any days, which it
  // would try once on each connection, knows all of them in every part.
  return await sql.begin(async (tx) => {
    const starts = fresh.map(({ release, series, day }) =>
      tx`
        select ${release}::text as release, min("timestamp") as at from stat_hours
        where project_id = ${projectId} and kind = ${SERIES_KINDS.total}
          and series_id = any (${series}::text[]::bigint[])
          and "timestamp" >= ${day} and "timestamp" < ${new Date(day.getTime() + DAY_MS)}
      `
    ).reduce((all, part) => tx`${all} union all ${part}`);
    // Sent one after the other without waiting.
    const [, found] = await Promise.all([
      tx`select set_config('plan_cache_mode', 'force_custom_plan', true)`,
      tx<ReleaseStart[]>`
        select release, at from (${starts}) as starts
        where at > ${start} and at < ${end}
        order by at desc
      `,
    ]);
    return found;
  });
}
