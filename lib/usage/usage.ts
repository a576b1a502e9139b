import type { Sql } from "../store/database.ts";
import type { OutcomeKind } from "../records/mod.ts";

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

/** Whole UTC days from `start` until before `end`. */
export interface DayRange {
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
  { start, end }: DayRange,
): Promise<Usage> {
  const rows = await sql<GroupedRow[]>`
    select
      case
        when grouping(day) = 0 then 'days'
        when grouping(project_id) = 0 then 'projects'
        when grouping(reason) = 0 then 'reasons'
        else 'categories'
      end as "group",
      to_char(day, 'YYYY-MM-DD') as day, project_id as "projectId", category, kind, reason,
      sum(quantity) as quantity
    from outcomes_by_day
    where project_id = any (${[...projectIds]}::bigint[])
      and day >= ${dayOf(start)}::text::date and day < ${dayOf(end)}::text::date
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
  { start, end }: DayRange,
): Promise<UsageRow[]> {
  const rows = await sql<(Omit<UsageRow, "quantity"> & { quantity: string })[]>`
    select
      project_id as "projectId", to_char(day, 'YYYY-MM-DD') as day, category, kind, reason, quantity
    from outcomes_by_day
    where project_id = any (${[...projectIds]}::bigint[])
      and day >= ${dayOf(start)}::text::date and day < ${dayOf(end)}::text::date
    order by 2, project_id, category, kind, reason
  `;
  return rows.map((row) => ({ ...row, quantity: Number(row.quantity) }));
}

/** As text, which Postgres reads alike in whatever zone its session is. */
function dayOf(date: Date): string {
  return date.toISOString().slice(0, "2026-11-01".length);
}
