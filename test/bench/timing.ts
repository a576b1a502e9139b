const WARM_UP = 8;
const RUNS = 9;

/** The median time of one call in milliseconds. Warm: Postgres plans a statement anew for its first five runs. */
export async function timed(run: () => Promise<unknown>): Promise<number> {
  for (let i = 0; i < WARM_UP; i++) await run();
  const times: number[] = [];
  for (let i = 0; i < RUNS; i++) {
    const began = performance.now();
    await run();
    times.push(performance.now() - began);
  }
  return times.sort((a, b) => a - b)[Math.floor(RUNS / 2)] ?? NaN;
}

/** A figure for a column of ten characters. */
export function milliseconds(time: number): string {
  return time.toFixed(1).padStart(10);
}
