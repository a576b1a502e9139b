/** The figures of wrk. */
export interface LoadResult {
  readonly requestsPerSec: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly errors: number;
}

/** Reads what wrk prints. @throws {Error} when there are no figures */
export function parseWrk(stdout: string, stderr: string): LoadResult {
  const rate = /Requests\/sec:\s+([\d.]+)/.exec(stdout);
  const p50 = /50%\s+([\d.]+)(us|ms|s)/.exec(stdout);
  const p99 = /99%\s+([\d.]+)(us|ms|s)/.exec(stdout);
  if (rate === null || p50 === null || p99 === null) {
    throw new Error(`wrk failed: ${stdout}${stderr}`);
  }
  const refused = /Non-2xx or 3xx responses: (\d+)/.exec(stdout);
  return {
    requestsPerSec: Number(rate[1]),
    p50Ms: milliseconds(p50),
    p99Ms: milliseconds(p99),
    errors: Number(refused?.[1] ?? 0),
  };
}

function milliseconds([, value, unit]: RegExpExecArray): number {
  const factor = unit === "us" ? 0.001 : unit === "ms" ? 1 : 1000;
  return Number(value) * factor;
}
