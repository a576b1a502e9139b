/** Stretches of time on a thread, in which samples of a continuous profiler are wanted. */
import type { SampleFilter } from "../trees/sample_filter.ts";
import { nanosOf } from "./merge_rows.ts";

/** Times in milliseconds since 1970. */
export interface Window {
  /** Null: all threads. */
  readonly threadId: string | null;
  readonly start: number;
  readonly end: number;
}

/**
 * Joins windows so that none overlap, and samples count once. Once one of them is of all threads all are: nobody knows
 * which of their samples are the same.
 */
export function joined(windows: readonly Window[]): Window[] {
  const isAnyThread = windows.some(({ threadId }) => threadId === null);
  const threadOf = ({ threadId }: Window) => isAnyThread ? null : threadId;
  return [...Map.groupBy(windows, threadOf)].flatMap(([threadId, ofThread]) => {
    const spans: { threadId: string | null; start: number; end: number }[] = [];
    for (const { start, end } of ofThread.toSorted((a, b) => a.start - b.start)) {
      const last = spans.at(-1);
      if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
      else spans.push({ threadId, start, end });
    }
    return spans;
  });
}

/** The parts of windows that lie within a stretch of time. */
export function within(
  windows: readonly Window[],
  { start, end }: Pick<Window, "start" | "end">,
): Window[] {
  return windows
    .map((window) => (
      { ...window, start: Math.max(window.start, start), end: Math.min(window.end, end) }
    ))
    .filter((window) => window.start <= window.end);
}

/** The samples of a window. */
export function filterOf({ threadId, start, end }: Window): SampleFilter {
  return {
    threadId: threadId ?? undefined,
    fromNanos: nanosOf(start),
    untilNanos: nanosOf(end),
  };
}

/** How long windows are together, in nanoseconds. */
export function lengthOf(windows: readonly Window[]): bigint {
  return windows.reduce((sum, { start, end }) => sum + nanosOf(end - start), 0n);
}
