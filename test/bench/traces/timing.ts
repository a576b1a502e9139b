/** More than Postgres needs to choose a plan for a prepared statement: it plans the first five runs anew. */
const WARM_UP = 8;
const RUNS = 20;

/** Milliseconds of calls. */
export interface Times {
  readonly median: number;
  readonly p95: number;
}

/** Times a call 20 times, one after the other, when it is warm. */
export async function timesOf(run: () => Promise<unknown>): Promise<Times> {
  for (let i = 0; i < WARM_UP; i++) await run();
  const times: number[] = [];
  for (let i = 0; i < RUNS; i++) {
    const began = performance.now();
    await run();
    times.push(performance.now() - began);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.ceil(share * RUNS) - 1] ?? NaN;
  return { median: at(0.5), p95: at(0.95) };
}
