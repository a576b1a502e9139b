import process from "node:process";

/** How often somebody looks. */
const EVERY_MS = 100;
/** Shorter gaps are the usual ones, of garbage collection for instance. */
const STALL_MS = 500;

/**
 * Notices when the machine did not let this process run: its clock went on, and the process used less than half of that
 * time. What holds its own event loop up uses all of it, and is not meant.
 */
export function watchStalls(): Disposable & {
  /** Whether that has been at any time since then, on the clock of `performance.now()`. */
  stoodStillSince(time: number): boolean;
} {
  let looked = performance.now();
  let used = process.cpuUsage();
  let stoodAt = -Infinity;
  const look = () => {
    const now = performance.now();
    const { user, system } = process.cpuUsage(used);
    if (now - looked >= STALL_MS && (user + system) / 1_000 < (now - looked) / 2) stoodAt = now;
    looked = now;
    used = process.cpuUsage();
  };
  const timer = setInterval(look, EVERY_MS);
  return {
    stoodStillSince(time) {
      look();
      return stoodAt >= time;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
