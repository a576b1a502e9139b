/** Points of a series that were stored apart become one list. */
import type { HistogramPoint, MetricKind, Temporality } from "../records/metric_batch.ts";
import { joinedColumn } from "./list_column.ts";
import type { RawHistograms, RawNumbers, RawSeries } from "./points.ts";
import { isWithin } from "./step_runs.ts";

/**
 * Joins what was stored of one series, by time. Of two points at one time the one that came later stays; observed ones
 * all stay, since each tells of something else.
 *
 * @param parts in the order in which they came, at least one
 */
export function mergeRaw(parts: readonly RawSeries[]): RawSeries {
  const [first] = parts;
  if (first === undefined) throw new Error("Cannot merge: there is no series");
  return first.shape === "number"
    ? mergeNumbers(first, parts.filter((part): part is RawNumbers => part.shape === "number"))
    : mergeHistograms(
      first,
      parts.filter((part): part is RawHistograms => part.shape === "histogram"),
    );
}

function mergeNumbers(first: RawNumbers, parts: readonly RawNumbers[]): RawNumbers {
  if (parts.length === 1 && isAscending(first.times)) return first;
  const times = joinedColumn(parts.map((part) => part.times));
  const starts = joinedColumn(parts.map((part) => part.starts));
  const values = joinedColumn(parts.map((part) => part.values));
  if (isAscending(times)) return { ...first, times, starts, values };
  const order = orderOf(times, first.temporality);
  const pick = (column: Float64Array) => Float64Array.from(order, (place) => column[place] ?? 0);
  return { ...first, times: pick(times), starts: pick(starts), values: pick(values) };
}

function mergeHistograms(first: RawHistograms, parts: readonly RawHistograms[]): RawHistograms {
  const points = parts.length === 1 ? first.points : parts.flatMap((part) => part.points);
  const times = Float64Array.from(points, ({ timeMs }) => timeMs);
  if (isAscending(times)) return { ...first, points };
  const sorted = orderOf(times, first.temporality)
    .flatMap((place): readonly HistogramPoint[] => points.slice(place, place + 1));
  return { ...first, points: sorted };
}

/** Strictly: then there are no repeats either. */
function isAscending(times: Float64Array): boolean {
  for (let place = 1; place < times.length; place++) {
    if ((times[place - 1] ?? 0) >= (times[place] ?? 0)) return false;
  }
  return true;
}

/** Places by time; of those at one time the last, or all of them. */
function orderOf(times: Float64Array, temporality: Temporality): number[] {
  const order = Array.from(times.keys());
  order.sort((one, other) => (times[one] ?? 0) - (times[other] ?? 0));
  if (temporality === "observed") return order;
  return order.filter((place, rank) => {
    const next = order[rank + 1];
    return next === undefined || times[next] !== times[place];
  });
}

/** How many points a series has. */
export function pointCount(series: RawSeries): number {
  return series.shape === "number" ? series.times.length : series.points.length;
}

/** The points that lie within a time; see {@linkcode isWithin} for its edges. */
export function clipRaw(
  series: RawSeries,
  kind: MetricKind,
  startMs: number,
  endMs: number,
): RawSeries {
  if (series.shape === "histogram") {
    const points = series.points.filter(({ timeMs }) => isWithin(kind, timeMs, startMs, endMs));
    return points.length === series.points.length ? series : { ...series, points };
  }
  const { times, starts, values } = series;
  let from = 0;
  while (from < times.length && !isWithin(kind, times[from] ?? 0, startMs, endMs)) from++;
  let to = times.length;
  while (to > from && !isWithin(kind, times[to - 1] ?? 0, startMs, endMs)) to--;
  if (from === 0 && to === times.length) return series;
  return {
    ...series,
    times: times.subarray(from, to),
    starts: starts.subarray(from, to),
    values: values.subarray(from, to),
  };
}
