import {
  type Course,
  type PageScope,
  readCourse,
  selectionOf,
} from "../../releases/request_scope.ts";
import type { Sql } from "../../store/database.ts";
import { type Grouped, readStats } from "../../store/stats/read_stats.ts";
import { groupName } from "../../store/stats/series.ts";
import { type Stats, type StatsWithout, totalTimeOf } from "../../store/stats/stats.ts";
import { type Hint, hintsOf } from "./query_hints.tsx";
import { categoryNamed, type NamedCategory } from "./load_queries.ts";
import { type GroupCalls, readGroupCalls } from "./query_calls.ts";

/** The group of spans that a page is about. */
export interface QueryParams {
  readonly category: NamedCategory;
  /** As series have it: long statements are cut. */
  readonly group: string;
}

/** A transaction that has spans of the group. */
export interface QueryCaller {
  /** `""`: spans that came without their transaction. */
  readonly name: string;
  readonly stats: Stats;
  /** Of the time of all callers, 0 to 1. */
  readonly share: number;
  /** Spans for each transaction; null when transactions of the name are not counted. */
  readonly perTransaction: number | null;
}

export interface QueryDetail extends Course {
  readonly params: QueryParams;
  /** Of the time of its category, 0 to 1. */
  readonly share: number | null;
  /** Those that take the most time first. */
  readonly callers: readonly QueryCaller[];
  readonly examples: readonly QueryExample[];
  readonly hints: readonly Hint[];
  /** Whole statements that the group stands for, as far as examples show. */
  readonly statements: readonly string[];
}

/** Traces that examples are looked for in. */
const MAX_TRACES = 10;
/** Traces of the callers that take the most time; the others are the newest ones. */
const CALLER_TRACES = 6;

/** Reads `category` and `group`; null when they name nothing. */
export function readQueryParams(search: URLSearchParams): QueryParams | null {
  const category = categoryNamed(search.get("category"));
  const group = groupName(search.get("group") ?? "");
  return category === null || group === "" ? null : { category, group };
}

/** Reads all that the page of one group of spans shows. */
export async function loadQueryDetail(
  sql: Sql,
  pageScope: PageScope,
  params: QueryParams,
): Promise<QueryDetail> {
  const { interval, project } = pageScope;
  const { category, group } = params;
  const where = { category, name: group };
  const selection = selectionOf(pageScope, "span", { where });
  const [course, all, callers] = await Promise.all([
    readCourse(sql, pageScope, selection),
    readStats(sql, { ...selection, where: { category } }, [], ["sketch", "users"]),
    readStats(sql, selectionOf(pageScope, "caller", { where }), ["parent"]),
  ]);
  const traceIds = tracesOf(callers, course.steps.stats.toReversed());
  const [transactions, calls] = await Promise.all([
    countTransactions(sql, pageScope, callers.map(({ parent }) => parent)),
    readGroupCalls(sql, { projectId: project.id, traceIds, category, group, ...interval }),
  ]);
  return {
    params,
    ...course,
    share: all[0] === undefined || all[0].sum === 0
      ? null
      : totalTimeOf(course.total) / totalTimeOf(all[0]),
    callers: callersOf(callers, transactions),
    examples: examplesOf(calls),
    hints: hintsOf(calls),
    statements: [...new Set(calls.flatMap(({ spans }) => spans.map((span) => span.group)))],
  };
}

/** Traces of the first of some counts, then of others, each once. */
function tracesOf(
  callers: readonly Stats[],
  others: readonly StatsWithout<"users">[],
): string[] {
  const ids = (stats: readonly StatsWithout<"users">[]) =>
    stats.flatMap(({ traceId }) => traceId ?? []);
  const first = ids(callers).slice(0, CALLER_TRACES);
  return [...new Set([...first, ...ids(others)])].slice(0, MAX_TRACES);
}

/** How many transactions there were, by name. */
async function countTransactions(
  sql: Sql,
  pageScope: PageScope,
  names: readonly string[],
): Promise<Map<string, number>> {
  const name = names.filter((each) => each !== "");
  if (name.length === 0) return new Map();
  const selection = selectionOf(pageScope, "transaction", { where: { name } });
  const stats = await readStats(sql, selection, ["name"], ["sketch", "users"]);
  return new Map(stats.map((each) => [each.name, each.weight]));
}

function callersOf(
  groups: readonly Grouped<"parent">[],
  transactions: ReadonlyMap<string, number>,
): QueryCaller[] {
  const totalMs = groups.reduce((sum, group) => sum + totalTimeOf(group), 0);
  return groups.map((stats) => {
    const count = transactions.get(stats.parent) ?? 0;
    return {
      name: stats.parent,
      stats,
      share: totalMs === 0 ? 0 : totalTimeOf(stats) / totalMs,
      perTransaction: count === 0 ? null : stats.weight / count,
    };
  });
}

/** The slowest span of a group within one transaction. */
export interface QueryExample {
  readonly traceId: string;
  readonly spanId: string;
  readonly transaction: string;
  readonly service: string;
  readonly start: Date;
  readonly durationMs: number;
  /** With its values, as the client sent it. */
  readonly description: string;
  /** As `ok`, `internal_error`; `""` when unset. */
  readonly status: string;
  /** Spans of the group in that transaction. */
  readonly times: number;
}

const MAX_EXAMPLES = 10;

/** The slowest span of each transaction, the slowest first, at most ten. */
function examplesOf(calls: readonly GroupCalls[]): QueryExample[] {
  return calls.flatMap(exampleOf)
    .sort((a, b) => b.durationMs - a.durationMs)
    .slice(0, MAX_EXAMPLES);
}

function exampleOf({ traceId, transaction, service, spans }: GroupCalls): QueryExample[] {
  const [first, ...rest] = spans;
  if (first === undefined) return [];
  const length = ({ start, end }: typeof first) => end - start;
  const slowest = rest.reduce((slow, span) => length(span) > length(slow) ? span : slow, first);
  const statement = slowest.data["db.query.text"];
  return [{
    traceId,
    spanId: slowest.spanId,
    transaction,
    service,
    start: new Date(slowest.start * 1_000),
    durationMs: length(slowest) * 1_000,
    description: typeof statement === "string" && statement !== ""
      ? statement
      : slowest.description || slowest.name,
    status: slowest.status,
    times: spans.length,
  }];
}
