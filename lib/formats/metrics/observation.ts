import type { ExponentialBuckets, HistogramPoint, SparseCounts } from "../../records/mod.ts";

/** Quantiles are then right to 0.5 %. */
const SCALE = 6;
const NOTHING: SparseCounts = { indexes: [], counts: [] };

/** One observation as a histogram. @param value finite */
export function observationPoint(timeMs: number, value: number): HistogramPoint {
  return {
    timeMs,
    startMs: 0,
    count: 1,
    sum: value,
    min: value,
    max: value,
    buckets: bucketsOf(value),
  };
}

function bucketsOf(value: number): ExponentialBuckets {
  const filled = value === 0 ? NOTHING : { indexes: [indexOf(Math.abs(value))], counts: [1] };
  return {
    kind: "exponential",
    scale: SCALE,
    zeroCount: value === 0 ? 1 : 0,
    zeroThreshold: 0,
    positive: value > 0 ? filled : NOTHING,
    negative: value < 0 ? filled : NOTHING,
  };
}

/** A bucket ends with its upper bound. */
function indexOf(value: number): number {
  return Math.ceil(Math.log2(value) * 2 ** SCALE) - 1;
}
