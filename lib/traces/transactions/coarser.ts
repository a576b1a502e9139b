import type { Bucket } from "../../store/stats/sketch.ts";

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
