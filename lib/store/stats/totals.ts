/** Counts of all names together: from when on there are such, and those of the days before. */
import { DAY_MS } from "../../core/time.ts";
import type { Sql, Transaction } from "../database.ts";
import { oldestKept } from "../retention.ts";
import { holdFolds } from "./fold_stats.ts";
import { type NewSeries, saveCounts, saveSeries, type StatRow } from "./save_stats.ts";
import { type Series, SERIES_KINDS, seriesOf, type SummedKind, TOTAL_KINDS } from "./series.ts";
import { Sketch } from "./sketch.ts";
import { idOf } from "./stat_tally.ts";

/** Databases that have totals of all time: there is nothing to ask any more. */
const complete = new WeakSet<Sql>();

/** Whether totals are there for everything from a time on. */
export async function hasTotals(sql: Sql, from: Date): Promise<boolean> {
  if (complete.has(sql)) return true;
  const [since] = await sql<{ isBefore: boolean; isAll: boolean }[]>`
    select day <= ${from}::timestamptz as "isBefore", day = '-infinity' as "isAll" from stat_totals_since
  `;
  if (since?.isAll) complete.add(sql);
  return since?.isBefore ?? false;
}

/**
 * Counts totals of the newest day that has none yet, of all projects. Doing it twice, or at the same time as another
 * process, counts nothing twice: totals are what the counts of names add up to.
 *
 * @returns whether there may be more of them
 */
export async function countTotalsBefore(
  sql: Sql,
  retentionDays: number,
  now: Date = new Date(),
): Promise<boolean> {
  const [since] = await sql<{ day: Date }[]>`
    select day from stat_totals_since where day > '-infinity' and day <= ${now}
  `;
  if (since === undefined) return false;
  if (since.day <= oldestKept(retentionDays, now)) {
    await sql`update stat_totals_since set day = '-infinity' where day = ${since.day}`;
    return false;
  }
  const day = new Date(since.day.getTime() - DAY_MS);
  for (const projectId of await projectsOf(sql, day)) await countDay(sql, projectId, day);
  await sql`update stat_totals_since set day = ${day} where day = ${since.day}`;
  return true;
}

const SUMMED = Object.keys(TOTAL_KINDS) as SummedKind[];

async function projectsOf(sql: Sql, day: Date): Promise<string[]> {
  const rows = await sql<{ projectId: string }[]>`
    select distinct project_id as "projectId" from stat_days
    where "timestamp" = ${day} and kind = any (${
    SUMMED.map((kind) => SERIES_KINDS[kind])
  }::smallint[])
  `;
  return rows.map(({ projectId }) => projectId);
}

/** Makes the totals of a project's day anew, while nobody adds to what they are made of. */
async function countDay(sql: Sql, projectId: string, day: Date): Promise<void> {
  await sql.begin(async (tx) => {
    await holdFolds(tx);
    // Tables that nobody has analysed look empty: a loop within a loop would take minutes.
    await tx`select set_config('enable_nestloop', 'off', true), set_config('jit', 'off', true)`;
    const series = new Map<string, NewSeries>();
    for (const table of ["stat_minutes", "stat_hours", "stat_days"]) {
      for (const kind of SUMMED) {
        const rows = await sumsOf(tx, table, projectId, day, kind);
        await deleteSums(tx, table, projectId, day, kind);
        if (rows.length > 0) await saveCounts(tx, table, rows);
        for (const { series: named, seriesId } of rows) {
          series.set(seriesId, {
            projectId,
            seriesId,
            series: named,
            day: day.toISOString().slice(0, 10),
          });
        }
      }
    }
    await saveSeries(tx, [...series.values()]);
  });
}

type SumRow = Pick<Series, "environment" | "release" | "service"> & {
  readonly value: string;
  readonly time: Date;
  readonly count: string;
  readonly failures: string;
  readonly weight: number;
  readonly sum: number;
  readonly sketch: Uint8Array;
  readonly traceId: string;
};

async function sumsOf(
  tx: Transaction,
  table: string,
  projectId: string,
  day: Date,
  summed: SummedKind,
): Promise<StatRow[]> {
  const { kind, by } = TOTAL_KINDS[summed];
  const rows = await tx<SumRow[]>`
    select
      environment, release, service, ${tx(by)} as value, counted."timestamp" as time,
      sum(count)::bigint as count, sum(failures)::bigint as failures, sum(weight) as weight, sum(sum) as sum,
      string_agg(sketch, ''::bytea) as sketch,
      replace((array_agg(trace_id))[1]::text, '-', '') as "traceId"
    from ${tx(table)} as counted
    join stat_series as series
      on series.project_id = ${projectId} and series.series_id = counted.series_id
    where counted.project_id = ${projectId} and counted.kind = ${SERIES_KINDS[summed]}
      and counted."timestamp" >= ${day} and counted."timestamp" < ${new Date(
    day.getTime() + DAY_MS,
  )}
    group by 1, 2, 3, 4, 5
  `;
  return rows.map(({ environment, release, service, value, time, sketch, ...row }) => {
    const series = seriesOf({ kind, environment, release, service, [by]: value });
    return {
      projectId,
      series,
      seriesId: idOf(series),
      time: time.getTime(),
      count: Number(row.count),
      failures: Number(row.failures),
      weight: row.weight,
      sum: row.sum,
      // Spans and vitals have no HTTP status and no users.
      statuses: [0, 0, 0, 0],
      users: new Uint8Array(),
      sketch: Sketch.of(sketch).toBytes(),
      traceId: row.traceId,
    };
  });
}

async function deleteSums(
  tx: Transaction,
  table: string,
  projectId: string,
  day: Date,
  summed: SummedKind,
): Promise<void> {
  await tx`
    delete from ${tx(table)}
    where project_id = ${projectId} and kind = ${SERIES_KINDS[TOTAL_KINDS[summed].kind]}
      and "timestamp" >= ${day} and "timestamp" < ${new Date(day.getTime() + DAY_MS)}
  `;
}
