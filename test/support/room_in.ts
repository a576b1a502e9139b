/** What a test has come "a moment ago" is of the same period. */
const MOMENT_MS = 2_000;

/**
 * Waits where an hour, or another period from 1970 on, has only just begun, or ends before a test is done that counts
 * or compares by it.
 *
 * @param neededMs how long the rest of the test takes on a busy machine
 */
export async function roomIn(periodMs: number, neededMs: number): Promise<void> {
  for (;;) {
    const passedMs = Date.now() % periodMs;
    if (passedMs >= MOMENT_MS && passedMs <= periodMs - neededMs) return;
    const waitMs = passedMs < MOMENT_MS ? MOMENT_MS - passedMs : periodMs - passedMs + MOMENT_MS;
    // Timers may be early by a moment.
    await new Promise((resolve) => setTimeout(resolve, waitMs + 1));
  }
}
