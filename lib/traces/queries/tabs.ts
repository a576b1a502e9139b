import { SPAN_CATEGORIES, type SpanCategory } from "../../records/mod.ts";

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

const DATABASE: QueryTab = {
  id: "db",
  label: "Database",
  what: "database queries",
  categories: ["db"],
};

export const QUERY_TABS: readonly QueryTab[] = [
  DATABASE,
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
