import type { Sql } from "../../store/database.ts";
import { type Breakdown, breakDown } from "./span_breakdown.ts";
import { type Grouped, readStats, readStatsOverTime } from "../../store/stats/read_stats.ts";
import type { Bucket } from "../../store/stats/sketch.ts";
import { NO_STATS, type Stats } from "../../store/stats/stats.ts";
import {
  countFacets,
  listSamples,
  type RelatedIssue,
  relatedIssues,
  SAMPLE_ORDERS,
  type SampleOrder,
  type SampleSelection,
  type TransactionSample,
} from "./transaction_samples.ts";
import { selectionOf, type Tracing } from "../../releases/load_tracing.ts";
import { alongInterval, before, stepOf, type Steps } from "../../store/stats/steps.ts";
import { type ComparedFacet, compareFacets } from "./compare_facets.ts";
import { coarser } from "./coarser.ts";

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

export interface Summary {
  readonly params: SummaryParams;
  readonly total: Stats;
  readonly previous: Stats;
  /** Operations that go by this name. */
  readonly ops: readonly string[];
  readonly protocols: readonly string[];
  readonly steps: Steps;
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
  const [min, max] = [Number(search.get("min") ?? NaN), Number(search.get("max") ?? NaN)];
  return {
    name,
    order: SAMPLE_ORDERS.find((order) => order === search.get("samples")) ?? "slowest",
    range: min >= 0 && max > min && Number.isFinite(max) ? { min, max } : null,
    baseline: (search.get("baseline") ?? "").slice(0, MAX_NAME),
    candidate: (search.get("candidate") ?? "").slice(0, MAX_NAME),
  };
}

/** Reads all that the page of one transaction shows. */
export async function loadSummary(
  sql: Sql,
  tracing: Tracing,
  params: SummaryParams,
): Promise<Summary> {
  const { interval, now, project, scope } = tracing;
  const where = { name: params.name };
  const stepMs = stepOf(interval, now);
  const selection: SampleSelection = {
    projectId: project.id,
    ...scope,
    ...interval,
    name: params.name,
    minMs: params.range?.min ?? null,
    maxMs: params.range?.max ?? null,
  };
  const whole: SampleSelection = { ...selection, minMs: null, maxMs: null };
  const [totals, kinds, previous, points, samples, newest, issues, byRelease] = await Promise.all([
    readStats(sql, selectionOf(tracing, "transaction", { where }), []),
    readStats(sql, selectionOf(tracing, "transaction", { where }), ["op", "protocol"], [
      "sketch",
      "users",
    ]),
    readStats(sql, selectionOf(tracing, "transaction", { where, ...before(interval) }), []),
    readStatsOverTime(sql, selectionOf(tracing, "transaction", { where }), stepMs, ["users"]),
    listSamples(sql, selection, params.order, SAMPLES),
    listSamples(sql, selection, "newest", BROKEN_DOWN),
    relatedIssues(sql, selection),
    readStats(sql, selectionOf(tracing, "transaction", { where }), ["release"]),
  ]);
  const [total = NO_STATS] = totals;
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
    total,
    previous: previous[0] ?? NO_STATS,
    ops: [...new Set(kinds.map(({ op }) => op))],
    protocols: [...new Set(kinds.map(({ protocol }) => protocol))],
    steps: alongInterval(points, interval, stepMs, now),
    histogram: coarser(total.sketch.buckets()),
    samples,
    slowFrom,
    facets: compareFacets(slow, all),
    breakdown,
    issues,
    byRelease: byRelease.toSorted((a, b) => b.count - a.count),
  };
}
