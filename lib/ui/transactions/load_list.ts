import type { Sql } from "../../telemetry/database.ts";
import {
  type Grouped,
  MAX_GROUPS,
  readSeriesOverTime,
  readStats,
} from "../../telemetry/stats/read_stats.ts";
import { type Folded, readFolded } from "../../telemetry/stats/folded_names.ts";
import { failureRate } from "../../telemetry/stats/stats.ts";
import type { SeriesColumn } from "../../telemetry/stats/read_stats.ts";
import { selectionOf, type Tracing } from "../tracing/load_tracing.ts";
import {
  type ListPage,
  pageOf,
  readSorting,
  type SortColumn,
  sorted,
  type Sorting,
} from "../tracing/sorting.ts";
import { alongInterval, minutesOf } from "../tracing/steps.ts";

type Columns = Extract<SeriesColumn, "name" | "op">;

/** What the list shows of the transactions of one name and operation. */
export interface TransactionRow {
  readonly name: string;
  readonly op: string;
  /** With what was sampled away. */
  readonly count: number;
  readonly perMinute: number;
  readonly failureRate: number | null;
  readonly p50: number | null;
  readonly p75: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  readonly users: number;
  readonly totalMs: number;
  /** Of the time of all transactions, 0 to 1. */
  readonly share: number;
}

export interface TransactionList {
  readonly list: ListPage<TransactionRow>;
  readonly sorting: Sorting;
  readonly query: string;
  readonly op: string;
  /** Operations to choose from, the most time-consuming first. */
  readonly ops: readonly string[];
  /** Counts along the interval, by name and operation: see `trendKey()`. */
  readonly trends: ReadonlyMap<string, readonly number[]>;
  /** What was counted under a common name; null when nothing was. */
  readonly folded: Folded | null;
  /** There are more names than are read. */
  readonly isCut: boolean;
}

export const TRANSACTION_COLUMNS: readonly SortColumn<TransactionRow>[] = [
  { key: "name", label: "Transaction", value: ({ name }) => name },
  { key: "count", label: "Count", value: ({ count }) => count, class: "max-lg:hidden" },
  { key: "tpm", label: "Per minute", value: ({ perMinute }) => perMinute },
  { key: "p50", label: "p50", value: ({ p50 }) => p50, class: "max-lg:hidden" },
  { key: "p75", label: "p75", value: ({ p75 }) => p75, class: "max-xl:hidden" },
  { key: "p95", label: "p95", value: ({ p95 }) => p95 },
  { key: "p99", label: "p99", value: ({ p99 }) => p99, class: "max-xl:hidden" },
  { key: "failures", label: "Failures", value: (row) => row.failureRate },
  { key: "users", label: "Users", value: ({ users }) => users, class: "max-lg:hidden" },
  { key: "time", label: "Total time", value: ({ totalMs }) => totalMs },
];

const MAX_QUERY = 200;
const MAX_OPS = 50;
/** Bars of a trend. */
const TREND_STEPS = 24;

/** Steps of a trend are whole units: what is counted by the day is a fraction of the rows. */
const UNITS = [{ until: 3_600_000, ms: 60_000 }, { until: 86_400_000, ms: 3_600_000 }];

/** Names the trend of a row. */
export function trendKey({ name, op }: Pick<TransactionRow, "name" | "op">): string {
  return JSON.stringify([name, op]);
}

/** Reads the list of transactions by name. */
export async function loadTransactionList(
  sql: Sql,
  tracing: Tracing,
  search: URLSearchParams,
): Promise<TransactionList> {
  const query = (search.get("query") ?? "").trim().slice(0, MAX_QUERY);
  const op = (search.get("op") ?? "").slice(0, MAX_QUERY);
  const [groups, folded] = await Promise.all([
    readStats<Columns>(
      sql,
      selectionOf(tracing, "transaction", query === "" ? {} : { nameLike: query }),
      ["name", "op"],
    ),
    readFolded(sql, tracing.project.id, tracing.interval),
  ]);
  const ops = [...new Set(groups.map((group) => group.op))].filter((each) => each !== "");
  const wanted = op === "" ? groups : groups.filter((group) => group.op === op);
  const sorting = readSorting(search.get("sort"), TRANSACTION_COLUMNS, {
    key: "time",
    isDescending: true,
  });
  const rows = sorted(rowsOf(wanted, groups, tracing), TRANSACTION_COLUMNS, sorting);
  const list = pageOf(rows, search.get("page"));
  return {
    list,
    sorting,
    query,
    op,
    ops: ops.slice(0, MAX_OPS),
    trends: await loadTrends(sql, tracing, list.rows),
    folded,
    isCut: groups.length === MAX_GROUPS,
  };
}

/** The rows of groups; shares are of the time of `all`. */
export function rowsOf(
  groups: readonly Grouped<Columns>[],
  all: readonly Grouped<Columns>[],
  { interval, now }: Tracing,
): TransactionRow[] {
  const total = all.reduce((sum, group) => sum + group.sum, 0);
  const minutes = minutesOf(interval, now);
  return groups.map((group) => ({
    name: group.name,
    op: group.op,
    count: Math.round(group.weight),
    perMinute: group.weight / minutes,
    failureRate: failureRate(group),
    p50: group.sketch.quantile(0.5),
    p75: group.sketch.quantile(0.75),
    p95: group.sketch.quantile(0.95),
    p99: group.sketch.quantile(0.99),
    users: group.users,
    totalMs: group.sum,
    share: total === 0 ? 0 : group.sum / total,
  }));
}

async function loadTrends(
  sql: Sql,
  tracing: Tracing,
  rows: readonly TransactionRow[],
): Promise<Map<string, readonly number[]>> {
  if (rows.length === 0) return new Map();
  const { interval, now } = tracing;
  const length = interval.end.getTime() - interval.start.getTime();
  const unit = UNITS.find((each) => length / TREND_STEPS < each.until)?.ms ?? 86_400_000;
  const stepMs = Math.max(unit, Math.ceil(length / TREND_STEPS / unit) * unit);
  const where = { name: [...new Set(rows.map(({ name }) => name))] };
  const points = await readSeriesOverTime<Columns>(
    sql,
    selectionOf(tracing, "transaction", { where }),
    ["name", "op"],
    stepMs,
  );
  const byRow = Map.groupBy(points, ({ group }) => trendKey(group));
  return new Map(rows.map((row) => {
    const key = trendKey(row);
    const { stats } = alongInterval(byRow.get(key) ?? [], interval, stepMs, now);
    return [key, stats.map(({ weight }) => Math.round(weight))];
  }));
}
