import assert from "node:assert/strict";

/** What `referenceMs()` takes on the machine that the budgets of the tests were set on. */
const NOMINAL_MS = 8;
const TEXT = JSON.stringify(Array.from({ length: 20_000 }, (_, i) => ({ id: i, name: `n${i}` })));

/**
 * Milliseconds that something may take here and now: more than `nominalMs` where this machine is slower, or busier,
 * than the one that the budget was set on. A limit in a test tells what hangs from what does not; it must not tell
 * machines apart.
 */
export function timeBudget(nominalMs: number): number {
  return nominalMs * Math.max(1, referenceMs() / NOMINAL_MS);
}

const RUNS = 5;

/**
 * Runs something until it takes less than its budget, and fails when it never does: what else the machine has to do at
 * a moment is not what is measured.
 *
 * @param work may be run several times
 * @param what names it in the failure
 * @returns what the last run returned
 */
export function inTime<T>(nominalMs: number, work: () => T, what = "it"): T {
  let fastest = Infinity;
  for (let run = 1;; run++) {
    const start = performance.now();
    const result = work();
    fastest = Math.min(fastest, performance.now() - start);
    if (isFastEnough(fastest, nominalMs, run, what)) return result;
  }
}

/** {@linkcode inTime} for work that somebody else does, such as a server. */
export async function inTimeAsync<T>(
  nominalMs: number,
  work: () => Promise<T>,
  what = "it",
): Promise<T> {
  let fastest = Infinity;
  for (let run = 1;; run++) {
    const start = performance.now();
    const result = await work();
    fastest = Math.min(fastest, performance.now() - start);
    if (isFastEnough(fastest, nominalMs, run, what)) return result;
  }
}

/** False: worth another run. @throws {AssertionError} after the last one, when even the budget is exceeded */
function isFastEnough(fastest: number, nominalMs: number, run: number, what: string): boolean {
  if (fastest < nominalMs) return true;
  if (run < RUNS) return false;
  const budget = timeBudget(nominalMs);
  assert.ok(fastest < budget, `${what} took ${fastest.toFixed(1)} ms of ${budget.toFixed(0)}`);
  return true;
}

/** A fixed piece of work, timed. */
function referenceMs(): number {
  const start = performance.now();
  for (let round = 0; round < 2; round++) JSON.stringify(JSON.parse(TEXT));
  return performance.now() - start;
}
