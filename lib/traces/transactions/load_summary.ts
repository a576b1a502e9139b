import { brushedIn } from "../../ui/charts/axis.ts";
import {
  type Course,
  type PageScope,
  readCourse,
  selectionOf,
} from "../../releases/request_scope.ts";
import type { Sql } from "../../store/database.ts";
import { type Grouped, readStats } from "../../store/stats/read_stats.ts";
import type { Bucket } from "../../store/stats/sketch.ts";
import { type Breakdown, breakDown } from "./span_breakdown.tsx";
import {
  countFacets,
  type Facets,
  listSamples,
  type RelatedIssue,
  relatedIssues,
  SAMPLE_ORDERS,
  type SampleOrder,
  type SampleSelection,
  type TransactionSample,
} from "./transaction_samples.tsx";

/** What the page of one transaction is asked for. */
export interface SummaryParams {
  readonly name: string;
  readonly order: SampleOrder;
  /** Chosen in the histogram, in milliseconds; null: all. */
  readonly range: { readonly min: number; readonly max: number } | null;
  /** Releases to compare; `""`: the two newest. */
  readonly baseline: string;
  readonly candidate: string;
}

export interface Summary extends Course {
  readonly params: SummaryParams;
  /** Operations that go by this name. */
  readonly ops: readonly string[];
  readonly protocols: readonly string[];
  readonly histogram: readonly Bucket[];
  readonly samples: readonly TransactionSample[];
  /** From here on a transaction is a slow one, in milliseconds; null when there is none. */
  readonly slowFrom: number | null;
  readonly facets: readonly ComparedFacet[];
  readonly breakdown: Breakdown;
  readonly issues: readonly RelatedIssue[];
  /** By release, most transactions first. */
  readonly byRelease: readonly Grouped<"release">[];
}

const MAX_NAME = 200;
const SAMPLES = 20;
/** Transactions whose spans are read. */
const BROKEN_DOWN = 60;
/** What is slower than this share of all is slow. */
const SLOW = 0.95;

/** Reads the parameters of the page; null without a name. */
export function readSummaryParams(search: URLSearchParams): SummaryParams | null {
  const name = (search.get("name") ?? "").slice(0, MAX_NAME);
  if (name === "") return null;
  return {
    name,
    order: SAMPLE_ORDERS.find((order) => order === search.get("samples")) ?? "slowest",
    range: brushedIn(search),
    baseline: (search.get("baseline") ?? "").slice(0, MAX_NAME),
    candidate: (search.get("candidate") ?? "").slice(0, MAX_NAME),
  };
}

/** Reads all that the page of one transaction shows. */
export async function loadSummary(
  sql: Sql,
  pageScope: PageScope,
  params: SummaryParams,
): Promise<Summary> {
  const { interval, project, scope } = pageScope;
  const counted = selectionOf(pageScope, "transaction", { where: { name: params.name } });
  const selection: SampleSelection = {
    projectId: project.id,
    ...scope,
    ...interval,
    name: params.name,
    minMs: params.range?.min ?? null,
    maxMs: params.range?.max ?? null,
  };
  const whole: SampleSelection = { ...selection, minMs: null, maxMs: null };
  const [course, kinds, samples, newest, issues, byRelease] = await Promise.all([
    readCourse(sql, pageScope, counted),
    readStats(sql, counted, ["op", "protocol"], ["sketch", "users"]),
    listSamples(sql, selection, params.order, SAMPLES),
    listSamples(sql, selection, "newest", BROKEN_DOWN),
    relatedIssues(sql, selection),
    readStats(sql, counted, ["release"]),
  ]);
  const { total } = course;
  const slowFrom = total.sketch.quantile(SLOW);
  const [breakdown, all, slow] = await Promise.all([
    breakDown(sql, project.id, newest),
    countFacets(sql, whole),
    slowFrom === null ? { total: 0, counts: [] } : countFacets(sql, {
      ...whole,
      minMs: params.range?.min ?? slowFrom,
      maxMs: selection.maxMs,
    }),
  ]);
  return {
    params,
    ...course,
    ops: [...new Set(kinds.map(({ op }) => op))],
    protocols: [...new Set(kinds.map(({ protocol }) => protocol))],
    histogram: coarser(total.sketch.buckets()),
    samples,
    slowFrom,
    facets: compareFacets(slow, all),
    breakdown,
    issues,
    byRelease: byRelease.toSorted((a, b) => b.count - a.count),
  };
}

/** A tag value, and how much more frequent it is among the slow. */
export interface ComparedFacet {
  readonly key: string;
  readonly value: string;
  /** Shares of transactions that have it, 0 to 1. */
  readonly ofSlow: number;
  readonly ofAll: number;
  /** Slow transactions that have it. */
  readonly slowCount: number;
}

const MAX_FACETS = 12;
/** Fewer slow ones than this are chance. */
const MIN_SLOW = 5;
/** Smaller differences are chance as well. */
const MIN_DIFFERENCE = 0.05;

/** The tag values that slow transactions have more often than all, the most telling first. */
function compareFacets(slow: Facets, all: Facets): ComparedFacet[] {
  if (slow.total === 0 || all.total === 0) return [];
  const counts = new Map(all.counts.map(({ key, value, count }) => [`${key}\0${value}`, count]));
  return slow.counts
    .map(({ key, value, count }) => ({
      key,
      value,
      ofSlow: count / slow.total,
      ofAll: (counts.get(`${key}\0${value}`) ?? 0) / all.total,
      slowCount: count,
    }))
    .filter(({ ofSlow, ofAll, slowCount }) =>
      slowCount >= MIN_SLOW && ofSlow - ofAll >= MIN_DIFFERENCE
    )
    .sort((a, b) => (b.ofSlow - b.ofAll) - (a.ofSlow - a.ofAll))
    .slice(0, MAX_FACETS);
}

/** Buckets of a sketch that become one bar: eight bars for each doubling are too many to see apart. */
const TOGETHER = 8;
const SKETCH_BASE = 2 ** (1 / 32);

/** Buckets of a sketch as fewer and wider ones, four for each doubling; zeros go to the first. */
export function coarser(buckets: readonly Bucket[]): Bucket[] {
  const wide = new Map<number, number>();
  let zeros = 0;
  for (const { from, to, count } of buckets) {
    if (to === 0) {
      zeros += count;
      continue;
    }
    const place = Math.floor(Math.round(Math.log(from) / Math.log(SKETCH_BASE)) / TOGETHER);
    wide.set(place, (wide.get(place) ?? 0) + count);
  }
  const bars = [...wide].sort(([a], [b]) => a - b).map(([place, count]) => ({
    from: SKETCH_BASE ** (place * TOGETHER),
    to: SKETCH_BASE ** ((place + 1) * TOGETHER),
    count,
  }));
  const [first, ...rest] = bars;
  if (zeros === 0) return bars;
  return first === undefined
    ? [{ from: 0.001, to: 0.002, count: zeros }]
    : [{ ...first, count: first.count + zeros }, ...rest];
}
