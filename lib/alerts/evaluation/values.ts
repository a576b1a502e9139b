import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../core/time.ts";
import type { Logger } from "../../core/log.ts";
import { withTimeLimit } from "../../core/waiting.ts";
import {
  chooseMetric,
  Deadline,
  type QueryRequest,
  runQueries,
  usualIntervalOf,
} from "../../metrics/mod.ts";
import type { Sql } from "../../store/database.ts";
import { readStats, type StatsSelection } from "../../store/stats/read_stats.ts";
import type { SeriesKind } from "../../store/stats/series.ts";
import { apdex, failureRate, type StatsWithout } from "../../store/stats/stats.ts";
import { TRANSACTION_MEASURES, type TransactionMeasure } from "../measures.ts";
import {
  type AlertInput,
  type ErrorSource,
  type MetricSource,
  type TransactionSource,
} from "../rule.ts";
import {
  countEvents,
  countOverTime,
  type ErrorSelection,
  findChangedIssues,
  type Window,
} from "./error_queries.ts";

/** What values are read with. */
export interface ValueServices {
  readonly kv: Deno.Kv;
  readonly sql: Sql;
  readonly log: Logger;
  /** When reading metrics ends unfinished; absent: as usual. */
  readonly deadline?: Deadline;
}

/** What is read: a rule, or what somebody is still writing. */
export interface Watched extends Pick<AlertInput, "source" | "environments" | "windowMinutes"> {
  readonly projectId: string;
  /** Null: it is not stored yet. */
  readonly ruleId: string | null;
  /** What satisfies users of the project (Apdex), in milliseconds. */
  readonly apdexMs: number;
}

/** A rule that takes longer holds nobody else up. */
export const READ_LIMIT_MS = 10_000;

/**
 * Reads what a rule is judged by.
 *
 * @param window of the length of the rule's; issues may be asked for over a longer one
 * @returns the groups there are: one without labels for what has no groups
 * @throws {InvalidQuery} for queries that make no sense
 * @throws {QueryTooSlow | TimeLimitExceeded} after {@linkcode READ_LIMIT_MS}
 */
export async function readValues(
  services: ValueServices,
  watched: Watched,
  window: Window,
): Promise<GroupValue[]> {
  const timed = { ...services, deadline: new Deadline(READ_LIMIT_MS) };
  return await withTimeLimit(valuesOf(timed, watched, window), READ_LIMIT_MS);
}

function valuesOf(
  services: ValueServices,
  watched: Watched,
  window: Window,
): Promise<GroupValue[]> {
  const { source } = watched;
  switch (source.kind) {
    case "metric":
      return metricValues(services, watched, source, window);
    case "errors":
      return errorValues(services, watched, source, window);
    case "transactions":
      return transactionValues(services.sql, watched, source, window);
  }
}

/** What a spike is compared with: the same time of so many days. */
const DAYS_BEFORE = 7;

/** Counts errors. Nothing counted is 0, never "no data". */
async function errorValues(
  { sql, kv }: ValueServices,
  { projectId, ruleId, environments }: Watched,
  { measure, search }: ErrorSource,
  window: Window,
): Promise<GroupValue[]> {
  const selection = { projectId, environments, search, searcher: { kv, userId: null } };
  switch (measure) {
    case "events": {
      const [count = 0] = await countEvents(sql, selection, [window], READ_LIMIT_MS);
      return [whole(count)];
    }
    case "users":
      return [whole(await countUsers(sql, selection, window))];
    case "spike": {
      const windows = withDaysBefore(window);
      const [count = 0, ...before] = await countEvents(sql, selection, windows, READ_LIMIT_MS);
      return [whole(spike(count, before))];
    }
    case "new_issue":
    case "regression": {
      const limits = { limit: MAX_GROUPS, timeoutMs: READ_LIMIT_MS };
      const asked = { ...selection, measure, ruleId };
      const issues = await findChangedIssues(sql, asked, window, limits);
      return issues.map(({ issueId, title, timesSeen }) => ({
        group: issueId,
        words: title,
        value: timesSeen,
      }));
    }
  }
}

/**
 * How many times as many events as usual. Where less than one event is usual, one counts as usual: two events are no
 * spike for having been preceded by silence.
 *
 * @param before counts of the days before
 */
export function spike(count: number, before: readonly number[]): number {
  const mean = before.reduce((sum, each) => sum + each, 0) / Math.max(1, before.length);
  return count / Math.max(1, mean);
}

