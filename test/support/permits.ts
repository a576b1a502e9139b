import assert from "node:assert/strict";

/** Permits granted, by window of one second. */
export type Granted = Map<number, number>;

/**
 * Fails when more permits were granted than a limit allows: `(k + 1) × limit` in any k windows in a row,
 * so the burst of twice the limit in a single one.
 */
export function assertWithinLimit(granted: Granted, limit: number): void {
  const windows = [...granted.keys()].sort((a, b) => a - b);
  for (const [i, first] of windows.entries()) {
    let sum = 0;
    for (const last of windows.slice(i)) {
      sum += granted.get(last) ?? 0;
      const most = (last - first + 2) * limit;
      assert.ok(sum <= most, `${sum} in windows ${first} to ${last}, allowed are ${most}`);
    }
  }
}

/** Notes permits granted in a window. */
export function note(granted: Granted, window: number, permits = 1): void {
  granted.set(window, (granted.get(window) ?? 0) + permits);
}
