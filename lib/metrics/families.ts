/** What is said of families of metrics, apart from their points. */
import type { Sql } from "../store/database.ts";
import { storable } from "../core/errors.ts";

export interface MetricFamily {
  readonly name: string;
  /** By its number on the wire. */
  readonly type: number;
  /** In words, or `""`. */
  readonly unit: string;
  readonly help: string;
}

/** A metric's name and what it is, in words. */
export interface Described {
  readonly name: string;
  readonly description: string;
}

/** Transactions may have begun so long before they were committed: what they changed is read again. */
const OVERLAP = "1 minute";

/**
 * Keeps what was said of families, and describes the metrics that are stored already.
 *
 * @param described the metrics that the families may have
 */
export async function saveFamilies(
  sql: Sql,
  projectId: string,
  families: readonly MetricFamily[],
  described: readonly Described[],
): Promise<void> {
  await sql`
    insert into metric_families (project_id, name, type, unit, help)
    select ${projectId}::bigint, name, type, unit, help
    from unnest(
      ${families.map(({ name }) => storable(name))}::text[],
      ${families.map(({ type }) => type)}::smallint[],
      ${families.map(({ unit }) => storable(unit))}::text[],
      ${families.map(({ help }) => storable(help))}::text[]
    ) as incoming (name, type, unit, help)
    order by name
    on conflict (project_id, name) do update set
      type = excluded.type, unit = excluded.unit, help = excluded.help, updated_at = excluded.updated_at
    where (metric_families.type, metric_families.unit, metric_families.help)
      <> (excluded.type, excluded.unit, excluded.help)
  `;
  if (described.length === 0) return;
  // Locked in the order in which the writer locks them.
  await sql`
    with described as (
      select * from unnest(
        ${described.map(({ name }) => storable(name))}::text[],
        ${described.map(({ description }) => storable(description))}::text[]
      ) as described (name, description)
    ), changed as (
      select metrics.metric_id, described.description
      from metrics join described on metrics.name = described.name collate "C"
      where project_id = ${projectId} and metrics.description <> described.description
      order by metrics.metric_id
      for update of metrics
    )
    update metrics set description = changed.description from changed
    where metrics.project_id = ${projectId} and metrics.metric_id = changed.metric_id
  `;
}

/**
 * The families of a project that changed since they were read last.
 *
 * @param since what the reading before answered as `until`; null: all of them
 * @param limit of how many are answered
 */
export async function readFamilies(
  sql: Sql,
  projectId: string,
  since: Date | null,
  limit: number,
): Promise<{ readonly families: readonly MetricFamily[]; readonly until: Date }> {
  const [clock] = await sql<{ now: Date }[]>`select now() as now`;
  const families = await sql<MetricFamily[]>`
    select name, type, unit, help from metric_families
    where project_id = ${projectId}
      and updated_at >= coalesce(${since}::timestamptz, '-infinity') - ${OVERLAP}::interval
    order by name
    limit ${limit}
  `;
  return { families: [...families], until: clock?.now ?? new Date(0) };
}
