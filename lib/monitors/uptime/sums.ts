/** Seconds in each state by hour and day: what bars and percentages are made of. */
import { t } from "../../core/language/translate.ts";
import { NONE, withDecimalMark } from "../../ui/format.ts";
import type postgres from "postgres";
import { DAY_MS, HOUR_MS, type Interval, SECOND_MS } from "../../core/time.ts";
import type { Queryable, Sql } from "../../store/database.ts";
import { floorTo } from "../../store/query_limits.ts";
import type { Span } from "./judge.ts";

/** What happened in a stretch of time. */
export interface Sum {
  readonly upSec: number;
  readonly degradedSec: number;
  readonly downSec: number;
  /** Not measured. */
  readonly unknownSec: number;
  readonly maintenanceSec: number;
  readonly checks: number;
  readonly failures: number;
  /** Of the checks that succeeded. */
  readonly msSum: number;
}

export const NO_SUM: Sum = {
  upSec: 0,
  degradedSec: 0,
  downSec: 0,
  unknownSec: 0,
  maintenanceSec: 0,
  checks: 0,
  failures: 0,
  msSum: 0,
};

/** One check, as it stands in the sums. */
interface CountedCheck {
  readonly at: Date;
  /** Of one that succeeded, else null. */
  readonly ms: number | null;
}

const PERIODS = [["uptime_hours", HOUR_MS], ["uptime_days", DAY_MS]] as const;
const KINDS = ["up", "degraded", "down", "unknown", "maintenance"] as const;
/** A gap of a service that was off for long is cut: nobody looks further back. */
const MAX_SPAN_MS = 400 * DAY_MS;

/** Adds time, and a check, to the sums of a monitor. */
export async function addToSums(
  tx: Queryable,
  { projectId, monitorId }: { readonly projectId: string; readonly monitorId: string },
  spans: readonly Span[],
  check: CountedCheck | null,
): Promise<void> {
  for (const [table, periodMs] of PERIODS) {
    const rows = rowsOf(spans, check, periodMs);
    if (rows.length === 0) continue;
    const column = (of: (row: SumRow) => number) => rows.map(of);
    await tx`
      insert into ${tx(table)} as sums (
        project_id, monitor_id, start, up_sec, degraded_sec, down_sec, unknown_sec, maintenance_sec,
        checks, failures, ms_sum
      )
      select ${projectId}, ${monitorId}, * from unnest(
        ${rows.map(({ start }) => new Date(start).toISOString())}::text[]::timestamptz[],
        ${column((row) => row.sec.up)}::float8[], ${column((row) => row.sec.degraded)}::float8[],
        ${column((row) => row.sec.down)}::float8[], ${column((row) => row.sec.unknown)}::float8[],
        ${column((row) => row.sec.maintenance)}::float8[],
        ${column((row) => row.checks)}::int[], ${column((row) => row.failures)}::int[],
        ${column((row) => row.ms)}::float8[]
      )
      ${addingUp(tx)}
    `;
  }
}

/** Of an `insert … as sums`: what is there is added to. */
export function addingUp(sql: Queryable): postgres.Fragment {
  return sql`
    on conflict (project_id, monitor_id, start) do update set
      up_sec = sums.up_sec + excluded.up_sec,
      degraded_sec = sums.degraded_sec + excluded.degraded_sec,
      down_sec = sums.down_sec + excluded.down_sec,
      unknown_sec = sums.unknown_sec + excluded.unknown_sec,
      maintenance_sec = sums.maintenance_sec + excluded.maintenance_sec,
      checks = sums.checks + excluded.checks,
      failures = sums.failures + excluded.failures,
      ms_sum = sums.ms_sum + excluded.ms_sum
  `;
}

interface SumRow {
  readonly start: number;
  readonly sec: Record<typeof KINDS[number], number>;
  checks: number;
  failures: number;
  ms: number;
}

