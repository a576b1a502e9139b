import type { Sketch } from "../../store/stats/sketch.ts";
import type { Vital } from "./ratings.ts";

/** A bar of a distribution. */
export interface VitalBar {
  /** In the vital's unit. */
  readonly from: number;
  /** Null: no end. */
  readonly to: number | null;
  readonly count: number;
}

/** Widths of bars, so that the limits of what is good and poor lie between two of them. */
const WIDTHS: Readonly<Record<Vital["name"], number>> = {
  lcp: 250,
  inp: 25,
  cls: 0.0125,
  fcp: 200,
  ttfb: 100,
};

/** Where the axis ends: at twice of what is poor. */
export function axisEnd({ poor }: Vital): number {
  return 2 * poor;
}

/** How values are spread over bars of equal width, and one of all that lies beyond them. */
export function barsOf(vital: Vital, sketch: Sketch): VitalBar[] {
  const width = WIDTHS[vital.name];
  const size = Math.round(axisEnd(vital) / width);
  let reached = 0;
  const bars = Array.from({ length: size }, (_, place): VitalBar => {
    const to = edge((place + 1) * width);
    const before = reached;
    reached = Math.round(sketch.countUpTo(to));
    return { from: edge(place * width), to, count: reached - before };
  });
  return [...bars, { from: axisEnd(vital), to: null, count: sketch.count - reached }];
}

/** 3 × 0.0125 is not 0.0375 in binary. */
function edge(value: number): number {
  return Number(value.toPrecision(12));
}
