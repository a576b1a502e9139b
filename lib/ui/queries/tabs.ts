import { SPAN_CATEGORIES, type SpanCategory } from "../../telemetry/records.ts";

export type NamedCategory = Exclude<SpanCategory, "">;

/** Categories of spans that stand under one tab. */
export interface QueryTab {
  /** In the URL. */
  readonly id: string;
  readonly label: string;
  /** What its list lists, in the plural. */
  readonly what: string;
  readonly categories: readonly NamedCategory[];
}

const NAMED = SPAN_CATEGORIES.filter((category) => category !== "");

export const QUERY_TABS: readonly QueryTab[] = [
  { id: "db", label: "Database", what: "database queries", categories: ["db"] },
  { id: "http", label: "Outbound HTTP", what: "outbound requests", categories: ["http"] },
  { id: "cache", label: "Caches", what: "cache operations", categories: ["cache"] },
  { id: "queue", label: "Queues", what: "queue operations", categories: ["queue"] },
  {
    id: "other",
    label: "Other",
    what: "other calls",
    categories: ["rpc", "render", "resource", "file", "ai"],
  },
  { id: "all", label: "All", what: "queries and calls", categories: NAMED },
];

/** What a list is asked for: a tab, or one category of it. */
export interface QueryChoice {
  readonly tab: QueryTab;
  readonly categories: readonly NamedCategory[];
  /** As it stands in the URL. */
  readonly id: string;
}

/** The category of that name, or null. */
export function categoryNamed(name: string | null): NamedCategory | null {
  return NAMED.find((category) => category === name) ?? null;
}

/**
 * Reads `category`. What names neither a tab nor a category is as good as absent: then it is the first tab that has
 * something.
 *
 * @param present categories that occur
 */
export function readQueryChoice(name: string | null, present: ReadonlySet<string>): QueryChoice {
  const category = categoryNamed(name);
  const named = QUERY_TABS.find(({ id }) => id === name);
  if (named === undefined && category !== null) {
    const tab = QUERY_TABS.find(({ categories }) => categories.includes(category));
    if (tab !== undefined) return { tab, categories: [category], id: category };
  }
  const tab = named ??
    QUERY_TABS.find(({ categories }) => categories.some((each) => present.has(each))) ??
    QUERY_TABS[0] as QueryTab;
  return { tab, categories: tab.categories, id: tab.id };
}
