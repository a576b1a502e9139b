import { message } from "../../core/language/translate.ts";
import type { Sql } from "../../store/database.ts";
import { MAX_GROUPS, readStats } from "../../store/stats/read_stats.ts";
import { type Stats, sumOf } from "../../store/stats/stats.ts";
import { type PageScope, selectionOf } from "../../releases/request_scope.ts";
import {
  type ListPage,
  pageOf,
  readSorting,
  type SortColumn,
  sorted,
  type Sorting,
} from "../../ui/sorted_list.tsx";
import { before } from "../../store/stats/steps.ts";
import { pageScore, type Vital, VITALS } from "./vital_scores.ts";

/** Counts by name of the vital. */
export type VitalStats = ReadonlyMap<string, Stats>;

/** One page of a site. */
export interface PageRow {
  readonly name: string;
  readonly loads: number;
  readonly vitals: VitalStats;
  /** By name of the vital. */
  readonly p75: Readonly<Record<Vital["name"], number | null>>;
  /** 0 to 1. */
  readonly score: number | null;
}

export interface VitalList {
  /** Of all pages, whatever is searched for. */
  readonly total: VitalStats;
  /** In the time before. */
  readonly previous: VitalStats;
  readonly list: ListPage<PageRow>;
  readonly sorting: Sorting;
  readonly query: string;
  /** There are more pages than are read. */
  readonly isCut: boolean;
}

export const PAGE_COLUMNS: readonly SortColumn<PageRow>[] = [
  {
    key: "name",
    label: message("Page"),
    value: ({ name }) => name,
    cellClass: "w-full max-w-0 min-w-48",
  },
  { key: "loads", label: message("Page loads"), value: ({ loads }) => loads },
  ...VITALS.map(({ name, label }): SortColumn<PageRow> => ({
    key: name,
    label,
    value: ({ p75 }) => p75[name],
  })),
  { key: "score", label: message("Score"), value: ({ score }) => score },
];

const MAX_QUERY = 200;

/** Reads how good the pages of a project are for those who visit them. */
export async function loadVitals(
  sql: Sql,
  pageScope: PageScope,
  search: URLSearchParams,
): Promise<VitalList> {
  const query = (search.get("query") ?? "").trim().slice(0, MAX_QUERY);
  const [all, previous, { pages, isCut }] = await Promise.all([
    query === "" ? null : readTotals(sql, pageScope),
    readTotals(sql, pageScope, before(pageScope.interval)),
    readPages(sql, pageScope, query),
  ]);
  // What the list itself tells is not read twice.
  const total = all ?? (isCut ? await readTotals(sql, pageScope) : together([...pages.values()]));
  const sorting = readSorting(search.get("sort"), PAGE_COLUMNS, {
    key: "loads",
    isDescending: true,
  });
  const rows = sorted([...pages].map(rowOf), PAGE_COLUMNS, sorting);
  return {
    total,
    previous,
    list: pageOf(rows, search.get("page")),
    sorting,
    query,
    isCut,
  };
}

/**
 * Reads the vitals of a selection.
 *
 * @param extra narrows or moves what is selected
 */
export async function readTotals(
  sql: Sql,
  pageScope: PageScope,
  extra: Parameters<typeof selectionOf>[2] = {},
): Promise<VitalStats> {
  const groups = await readStats(sql, selectionOf(pageScope, "vital", extra), ["op"]);
  return new Map(groups.map((group) => [group.op, group]));
}

/** Vitals of several pages added up, by name of the vital. */
function together(pages: readonly VitalStats[]): VitalStats {
  return new Map(VITALS.flatMap(({ name }) => {
    const found = pages.flatMap((vitals) => vitals.get(name) ?? []);
    // Vitals are not counted by user: of none of them there are any.
    return found.length === 0 ? [] : [[name, { ...sumOf(found), users: 0 }]];
  }));
}

/** How many page loads vitals stand for: those that come once a load, with what was sampled away. */
export function loadsOf(vitals: VitalStats): number {
  const weights = ["lcp", "fcp", "ttfb"].map((name) => vitals.get(name)?.weight ?? 0);
  return Math.round(Math.max(...weights));
}

/** What three of four visits do not exceed, by name of the vital. */
export function quartiles(vitals: VitalStats): PageRow["p75"] {
  const p75 = (name: Vital["name"]) => vitals.get(name)?.sketch.quantile(0.75) ?? null;
  return { lcp: p75("lcp"), inp: p75("inp"), cls: p75("cls"), fcp: p75("fcp"), ttfb: p75("ttfb") };
}

/** Vitals by page, each by its name; with whether there are more pages than are read. */
export async function readPages(
  sql: Sql,
  pageScope: PageScope,
  query: string,
): Promise<{ pages: Map<string, Map<string, Stats>>; isCut: boolean }> {
  const like = query === "" ? {} : { nameLike: query };
  const where = { op: VITALS.map(({ name }) => name) };
  // Cut by each vital: together, the scores, whose sums are small, would be the first to be cut off.
  const groups = await readStats(
    sql,
    selectionOf(pageScope, "vital", { where, ...like }),
    ["op", "name"],
    [],
    "op",
  );
  const pages = new Map<string, Map<string, Stats>>();
  for (const group of groups) {
    const vitals = pages.get(group.name) ?? new Map<string, Stats>();
    pages.set(group.name, vitals.set(group.op, group));
  }
  const byVital = Map.groupBy(groups, ({ op }) => op);
  return { pages, isCut: [...byVital.values()].some(({ length }) => length === MAX_GROUPS) };
}

function rowOf([name, vitals]: [string, ReadonlyMap<string, Stats>]): PageRow {
  return {
    name,
    loads: loadsOf(vitals),
    vitals,
    // Of the rows of a page alone, but for that by which all are sorted.
    get p75() {
      return quartiles(vitals);
    },
    get score() {
      return pageScore(vitals);
    },
  };
}
