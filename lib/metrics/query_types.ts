/** What pages, API and alerts ask of metrics, and what they get. */
import { t } from "../core/language/translate.ts";
import type { Metric } from "../records/metric_batch.ts";
import type { MetricKind } from "../records/mod.ts";

export const METRIC_KINDS = [
  "counter",
  "gauge",
  "histogram",
] as const satisfies readonly MetricKind[];

/** docs/metrics.md, "What a query means", has the exact meaning of each for each kind. */
export const AGGREGATIONS = [
  "avg",
  "sum",
  "min",
  "max",
  "last",
  "count",
  "rate",
  "increase",
  "p50",
  "p75",
  "p90",
  "p95",
  "p99",
] as const;
export type Aggregation = (typeof AGGREGATIONS)[number];

/**
 * Which aggregations a kind of metric has, the usual one first. Counters of Prometheus' buckets (`…_bucket` by `le`) have
 * quantiles as well: `aggregationsOf()` tells.
 */
export const AGGREGATIONS_OF: Readonly<Record<MetricKind, readonly Aggregation[]>> = {
  counter: ["rate", "increase", "avg", "min", "max", "count"],
  gauge: ["avg", "sum", "min", "max", "last", "count"],
  histogram: [
    "p95",
    "p50",
    "p75",
    "p90",
    "p99",
    "avg",
    "sum",
    "min",
    "max",
    "count",
    "rate",
    "increase",
  ],
};

export type MatchOperator = "=" | "!=" | "=~" | "!~";

/** A label that a series does not have is as good as `""`. Patterns are RE2's and match whole values. */
export interface LabelMatcher {
  readonly label: string;
  readonly operator: MatchOperator;
  readonly value: string;
}

export interface MetricQuery {
  /** One lower-case letter: what formulas call it. */
  readonly id: string;
  readonly metric: string;
  /** Null: the kind and unit that were seen last. */
  readonly kind: MetricKind | null;
  readonly unit: string | null;
  readonly aggregation: Aggregation;
  readonly filter: readonly LabelMatcher[];
  /** Labels; without any there is one group. */
  readonly groupBy: readonly string[];
  /** How many groups are answered, those with the largest values first; the rest is counted. At most 500. */
  readonly top: number;
}

/** Arithmetic over queries: `+ - * /`, brackets, numbers, ids of queries. Groups meet by equal labels. */
export interface Formula {
  /** `f1`, `f2`, … */
  readonly id: string;
  readonly expression: string;
  /** Of the result; `""`: none. */
  readonly unit: string;
}

/** Empty lists mean all. */
export interface MetricScope {
  readonly environments: readonly string[];
  readonly releases: readonly string[];
  readonly services: readonly string[];
}

export const WHOLE_SCOPE: MetricScope = { environments: [], releases: [], services: [] };

export interface QueryRequest {
  readonly projectId: string;
  /** `end` is exclusive. */
  readonly start: Date;
  readonly end: Date;
  /**
   * Null: chosen for about 240 steps, and never below how often the points come. Of exactly the range's length: one step
   * that is the range, wherever it begins; that is how windows are asked for.
   */
  readonly stepMs: number | null;
  readonly scope: MetricScope;
  /** At most 10. */
  readonly queries: readonly MetricQuery[];
  /** At most 10. */
  readonly formulas: readonly Formula[];
  /** Answers the time as long before as well, shifted onto this one. */
  readonly comparesPrevious: boolean;
}

/** What a group is over the whole time; nulls where it has nothing. */
export interface SeriesFigures {
  /** Of its steps. */
  readonly min: number | null;
  readonly max: number | null;
  /** The aggregation of the whole time as one step; the mean of a step for what adds up along the time. */
  readonly avg: number | null;
  readonly last: number | null;
}