function rowsOf(spans: readonly Span[], check: CountedCheck | null, periodMs: number): SumRow[] {
  const rows = new Map<number, SumRow>();
  const rowAt = (time: number): SumRow => {
    const start = Math.floor(time / periodMs) * periodMs;
    const row = rows.get(start) ?? {
      start,
      sec: { up: 0, degraded: 0, down: 0, unknown: 0, maintenance: 0 },
      checks: 0,
      failures: 0,
      ms: 0,
    };
    rows.set(start, row);
    return row;
  };
  for (const { kind, start, end } of spans) {
    let at = Math.max(start.getTime(), end.getTime() - MAX_SPAN_MS);
    while (at < end.getTime()) {
      const row = rowAt(at);
      const until = Math.min(end.getTime(), row.start + periodMs);
      row.sec[kind] += (until - at) / SECOND_MS;
      at = until;
    }
  }
  if (check !== null) {
    const row = rowAt(check.at.getTime());
    row.checks += 1;
    if (check.ms === null) row.failures += 1;
    else row.ms += check.ms;
  }
  return [...rows.values()];
}

/** A sum with the start of its hour or day. */
export interface PeriodSum extends Sum {
  readonly start: Date;
}

/** The sums of monitors by hour or day, from a time on, in order; hours and days without any are absent. */
export async function readSums(
  sql: Sql,
  projectId: string,
  period: "hour" | "day",
  { start, end }: Interval,
  monitorId: string | null = null,
): Promise<Map<string, PeriodSum[]>> {
  const table = period === "hour" ? "uptime_hours" : "uptime_days";
  const periodMs = period === "hour" ? HOUR_MS : DAY_MS;
  const rows = await sql<(PeriodSum & { monitorId: string })[]>`
    select monitor_id::text as "monitorId", start, ${columns(sql)} from ${sql(table)}
    where project_id = ${projectId} ${
    monitorId === null ? sql`` : sql`and monitor_id = ${monitorId}`
  }
      and start >= ${floorTo(periodMs, start)} and start < ${end}
    order by monitor_id, start
  `;
  const found = new Map<string, PeriodSum[]>();
  for (const { monitorId: id, ...row } of rows) {
    const list = found.get(id) ?? [];
    found.set(id, list);
    list.push(row);
  }
  return found;
}

function columns(sql: Sql): postgres.Fragment {
  return sql`
    up_sec as "upSec", degraded_sec as "degradedSec", down_sec as "downSec",
    unknown_sec as "unknownSec", maintenance_sec as "maintenanceSec", checks, failures,
    ms_sum as "msSum"
  `;
}

/** All of them as one. */
export function totalOf(sums: readonly Sum[]): Sum {
  return sums.reduce((total, sum) => ({
    upSec: total.upSec + sum.upSec,
    degradedSec: total.degradedSec + sum.degradedSec,
    downSec: total.downSec + sum.downSec,
    unknownSec: total.unknownSec + sum.unknownSec,
    maintenanceSec: total.maintenanceSec + sum.maintenanceSec,
    checks: total.checks + sum.checks,
    failures: total.failures + sum.failures,
    msSum: total.msSum + sum.msSum,
  }), NO_SUM);
}

/**
 * Share of the measured time in which something was up, degraded or not; maintenance and what was not measured are no
 * part of it.
 *
 * @returns 0 to 1; null when nothing was measured
 */
export function uptimeOf({ upSec, degradedSec, downSec }: Sum): number | null {
  const measured = upSec + degradedSec + downSec;
  return measured === 0 ? null : (upSec + degradedSec) / measured;
}

/** As `99.987%`, in the reader's language. */
export function uptimeWords(share: number | null): string {
  return share === null ? NONE : t("{share}%", { share: withDecimalMark(percentOf(share)) });
}

/** As `99.987`: cut after three decimals, so that only what was never down is 100. */
export function percentOf(share: number): string {
  return share >= 1 ? "100" : (Math.floor(share * 100_000 + 1e-9) / 1_000).toFixed(3);
}

/** Mean duration of the checks that succeeded, in milliseconds, or null. */
export function meanMs({ checks, failures, msSum }: Sum): number | null {
  return checks > failures ? msSum / (checks - failures) : null;
}
