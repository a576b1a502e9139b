import type { TraceModel } from "./trace_model.ts";
import type { Interval } from "../waterfall_data.ts";

/** Of how many parts of the shown time two spans are told apart; closer ones are drawn as one. */
const TOLD_APART = 400;

/** Where a time stands in the shown stretch, in percent; a little outside at most, whatever the zoom. */
export function percentOf(time: number, { start, end }: Interval): number {
  const percent = (time - start) / (end - start) * 100;
  return Math.min(Math.max(Math.round(percent * 100) / 100, -5), 105);
}

/** The stretches that the children of a node cover, near ones as one: what a group's bar consists of. */
export function coveredByChildren(
  { nodes }: TraceModel,
  index: number,
  view: Interval,
): readonly Interval[] {
  const gap = (view.end - view.start) / TOLD_APART;
  const to = index + (nodes[index]?.size ?? 1);
  const covered: { start: number; end: number }[] = [];
  for (let at = index + 1; at < to; at += nodes[at]?.size ?? 1) {
    const { start = 0, end = 0 } = nodes[at] ?? {};
    const last = covered.at(-1);
    if (end < view.start || start > view.end) continue;
    if (last && start - last.end < gap) last.end = Math.max(last.end, end);
    else covered.push({ start, end });
  }
  return covered;
}
