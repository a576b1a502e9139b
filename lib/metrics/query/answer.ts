import { t } from "../../core/language/translate.ts";
import type { MetricKind } from "../../records/metric_batch.ts";
import { type CatalogSeries, findMetrics, type StoredMetric } from "../catalog.ts";
import { labelOf, type Labels, seriesMatcher } from "../filter.ts";
import {
  type Aggregation,
  aggregationsOf,
  InvalidQuery,
  isClassicBuckets,
  isQuantile,
  meantMetric,
  type MetricQuery,
  type MetricScope,
  type SeriesFigures,
} from "../query_types.ts";
import { classicBounds, ClassicFigures } from "./classic_figures.ts";
import { eachSeries, type QueryServices, readOf, type SeriesRead } from "./shared_reads.ts";
import {
  columnsFor,
  type FigureSteps,
  type GroupFigures,
  groupFigures,
  wholeStepsOf,
} from "./figures.ts";
import { wholeOf } from "./steps.ts";

/** A query whose metric is known. */
export interface AskedQuery {
  readonly projectId: string;
  readonly scope: MetricScope;
  readonly query: MetricQuery;
  /** Null: nobody has sent it. */
  readonly metric: StoredMetric | null;
  /** Of the room for groups, 0 to 1. */
  readonly share: number;
}

export interface AnsweredGroup extends Group {
  /** One a step. */
  readonly values: readonly (number | null)[];
  readonly figures: SeriesFigures;
}

/** What a query comes to, before the largest groups are chosen. */
export interface Answer {
  /** The largest first. Of very many only the largest are there. */
  readonly groups: readonly AnsweredGroup[];
  /** Groups that have anything. */
  readonly groupCount: number;
  /** Series that have anything. */
  readonly seriesCount: number;
  readonly unit: string;
  /** Stored blocks that could not be read. */
  readonly damaged: number;
  readonly isCoarsened: boolean;
}

/** Values in memory at once: histograms are larger than numbers. */
const MAX_VALUES = { numbers: 1_000_000, histograms: 100_000 };

const NOTHING: Omit<Answer, "unit"> = {
  groups: [],
  groupCount: 0,
  seriesCount: 0,
  damaged: 0,
  isCoarsened: false,
};

/**
 * Answers a query along steps: filter, then each series by step, then all series of a group.
 *
 * @throws {InvalidQuery} for a regular expression that is none
 */
export async function answer(
  services: QueryServices,
  asked: AskedQuery,
  steps: FigureSteps,
): Promise<Answer> {
  const { projectId, query, metric, scope } = asked;
  const isMeant = seriesMatcher(query.filter, scope);
  if (metric === null) return { ...NOTHING, unit: "" };
  const unit = resultUnit(metric, query.aggregation);
  const read = await readOf(services, projectId, metric, isMeant, steps);
  const grouping = groupSeries(read.series, query.groupBy);
  const room = roomFor(asked, read);
  if (grouping.groups.length <= room) {
    return { ...await readGroups(services, query, read, grouping), unit };
  }
  const wholeSteps = { ...steps, ...wholeOf(steps) };
  const whole = await readGroups(services, query, { ...read, steps: wholeSteps }, grouping);
  const kept = new Set(whole.groups.slice(0, room).map(({ key }) => key));
  const series = read.series.filter(({ seriesId }) => {
    const group = grouping.groups[grouping.placeOf.get(seriesId) ?? -1];
    return group !== undefined && kept.has(group.key);
  });
  const largest = { ...read, series, isAll: false };
  const found = await readGroups(services, query, largest, groupSeries(series, query.groupBy));
  const { groupCount, seriesCount } = whole;
  return { ...found, groupCount, seriesCount, unit };
}

async function readGroups(
  services: QueryServices,
  query: MetricQuery,
  read: SeriesRead<FigureSteps>,
  { groups, placeOf }: Grouping,
): Promise<Omit<Answer, "unit">> {
  const { metric, steps } = read;
  const figures = figuresFor(query, read, groups.length);
  const seen = new Set<number>();
  let seriesCount = 0;
  const asked = { ...read, columns: columnsFor(query.aggregation) };
  const damaged = await eachSeries(services, asked, (each, labels) => {
    const place = placeOf.get(each.seriesId);
    if (place === undefined || each.times.length === 0) return;
    figures.add(place, each, labels);
    seen.add(place);
    seriesCount++;
  });
  const divisor = isAdditive(metric.kind, query.aggregation) ? wholeStepsOf(steps) : 1;
  const answered = [...seen].flatMap((place): AnsweredGroup[] => {
    const group = groups[place];
    return group === undefined ? [] : [answeredGroup(group, place, figures, steps, divisor)];
  });
  const { isCoarsened } = figures;
  return {
    groups: answered.sort(largestFirst),
    groupCount: seen.size,
    seriesCount,
    damaged,
    isCoarsened,
  };
}

function figuresFor(
  { aggregation }: MetricQuery,
  { metric, series, steps }: SeriesRead<FigureSteps>,
  groupCount: number,
): GroupFigures {
  return isClassicBuckets(metric) && isQuantile(aggregation)
    ? new ClassicFigures(aggregation, groupCount, classicBounds(series), steps)
    : groupFigures(metric.kind, aggregation, groupCount, steps);
}

