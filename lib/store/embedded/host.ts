import { closeSync, fsyncSync, openSync } from "node:fs";

/** Waits until a file, or the list of names in a folder, is on the disk. */
export function flush(path: string): void {
  // Windows flushes only what was opened for writing, and keeps a journal of names by itself.
  if (Deno.build.os === "windows") return;
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** The longest wait that timers know: 24.8 days. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/**
 * Makes `setTimeout` wait its longest for what is longer, instead of not at all. Postgres sets its timers by the wall
 * clock: set back by a month, it asked PGlite for a month, got an alarm at once, and asked again, 500 times a second.
 */
export function capTimers(scope: Pick<typeof globalThis, "setTimeout">): void {
  const original = scope.setTimeout;
  const capped = (task: () => void, ms = 0, ...values: []) =>
    original(task, Math.min(ms, MAX_DELAY_MS), ...values);
  scope.setTimeout = Object.assign(capped, original) as typeof original;
}
