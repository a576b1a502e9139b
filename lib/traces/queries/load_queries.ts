import type { Listed } from "../list_words.ts";
import { type Message, message } from "../../core/language/translate.ts";
import { SPAN_CATEGORIES, type SpanCategory } from "../../records/mod.ts";
import { type PageScope, selectionOf } from "../../releases/request_scope.ts";
import type { Sql } from "../../store/database.ts";
import {
  countParents,
  type Grouped,
  MAX_GROUPS,
  type ParentCount,
  readStats,
} from "../../store/stats/read_stats.ts";
import { averageOf, failureRate, sampledOf, totalTimeOf } from "../../store/stats/stats.ts";
import { minutesOf } from "../../store/stats/steps.ts";
import { pageOf, readSorting, type SortColumn, sorted } from "../../ui/sorted_list.tsx";
import type { StatList } from "../list_parts.tsx";

/** What the list shows of spans that do the same work. */
export interface QueryRow {
  readonly category: string;
  /** Statement without its literals, host and the like. */
  readonly group: string;
  /** With what was sampled away. */
  readonly count: number;
  readonly perMinute: number;
  /** With what was sampled away. */
  readonly totalMs: number;
  /** Of the time of all that the tab lists, 0 to 1. */
  readonly share: number;
  readonly averageMs: number | null;
  readonly p95: number | null;
  readonly failureRate: number | null;
  readonly lastSeen: Date | null;
}

export interface QueryList extends StatList<QueryRow> {
  readonly choice: QueryChoice;
  /** How many transactions by name have such spans, by `rowKey()`. */
  readonly callers: ReadonlyMap<string, number>;
}

export const QUERY_COLUMNS: readonly SortColumn<QueryRow>[] = [
  {
    key: "group",
    label: message("Work"),
    value: ({ group }) => group,
    cellClass: "w-full max-w-0 min-w-40",
  },
  { key: "count", label: message("Calls"), value: ({ count }) => count, class: "max-lg:hidden" },
  { key: "rpm", label: message("Rate"), value: (row) => row.perMinute, class: "max-sm:hidden" },
  { key: "time", label: message("Total time"), value: ({ totalMs }) => totalMs },
  {
    key: "avg",
    label: message("Average"),
    value: ({ averageMs }) => averageMs,
    class: "max-sm:hidden",
  },
  { key: "p95", label: "p95", value: ({ p95 }) => p95, class: "max-md:hidden" },
  {
    key: "failures",
    label: message("Failures"),
    value: (row) => row.failureRate,
    class: "max-md:hidden",
  },
  { key: "callers", label: message("Callers"), align: "right", class: "max-lg:hidden" },
  {
    key: "seen",
    label: message("Last seen"),
    value: ({ lastSeen }) => lastSeen?.getTime() ?? null,
    class: "max-xl:hidden",
  },
];

const MAX_QUERY = 200;

/** Names a row. */
export function rowKey({ category, group }: Pick<QueryRow, "category" | "group">): string {
  return JSON.stringify([category, group]);
}

/** Reads the list of what spans spend their time on. */
export async function loadQueryList(
  sql: Sql,
  pageScope: PageScope,
  search: URLSearchParams,
): Promise<QueryList> {
  const query = (search.get("query") ?? "").trim().slice(0, MAX_QUERY);
  const named = choiceNamed(search.get("category"));
  // What the list itself tells is not read twice: adding up the spans of two weeks takes its time.
  const totals = named === null || query !== ""
    ? await readStats(sql, selectionOf(pageScope, "span"), ["category"], ["sketch", "users"])
    : null;
  const choice = named ?? firstChoice(new Set(totals?.map(({ category }) => category)));
  const groups = await readStats(
    sql,
    selectionOf(pageScope, "span", {
      where: { category: choice.categories },
      ...query === "" ? {} : { nameLike: query },
    }),
    ["category", "name"],
    ["users"],
  );
  const totalMs = (totals ?? groups)
    .filter(({ category }) => choice.categories.some((each) => each === category))
    .reduce((sum, each) => sum + totalTimeOf(each), 0);
  const sorting = readSorting(search.get("sort"), QUERY_COLUMNS, {
    key: "time",
    isDescending: true,
  });
  const rows = sorted(rowsOf(groups, totalMs, pageScope), QUERY_COLUMNS, sorting);
  const list = pageOf(rows, search.get("page"));
  return {
    choice,
    list,
    sorting,
    query,
    callers: await countCallers(sql, pageScope, list.rows),
    isCut: groups.length === MAX_GROUPS,
    sampled: sampledOf(groups),
  };
}