/** How many groups can be answered step by step at once. */
function roomFor(
  { query: { aggregation, top }, share }: AskedQuery,
  { metric, series, steps: { count } }: SeriesRead,
): number {
  const isClassic = isClassicBuckets(metric) && isQuantile(aggregation);
  const valuesAStep = isClassic ? Math.max(classicBounds(series).length, 1) : 1;
  const max = metric.kind === "histogram" ? MAX_VALUES.histograms : MAX_VALUES.numbers;
  return Math.max(top, Math.floor(max * share / (count * valuesAStep)));
}

function answeredGroup(
  group: Group,
  place: number,
  figures: GroupFigures,
  steps: FigureSteps,
  divisor: number,
): AnsweredGroup {
  const values = Array.from({ length: steps.count }, (_, step) => figures.value(place, step));
  const whole = figures.whole(place);
  return {
    ...group,
    values,
    figures: { ...extremesOf(values), avg: whole === null ? null : whole / divisor },
  };
}

/** What a line's steps tell of it. */
export function extremesOf(
  values: readonly (number | null)[],
): Pick<SeriesFigures, "min" | "max" | "last"> {
  let [min, max] = [Infinity, -Infinity];
  let last: number | null = null;
  for (const value of values) {
    if (value === null) continue;
    min = Math.min(min, value);
    max = Math.max(max, value);
    last = value;
  }
  return last === null ? { min: null, max: null, last } : { min, max, last };
}

/** By the whole time; equal ones by their labels. */
export function largestFirst(some: AnsweredGroup, other: AnsweredGroup): number {
  const difference = (other.figures.avg ?? -Infinity) - (some.figures.avg ?? -Infinity);
  if (difference !== 0 && !Number.isNaN(difference)) return difference;
  return some.key < other.key ? -1 : some.key > other.key ? 1 : 0;
}

/** Series by the group they belong to. */
interface Grouping {
  readonly groups: readonly Group[];
  /** The place of a series' group, by series id. */
  readonly placeOf: ReadonlyMap<string, number>;
}

interface Group {
  /** The same for the same labels, in whatever order. */
  readonly key: string;
  readonly labels: Labels;
}

/** Groups series by labels; without any there is one group. */
function groupSeries(
  series: readonly CatalogSeries[],
  groupBy: readonly string[],
): Grouping {
  const keys = [...new Set(groupBy)].sort();
  const places = new Map<string, number>();
  const groups: Group[] = [];
  const placeOf = new Map<string, number>();
  for (const { seriesId, labels } of series) {
    const values = keys.map((key) => labelOf(labels, key));
    const text = JSON.stringify(values);
    let place = places.get(text);
    if (place === undefined) {
      places.set(text, place = groups.length);
      groups.push(groupOf(keys, groupBy, values));
    }
    placeOf.set(seriesId, place);
  }
  return { groups, placeOf };
}

function groupOf(
  keys: readonly string[],
  order: readonly string[],
  values: readonly string[],
): Group {
  const entries = keys.map((key, place): [string, string] => [key, values[place] ?? ""]);
  const byKey = new Map(entries);
  return {
    key: JSON.stringify(entries),
    labels: Object.fromEntries(order.map((label) => [label, byKey.get(label) ?? ""])),
  };
}

/**
 * The metric that a query means: of its kind and unit, or else the one of that name that was seen last.
 *
 * @returns null when nobody has sent it
 * @throws {InvalidQuery} when metrics of its kind do not have the aggregation
 */
export async function chooseMetric(
  { sql, shared }: Pick<QueryServices, "sql" | "shared">,
  projectId: string,
  { id, metric: name, kind, unit, aggregation }: MetricQuery,
): Promise<StoredMetric | null> {
  const metrics = await (shared?.metricsNamed(sql, projectId, name) ??
    findMetrics(sql, projectId, name));
  const metric = meantMetric(metrics, { kind, unit });
  const known = metric?.kind ?? kind;
  const has = known === null ? null : aggregationsOf({ name, kind: known });
  if (known !== null && has !== null && !has.includes(aggregation)) {
    throw new InvalidQuery(
      t("Query {id}: {name} is a {kind}, which has {has}, and not {aggregation}.", {
        id,
        name,
        kind: t(known),
        has: has.join(", "),
        aggregation,
      }),
    );
  }
  return metric ?? null;
}

/** Whether an aggregation adds up along the time, so that its mean over steps says more than its whole. */
function isAdditive(kind: MetricKind, aggregation: Aggregation): boolean {
  return {
    counter: ["increase"],
    gauge: ["count"],
    histogram: ["increase", "count", "sum"],
  }[kind].includes(aggregation);
}

/** The unit of what a metric is aggregated to. */
function resultUnit({ kind, unit }: StoredMetric, aggregation: Aggregation): string {
  if (aggregation === "count") return "";
  if (kind === "histogram") {
    if (aggregation === "rate") return "/s";
    return aggregation === "increase" ? "" : unit;
  }
  // Quantiles of classic buckets are of what was observed, whose unit Prometheus only tells in the name.
  if (isQuantile(aggregation)) return "";
  return kind === "counter" && aggregation !== "increase" ? `${unit}/s` : unit;
}
