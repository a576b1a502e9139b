import { message } from "../../core/language/translate.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../core/time.ts";
import type { Sql } from "../../store/database.ts";
import {
  type Grouped,
  MAX_GROUPS,
  readSeriesOverTime,
  readStats,
  type StatsSelection,
} from "../../store/stats/read_stats.ts";
import { type Folded, readFolded } from "../../store/stats/series_names.ts";
import { failureRate, sampledOf, totalTimeOf } from "../../store/stats/stats.ts";
import { type PageScope, selectionOf } from "../../releases/request_scope.ts";
import { pageOf, readSorting, type SortColumn, sorted } from "../../ui/sorted_list.tsx";
import type { StatList } from "../list_parts.tsx";
import { alongInterval, minutesOf } from "../../store/stats/steps.ts";

const BY = ["name", "op"] as const;
type Columns = (typeof BY)[number];

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
  /** With what was sampled away. */
  readonly totalMs: number;
  /** Of the time of all transactions, 0 to 1. */
  readonly share: number;
}

export interface TransactionList extends StatList<TransactionRow> {
  readonly op: string;
  /** Operations to choose from, the most time-consuming first. */
  readonly ops: readonly string[];
  /** Counts along the interval, by name and operation: see `trendKey()`. */
  readonly trends: ReadonlyMap<string, readonly number[]>;
  /** What was counted under a common name; null when nothing was. */
  readonly folded: Folded | null;
}

/** All but the users, who are dear to count. */
type PlainRow = Omit<TransactionRow, "users">;

const PLAIN_COLUMNS: readonly SortColumn<PlainRow>[] = [
  {
    key: "name",
    label: message("Transaction"),
    value: ({ name }) => name,
    cellClass: "w-full max-w-0 min-w-40 sm:min-w-56",
  },
  { key: "trend", label: message("Trend"), class: "max-md:hidden" },
  { key: "count", label: message("Count"), value: ({ count }) => count, class: "max-lg:hidden" },
  {
    key: "tpm",
    label: message("Rate"),
    value: ({ perMinute }) => perMinute,
    class: "max-sm:hidden",
  },
  { key: "p50", label: "p50", value: ({ p50 }) => p50, class: "max-lg:hidden" },
  { key: "p75", label: "p75", value: ({ p75 }) => p75, class: "max-xl:hidden" },
  { key: "p95", label: "p95", value: ({ p95 }) => p95 },
  { key: "p99", label: "p99", value: ({ p99 }) => p99, class: "max-xl:hidden" },
  { key: "failures", label: message("Failures"), value: (row) => row.failureRate },
  { key: "time", label: message("Total time"), value: ({ totalMs }) => totalMs },
];

export const TRANSACTION_COLUMNS: readonly SortColumn<TransactionRow>[] = [
  ...PLAIN_COLUMNS.slice(0, -1),
  { key: "users", label: message("Users"), value: ({ users }) => users, class: "max-lg:hidden" },
  ...PLAIN_COLUMNS.slice(-1),
];

const MAX_QUERY = 200;
const MAX_OPS = 50;
/** Bars of a trend. */
const TREND_STEPS = 24;

/** Steps of a trend are whole units: what is counted by the day is a fraction of the rows. */
const UNITS = [{ until: HOUR_MS, ms: MINUTE_MS }, { until: DAY_MS, ms: HOUR_MS }];

/** Names the trend of a row. */
export function trendKey({ name, op }: Pick<TransactionRow, "name" | "op">): string {
  return JSON.stringify([name, op]);
}

