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

/** A fixed piece of work, timed. */
function referenceMs(): number {
  const start = performance.now();
  for (let round = 0; round < 2; round++) JSON.stringify(JSON.parse(TEXT));
  return performance.now() - start;
}