/** A window, and the same time of the days that a spike is compared with. */
export function withDaysBefore({ start, end }: Window): Window[] {
  return Array.from({ length: DAYS_BEFORE + 1 }, (_, day) => ({
    start: new Date(start.getTime() - day * DAY_MS),
    end: new Date(end.getTime() - day * DAY_MS),
  }));
}

/** A window as one step. */
async function countUsers(sql: Sql, selection: ErrorSelection, window: Window): Promise<number> {
  const [[count = 0] = []] = await countOverTime(
    sql,
    { ...selection, measure: "users" },
    [window],
    {
      stepMs: window.end.getTime() - window.start.getTime(),
      timeoutMs: READ_LIMIT_MS,
    },
  );
  return count;
}

function whole(value: number): GroupValue {
  return { group: "", words: "", value };
}

const MAX_INTERVAL_MS = HOUR_MS;
/** Points come a little early or late. */
const JITTER = 1.1;

/** The request that reads a metric rule over a stretch of time. */
export function requestOf(
  { projectId, environments }: Pick<Watched, "projectId" | "environments">,
  { queries, formulas, judged }: MetricSource,
  { start, end }: Window,
  stepMs: number,
): QueryRequest {
  const isFormula = formulas.some(({ id }) => id === judged);
  return {
    projectId,
    start,
    end,
    stepMs,
    scope: { environments, releases: [], services: [] },
    queries: (isFormula ? queries : queries.filter(({ id }) => id === judged))
      .map((query) => ({ ...query, top: MAX_GROUPS })),
    formulas: formulas.filter(({ id }) => id === judged),
    comparesPrevious: false,
  };
}

/**
 * What a metric was in a window, by group. Groups without a value in it have no data. A window that is shorter than the
 * time from one point to the next begins earlier, so that it has a point.
 */
async function metricValues(
  services: ValueServices,
  watched: Watched,
  source: MetricSource,
  window: Window,
): Promise<GroupValue[]> {
  const asked = requestOf(watched, source, window, window.end.getTime() - window.start.getTime());
  const leastMs = await leastWindow(services, asked);
  const stepMs = Math.max(asked.stepMs ?? 0, leastMs);
  const start = new Date(window.end.getTime() - stepMs);
  const { series } = await runQueries(services, { ...asked, start, stepMs });
  return series.filter(({ queryId }) => queryId === source.judged).map(({ labels, values }) => ({
    group: groupOf(labels),
    words: groupOf(labels),
    value: values.at(-1) ?? null,
  }));
}

/** The shortest window that has a point of each series, in whole seconds. */
async function leastWindow(
  services: ValueServices,
  { projectId, queries, end }: QueryRequest,
): Promise<number> {
  const intervals = await Promise.all(queries.map(async (query) => {
    const metric = await chooseMetric(services, projectId, query);
    return metric === null ? 0 : await usualIntervalOf(services, projectId, metric, end.getTime());
  }));
  const longest = Math.min(Math.max(0, ...intervals), MAX_INTERVAL_MS);
  return Math.ceil(longest * JITTER / SECOND_MS) * SECOND_MS;
}

/**
 * What transactions took, or how they went. They are counted by the minute: the minutes that a window touches are read
 * whole. A window without any is no data, but for throughput, which is 0 then.
 */
async function transactionValues(
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
  const { isVital = false } = TRANSACTION_MEASURES[measure];
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
  const { share } = TRANSACTION_MEASURES[measure];
  if (share !== undefined) return stats.sketch.quantile(share);
  if (measure === "throughput") return stats.weight / minutes;
  return measure === "failure_rate" ? failureRate(stats) : apdex(stats.sketch, apdexMs);
}

/** As many whole minutes as the window has, until the last one that is over. */
function wholeMinutes({ start, end }: Window): Window {
  const shift = end.getTime() % MINUTE_MS;
  return { start: new Date(start.getTime() - shift), end: new Date(end.getTime() - shift) };
}

/** What a window has brought for one group of a rule. */
export interface GroupValue {
  /** As `AlertState.group`. */
  readonly group: string;
  /** What notices call the group, or `""`. */
  readonly words: string;
  /** Null: no data. */
  readonly value: number | null;
}

/** More groups than this are not told apart: those with the largest values are. */
export const MAX_GROUPS = 500;

/** The group of labels, as `host=a, zone=b`: the same text for the same labels in whatever order. */
export function groupOf(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels).toSorted(([a], [b]) => a < b ? -1 : 1)
    .map(([label, value]) => `${label}=${value === "" ? "(none)" : value}`).join(", ");
}