/** Reads the list of transactions by name. */
export async function loadTransactionList(
  sql: Sql,
  pageScope: PageScope,
  search: URLSearchParams,
): Promise<TransactionList> {
  const query = (search.get("query") ?? "").trim().slice(0, MAX_QUERY);
  const op = (search.get("op") ?? "").slice(0, MAX_QUERY);
  const sorting = readSorting(search.get("sort"), TRANSACTION_COLUMNS, {
    key: "time",
    isDescending: true,
  });
  const selection = selectionOf(pageScope, "transaction", query === "" ? {} : { nameLike: query });
  const [groups, folded] = await Promise.all([
    readStats(sql, selection, BY, ["users"]),
    readFolded(sql, pageScope.project.id, pageScope.interval),
  ]);
  const ops = [...new Set(groups.map((group) => group.op))].filter((each) => each !== "");
  const wanted = op === "" ? groups : groups.filter((group) => group.op === op);
  const rows = plainRowsOf(wanted, groups, pageScope);
  const list = sorting.key === "users"
    ? pageOf(
      sorted(withUsers(rows, await readUsers(sql, selection)), TRANSACTION_COLUMNS, sorting),
      search.get("page"),
    )
    : pageOf(sorted(rows, PLAIN_COLUMNS, sorting), search.get("page"));
  const where = { name: [...new Set(list.rows.map(({ name }) => name))] };
  const [users, trends] = await Promise.all([
    readUsers(sql, { ...selection, where }),
    loadTrends(sql, pageScope, list.rows),
  ]);
  return {
    list: { ...list, rows: withUsers(list.rows, users) },
    sorting,
    query,
    op,
    ops: ops.slice(0, MAX_OPS),
    trends,
    folded,
    isCut: groups.length === MAX_GROUPS,
    sampled: sampledOf(wanted),
  };
}

/** The rows of groups; shares are of the time of `all`. */
export function rowsOf(
  groups: readonly Grouped<Columns>[],
  all: readonly Grouped<Columns>[],
  pageScope: PageScope,
): TransactionRow[] {
  const rows = plainRowsOf(groups, all, pageScope);
  return rows.map((row, place) => ({ ...row, users: groups[place]?.users ?? 0 }));
}

function plainRowsOf(
  groups: readonly Grouped<Columns, "users">[],
  all: readonly Grouped<Columns, "users">[],
  { interval, now }: PageScope,
): PlainRow[] {
  const total = all.reduce((sum, group) => sum + totalTimeOf(group), 0);
  const minutes = minutesOf(interval, now);
  return groups.map((group) => ({
    name: group.name,
    op: group.op,
    count: Math.round(group.weight),
    perMinute: group.weight / minutes,
    failureRate: failureRate(group),
    // Of the rows of a page alone, but for that by which all are sorted.
    get p50() {
      return group.sketch.quantile(0.5);
    },
    get p75() {
      return group.sketch.quantile(0.75);
    },
    get p95() {
      return group.sketch.quantile(0.95);
    },
    get p99() {
      return group.sketch.quantile(0.99);
    },
    totalMs: totalTimeOf(group),
    share: total === 0 ? 0 : totalTimeOf(group) / total,
  }));
}

/** Different users by `trendKey()`. */
async function readUsers(sql: Sql, selection: StatsSelection): Promise<Map<string, number>> {
  const groups = await readStats(sql, selection, BY, ["sketch"]);
  return new Map(groups.map((group) => [trendKey(group), group.users]));
}

function withUsers(
  rows: readonly PlainRow[],
  users: ReadonlyMap<string, number>,
): TransactionRow[] {
  return rows.map((row) => ({ ...row, users: users.get(trendKey(row)) ?? 0 }));
}

async function loadTrends(
  sql: Sql,
  pageScope: PageScope,
  rows: readonly PlainRow[],
): Promise<Map<string, readonly number[]>> {
  if (rows.length === 0) return new Map();
  const { interval, now } = pageScope;
  const length = interval.end.getTime() - interval.start.getTime();
  const unit = UNITS.find((each) => length / TREND_STEPS < each.until)?.ms ?? DAY_MS;
  const stepMs = Math.max(unit, Math.ceil(length / TREND_STEPS / unit) * unit);
  const where = { name: [...new Set(rows.map(({ name }) => name))] };
  const points = await readSeriesOverTime(
    sql,
    selectionOf(pageScope, "transaction", { where }),
    BY,
    stepMs,
    ["sketch", "users"],
  );
  const weights = new Map(
    points.map(({ group, time, stats }) => [`${time} ${trendKey(group)}`, stats.weight]),
  );
  const { times } = alongInterval([], interval, stepMs, now);
  return new Map(rows.map((row) => {
    const key = trendKey(row);
    return [key, times.map((time) => Math.round(weights.get(`${time} ${key}`) ?? 0))];
  }));
}
