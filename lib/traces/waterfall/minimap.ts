import { SERIES } from "./colours.ts";
import type { TraceModel, TraceNode } from "./trace_model.ts";

export interface MinimapBins {
  /** For each colour how many spans are at work in each bin; colour 1 comes first. */
  readonly counts: readonly Float64Array[];
  /** Spans at work in the busiest bin; at least 1. */
  readonly most: number;
  /** Bins with an error or the end of a failed span. */
  readonly failed: readonly number[];
}

/**
 * How busy a trace is over its time, by colour.
 *
 * @param bins how many equal parts the trace's time is cut into
 * @param colourOf number of a span's colour, 1 to 8
 */
export function minimapBins(
  model: TraceModel,
  bins: number,
  colourOf: (node: TraceNode) => number,
): MinimapBins {
  const { nodes, marks, durationMs } = model;
  const binOf = (time: number) =>
    durationMs > 0 ? Math.min(bins - 1, Math.max(0, Math.floor(time / durationMs * bins))) : 0;
  // Steps up and down first, sums after: long spans cost no more than short ones.
  const counts = Array.from({ length: SERIES }, () => new Float64Array(bins + 1));
  const failed = new Set<number>();
  for (const node of nodes) {
    if (node.kind !== "span") continue;
    const steps = counts[colourOf(node) - 1];
    if (!steps) continue;
    const first = binOf(node.start);
    const last = Math.max(first, binOf(node.end));
    steps[first] = (steps[first] ?? 0) + 1;
    steps[last + 1] = (steps[last + 1] ?? 0) - 1;
    if (node.span?.isFailed) failed.add(last);
  }
  for (const { kind, time } of marks) if (kind === "error") failed.add(binOf(time));
  const totals = new Float64Array(bins);
  for (const steps of counts) {
    for (let bin = 0; bin < bins; bin++) {
      steps[bin] = (steps[bin] ?? 0) + (bin > 0 ? steps[bin - 1] ?? 0 : 0);
      totals[bin] = (totals[bin] ?? 0) + (steps[bin] ?? 0);
    }
  }
  return {
    counts: counts.map((steps) => steps.subarray(0, bins)),
    most: Math.max(1, ...totals),
    failed: [...failed].sort((a, b) => a - b),
  };
}
