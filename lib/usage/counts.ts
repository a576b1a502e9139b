import type { Category, OutcomeKind } from "../records/mod.ts";
import type { Sql } from "../store/database.ts";
import { dayOf } from "../store/query_limits.ts";

/** How many items came to one end. */
export interface KindQuantity {
  readonly kind: OutcomeKind;
  readonly quantity: number;
}

/** The same items added up in four ways: each list has the same sum for each kind. */
export interface Usage {
  readonly days: readonly (KindQuantity & { readonly day: string })[];
  readonly categories: readonly (KindQuantity & { readonly category: string })[];
  readonly projects: readonly (KindQuantity & { readonly projectId: string })[];
  /** By category as well; the reason is `""` for accepted. */
  readonly reasons: readonly (KindQuantity & {
    readonly category: string;
    readonly reason: string;
  })[];
}

/** Items of one project, day, category and reason. */
export interface UsageRow extends KindQuantity {
  readonly projectId: string;
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
  readonly category: string;
  readonly reason: string;
}

/** Whole UTC days or hours from `start` until before `end`. */
interface Range {
  readonly start: Date;
  readonly end: Date;
}

/**
 * What became of everything that some projects were sent, by UTC day of receipt. One statement, so that the sums agree
 * while more is counted.
 */
export async function usageOf(
  sql: Sql,
  projectIds: readonly string[],
  { start, end }: Range,
): Promise<Usage> {
  const rows = await sql<GroupedRow[]>`
    -- Materialized: Citus groups in sets what it has read, not while it reads on many nodes.
    with counted as materialized (
      select day, project_id, category, kind, reason, quantity from outcomes_by_day
      where project_id = any (${[...projectIds]}::bigint[])
        and day >= ${dayOf(start)}::text::date and day < ${dayOf(end)}::text::date
    )
    select
      case
        when grouping(day) = 0 then 'days'
        when grouping(project_id) = 0 then 'projects'
        when grouping(reason) = 0 then 'reasons'
        else 'categories'
      end as "group",
      to_char(day, 'YYYY-MM-DD') as day, project_id as "projectId", category, kind, reason,
      sum(quantity) as quantity
    from counted
    group by grouping sets (
      (day, kind), (project_id, kind), (category, kind, reason), (category, kind)
    )
  `;
  const of = (wanted: keyof Usage) =>
    rows.flatMap(({ group, ...row }) =>
      group === wanted ? [{ ...row, quantity: Number(row.quantity) }] : []
    );
  return {
    days: of("days"),
    categories: of("categories"),
    projects: of("projects"),
    reasons: of("reasons"),
  };
}

interface GroupedRow extends Omit<UsageRow, "quantity"> {
  readonly group: keyof Usage;
  readonly quantity: string;
}

/** The same in full detail, in order of day and project. */
export async function usageRows(
  sql: Sql,
  projectIds: readonly string[],
  { start, end }: Range,
): Promise<UsageRow[]> {
  const rows = await sql<(Omit<UsageRow, "quantity"> & { quantity: string })[]>`
    select
      project_id as "projectId", to_char(day, 'YYYY-MM-DD') as day, category, kind, reason, quantity
    from outcomes_by_day
    where project_id = any (${[...projectIds]}::bigint[])
      and day >= ${dayOf(start)}::text::date and day < ${dayOf(end)}::text::date
    order by 2, project_id, category, kind, reason
  `;
  return counted(rows);
}

/** Sums are bigints, which arrive as text. */
function counted<Row extends { readonly quantity: string }>(
  rows: readonly Row[],
): (Omit<Row, "quantity"> & { readonly quantity: number })[] {
  return rows.map((row) => ({ ...row, quantity: Number(row.quantity) }));
}

/** How often something became of what was sent, in one hour. */
interface OutcomeRow {
  /** Start of the hour of receipt. */
  readonly hour: Date;
  readonly category: Category;
  readonly kind: OutcomeKind;
  /** `""` for accepted. */
  readonly reason: string;
  readonly quantity: number;
}

/** How many items a project's filters dropped, by the reason that names the filter. */
export async function filteredByReason(
  sql: Sql,
  projectId: string,
  { start, end }: Range,
): Promise<ReadonlyMap<string, number>> {
  const rows = await sql<{ reason: string; quantity: string }[]>`
    select reason, sum(quantity) as quantity from outcomes
    where project_id = ${projectId} and hour >= ${start} and hour < ${end} and kind = 'filtered'
    group by reason
  `;
  return new Map(rows.map(({ reason, quantity }) => [reason, Number(quantity)]));
}

/**
 * What became of everything that a project was sent, by hour of receipt, oldest first.
 *
 * @param range hours that begin from `start` until before `end`
 */
export async function outcomesOf(
  sql: Sql,
  projectId: string,
  { start, end }: Range,
): Promise<OutcomeRow[]> {
  const rows = await sql<(Omit<OutcomeRow, "quantity"> & { quantity: string })[]>`
    select hour, category, kind, reason, quantity from outcomes
    where project_id = ${projectId} and hour >= ${start} and hour < ${end}
    order by hour, category, kind, reason
  `;
  return counted(rows);
}

/** Items of one category that were refused with whole requests. */
export interface TooLarge {
  readonly projectId: string;
  readonly category: Category;
  readonly quantity: number;
}

/** Items of requests that were over the limit of size, by project and category. @param since beginning of an hour */
export async function tooLargeSince(
  sql: Sql,
  projectIds: readonly string[],
  since: Date,
): Promise<TooLarge[]> {
  const rows = await sql<(Omit<TooLarge, "quantity"> & { quantity: string })[]>`
    select project_id as "projectId", category, sum(quantity) as quantity from outcomes
    where project_id = any (${[...projectIds]}::bigint[]) and hour >= ${since}
      and kind = 'too_large' and reason in ('request_body', 'decoded_body')
    group by project_id, category
    order by project_id, sum(quantity) desc
  `;
  return counted(rows);
}

/** What came with one key. */
export interface KeyUsage {
  readonly accepted: number;
  readonly refused: number;
  /** The last request in the range. */
  readonly lastUsedAt: Date;
}

/** Requests by key id, in hours that begin from `start` until before `end`. Keys without any are absent. */
export async function keyUsage(
  sql: Sql,
  projectId: string,
  { start, end }: Range,
): Promise<ReadonlyMap<string, KeyUsage>> {
  const rows = await sql<{ id: string; accepted: string; refused: string; lastUsedAt: Date }[]>`
    select key_id as id, sum(accepted) as accepted, sum(refused) as refused,
      max(last_used_at) as "lastUsedAt"
    from key_hours
    where project_id = ${projectId} and hour >= ${start} and hour < ${end}
    group by key_id
  `;
  return new Map(rows.map(({ id, accepted, refused, lastUsedAt }) => [
    id,
    { accepted: Number(accepted), refused: Number(refused), lastUsedAt },
  ]));
}

/** Requests that were stored, and their bytes as they were sent. */
export interface Accepted {
  readonly requests: number;
  readonly bytes: number;
}

/** How much of some projects was stored, in hours that begin from `start` until before `end`. */
export async function acceptedOf(
  sql: Sql,
  projectIds: readonly string[],
  { start, end }: Range,
): Promise<Accepted> {
  const [row] = await sql<{ requests: string | null; bytes: string | null }[]>`
    select sum(accepted) as requests, sum(bytes) as bytes from key_hours
    where project_id = any (${[...projectIds]}::bigint[]) and hour >= ${start} and hour < ${end}
  `;
  return { requests: Number(row?.requests ?? 0), bytes: Number(row?.bytes ?? 0) };
}
