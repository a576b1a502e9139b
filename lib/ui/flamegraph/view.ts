import type { FlameLayout } from "./layout.ts";

/** The stretch of the graph that fills its width, in the unit of the values. */
export interface View {
  readonly start: number;
  readonly end: number;
}

/** Nobody can tell anything from less than this share of everything. */
const MIN_SHARE = 1e-9;

/** Everything. */
export function wholeView({ extent }: FlameLayout): View {
  return { start: 0, end: extent > 0 ? extent : 1 };
}

/** A node from edge to edge; everything, when it has no width. */
export function viewOf(layout: FlameLayout, node: number): View {
  const width = layout.widths[node] ?? 0;
  if (node === 0 || width <= 0) return wholeView(layout);
  const start = layout.lefts[node] ?? 0;
  return { start, end: start + width };
}

/**
 * Zooms around a place that stays where it is.
 *
 * @param factor below 1: closer
 * @param share where the place is, from the left edge (0) to the right one (1)
 */
export function zoomedAt(layout: FlameLayout, view: View, factor: number, share: number): View {
  const whole = wholeView(layout);
  const width = view.end - view.start;
  const least = whole.end * MIN_SHARE;
  const wanted = Math.min(whole.end, Math.max(least, width * factor));
  const place = view.start + width * share;
  return kept(whole, place - wanted * share, wanted);
}

/** Moves by a share of the width; no further than the edges. */
export function pannedBy(layout: FlameLayout, view: View, share: number): View {
  const width = view.end - view.start;
  return kept(wholeView(layout), view.start + width * share, width);
}

/** A view between two: 0 is the first, 1 the second. */
export function between(from: View, to: View, share: number): View {
  return {
    start: from.start + (to.start - from.start) * share,
    end: from.end + (to.end - from.end) * share,
  };
}

function kept(whole: View, start: number, width: number): View {
  const first = Math.min(Math.max(whole.start, start), whole.end - width);
  return { start: first, end: first + width };
}
