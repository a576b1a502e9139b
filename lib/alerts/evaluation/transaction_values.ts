import type { Window } from "./alerting_events.ts";
import type { TransactionMeasure, TransactionSource } from "../rule.ts";
import type { Sql } from "../../store/database.ts";
import { MINUTE_MS } from "../../store/stats/periods.ts";
import { readStats, type StatsSelection } from "../../store/stats/read_stats.ts";
import type { SeriesKind } from "../../store/stats/series.ts";
import { apdex, failureRate, type StatsWithout } from "../../store/stats/stats.ts";
import type { GroupValue } from "./group_value.ts";
import type { Watched } from "./read_values.ts";

const VITALS: ReadonlySet<TransactionMeasure> = new Set(["lcp", "inp", "cls", "fcp", "ttfb"]);
const SHARES: Partial<Readonly<Record<TransactionMeasure, number>>> = {
  p50: 0.5,
  p75: 0.75,
  p95: 0.95,
  p99: 0.99,
};
/** What a vital is judged by, as by Google. */
const VITAL_SHARE = 0.75;

/**
 * What transactions took, or how they went. They are counted by the minute: the minutes that a window touches are read
 * whole. A window without any is no data, but for throughput, which is 0 then.
 */
export async function transactionValues(
  sql: Sql,
  watched: Watched,
  source: TransactionSource,
  window: Window,
): Promise<GroupValue[]> {
  const { measure } = source;
  const { start, end } = measure === "throughput" ? wholeMinutes(window) : window;
  const selection = selectionOf(watched, source, { start, end });
  const [stats] = await readStats(sql, selection, [], ["users"]);
  const minutes = (end.getTime() - start.getTime()) / MINUTE_MS;
  const none = measure === "throughput" ? 0 : null;
  const value = stats === undefined ? none : valueOf(measure, stats, watched.apdexMs, minutes);
  return [{ group: "", words: "", value }];
}

/** The counts that a source is about. */
export function selectionOf(
  { projectId, environments }: Pick<Watched, "projectId" | "environments">,
  { measure, transaction }: TransactionSource,
  { start, end }: Window,
): StatsSelection {
  const isVital = VITALS.has(measure);
  return {
    projectId,
    kind: kindOf(isVital, transaction),
    environments,
    releases: [],
    services: [],
    start,
    end,
    where: {
      ...isVital ? { op: measure } : {},
      ...transaction === null ? {} : { name: transaction },
    },
  };
}

function kindOf(isVital: boolean, transaction: string | null): SeriesKind {
  if (isVital) return "vital";
  return transaction === null ? "total" : "transaction";
}

/** What counts of some minutes come to; null when they hold nothing to tell. */
export function valueOf(
  measure: TransactionMeasure,
  stats: StatsWithout<"users">,
  apdexMs: number,
  minutes: number,
): number | null {
  if (VITALS.has(measure)) return stats.sketch.quantile(VITAL_SHARE);
  switch (measure) {
    case "failure_rate":
      return failureRate(stats);
    case "throughput":
      return stats.weight / minutes;
    case "apdex":
      return apdex(stats.sketch, apdexMs);
    default:
      return stats.sketch.quantile(SHARES[measure] ?? VITAL_SHARE);
  }
}

/** As many whole minutes as the window has, until the last one that is over. */
function wholeMinutes({ start, end }: Window): Window {
  const shift = end.getTime() % MINUTE_MS;
  return { start: new Date(start.getTime() - shift), end: new Date(end.getTime() - shift) };
}