export interface ResultSeries {
  /** Of the query or formula. */
  readonly queryId: string;
  /** One for each label of `groupBy`; `""` where series have none. */
  readonly labels: Readonly<Record<string, string>>;
  readonly isPrevious: boolean;
  /** One a step; null where there is nothing. */
  readonly values: readonly (number | null)[];
  readonly figures: SeriesFigures;
}

/** What became of one query or formula. */
export interface QueryFacts {
  readonly id: string;
  /** UCUM, of the values: a rate's is per second (`By/s`). `""`: none. */
  readonly unit: string;
  /** Null for formulas and for metrics that nobody has sent. */
  readonly kind: MetricKind | null;
  /** Series that matched. */
  readonly seriesCount: number;
  /** Whether the values of groups add up to that of all, so that they may stand upon each other: quantiles do not. */
  readonly addsUp: boolean;
  /** A quantile of a histogram that came without buckets: there is no value, while counts and averages have some. */
  readonly lacksBuckets?: true;
  /** Groups there are; more than were answered when over `top`. */
  readonly groupCount: number;
}

export interface QueryResult {
  /** Beginnings of the steps in milliseconds, ascending; multiples of `stepMs` unless there is one that is the range. */
  readonly times: readonly number[];
  readonly stepMs: number;
  /** Queries in their order, then formulas; the largest groups first. */
  readonly series: readonly ResultSeries[];
  readonly facts: readonly QueryFacts[];
  /** Sentences for whoever looks: what was widened, cut or could not be read. */
  readonly notes: readonly string[];
}

const SHARES: Readonly<Partial<Record<Aggregation, number>>> = {
  p50: 0.5,
  p75: 0.75,
  p90: 0.9,
  p95: 0.95,
  p99: 0.99,
};
const QUANTILES = AGGREGATIONS.filter(isQuantile);

/** The aggregations of a metric, the usual one first. */
export function aggregationsOf(metric: Pick<Metric, "name" | "kind">): readonly Aggregation[] {
  const usual = AGGREGATIONS_OF[metric.kind];
  return isClassicBuckets(metric) ? [...usual, ...QUANTILES] : usual;
}

/** Of the metrics of one name, the one of a kind and unit; null stands for any. The one seen last comes first. */
export function meantMetric<M extends Pick<Metric, "kind" | "unit">>(
  metrics: readonly M[],
  { kind, unit }: Pick<MetricQuery, "kind" | "unit">,
): M | undefined {
  return metrics.find((each) =>
    (kind === null || each.kind === kind) && (unit === null || each.unit === unit)
  );
}

/** Whether a counter is the buckets of a histogram as Prometheus counts them, each by its bound `le`. */
export function isClassicBuckets({ name, kind }: Pick<Metric, "name" | "kind">): boolean {
  return kind === "counter" && name.endsWith("_bucket");
}

/** Whether an aggregation is a quantile. */
export function isQuantile(aggregation: Aggregation): boolean {
  return SHARES[aggregation] !== undefined;
}

/** The share that a quantile's name tells, 0.95 of `p95`; null of other aggregations. */
export function shareOf(aggregation: Aggregation): number | null {
  return SHARES[aggregation] ?? null;
}

/** A question about metrics that has no answer; the message is a sentence for whoever asked. */
export class InvalidQuery extends Error {
  override name = "InvalidQuery";
}

/** Nobody waits longer, and what goes on unseen takes time and memory from others. */
const LIMIT_MS = 20_000;

/** Until when a question about metrics may be read for. */
export class Deadline {
  readonly #end: number;

  /** @param limitMs from now on */
  constructor(readonly limitMs = LIMIT_MS) {
    this.#end = performance.now() + limitMs;
  }

  /** @throws {InvalidQuery} when the time is over */
  check(): void {
    if (performance.now() < this.#end) return;
    throw new InvalidQuery(
      t(
        "Reading this takes longer than {seconds} s: choose a shorter time or a longer step in whole minutes, or filter more.",
        { seconds: this.limitMs / 1_000 },
      ),
    );
  }
}