function rowsOf(
  groups: readonly Grouped<"category" | "name", "users">[],
  totalMs: number,
  { interval, now }: PageScope,
): QueryRow[] {
  const minutes = minutesOf(interval, now);
  return groups.map((group) => ({
    category: group.category,
    group: group.name,
    count: group.weight,
    perMinute: group.weight / minutes,
    totalMs: totalTimeOf(group),
    share: totalMs === 0 ? 0 : totalTimeOf(group) / totalMs,
    averageMs: averageOf(group),
    // Of the rows of a page alone, unless they are sorted by it.
    get p95() {
      return group.sketch.quantile(0.95);
    },
    failureRate: failureRate(group),
    lastSeen: group.lastSeen,
  }));
}

async function countCallers(
  sql: Sql,
  pageScope: PageScope,
  rows: readonly QueryRow[],
): Promise<Map<string, number>> {
  if (rows.length === 0) return new Map();
  const where = {
    category: [...new Set(rows.map(({ category }) => category))],
    name: [...new Set(rows.map(({ group }) => group))],
  };
  const selection = selectionOf(pageScope, "caller", { where });
  const counts = pageScope.interval.end < pageScope.now
    ? parentsOf(await readStats(sql, selection, ["category", "name", "parent"], UNUSED))
    : await countParents(sql, selection);
  return new Map(counts.map(({ category, name, parents }) => [
    rowKey({ category, group: name }),
    parents,
  ]));
}

const UNUSED = ["sketch", "users"] as const;

function parentsOf(
  callers: readonly { category: string; name: string; parent: string }[],
): ParentCount[] {
  const counts = new Map<string, ParentCount>();
  for (const { category, name, parent } of callers) {
    // Spans that came without their transaction are nobody's.
    if (parent === "") continue;
    const key = rowKey({ category, group: name });
    counts.set(key, { category, name, parents: (counts.get(key)?.parents ?? 0) + 1 });
  }
  return [...counts.values()];
}

export type NamedCategory = Exclude<SpanCategory, "">;

/** Categories of spans that stand under one tab. */
interface QueryTab {
  /** In the URL. */
  readonly id: string;
  readonly label: Message;
  /** What its list lists. */
  readonly what: Listed;
  readonly categories: readonly NamedCategory[];
}

const NAMED = SPAN_CATEGORIES.filter((category) => category !== "");

const DATABASE: QueryTab = {
  id: "db",
  label: message("Database"),
  what: "queries",
  categories: ["db"],
};

export const QUERY_TABS: readonly QueryTab[] = [
  DATABASE,
  { id: "http", label: message("Outbound HTTP"), what: "outbound", categories: ["http"] },
  { id: "cache", label: message("Caches"), what: "caches", categories: ["cache"] },
  { id: "queue", label: message("Queues"), what: "queues", categories: ["queue"] },
  {
    id: "other",
    label: message("Other"),
    what: "calls",
    categories: ["rpc", "render", "resource", "file", "ai"],
  },
  { id: "all", label: message("All"), what: "calls", categories: NAMED },
];

/** What a list is asked for: a tab, or one category of it. */
interface QueryChoice {
  readonly tab: QueryTab;
  readonly categories: readonly NamedCategory[];
  /** As it stands in the URL. */
  readonly id: string;
}

/** The category of that name, or null. */
export function categoryNamed(name: string | null): NamedCategory | null {
  return NAMED.find((category) => category === name) ?? null;
}

/** The tab or the category of that name, or null. */
export function choiceNamed(name: string | null): QueryChoice | null {
  const named = QUERY_TABS.find(({ id }) => id === name);
  if (named !== undefined) return choiceOf(named);
  const category = categoryNamed(name);
  const tab = QUERY_TABS.find(({ categories }) => categories.some((each) => each === category));
  if (category === null || tab === undefined) return null;
  return { tab, categories: [category], id: category };
}

/**
 * The first tab that has something; the first of all when none has.
 *
 * @param present categories that occur
 */
export function firstChoice(present: ReadonlySet<string>): QueryChoice {
  const full = QUERY_TABS.find(({ categories }) => categories.some((each) => present.has(each)));
  return choiceOf(full ?? DATABASE);
}

function choiceOf(tab: QueryTab): QueryChoice {
  return { tab, categories: tab.categories, id: tab.id };
}
