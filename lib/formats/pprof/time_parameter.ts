import { readTime } from "../timestamps.ts";
import { badParameter } from "./refusals.ts";

const UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const RELATIVE = /^now(?:-(\d{1,9})(ms|s|m|h|d))?$/;

/**
 * The time that a parameter names: seconds, milli-, micro- or nanoseconds since 1970, ISO 8601, `now`, or `now-1h`.
 *
 * @param now what `now` means
 * @returns null when the parameter is absent or empty
 * @throws {Refusal} 400 when it can not be read
 */
export function timeParameter(query: URLSearchParams, name: string, now: Date): Date | null {
  const text = query.get(name)?.trim() ?? "";
  if (text === "") return null;
  const relative = RELATIVE.exec(text);
  if (relative !== null) {
    const [, count = "0", unit = "s"] = relative;
    return new Date(now.getTime() - Number(count) * (UNITS_MS[unit] ?? 0));
  }
  const seconds = readTime(text);
  if (seconds === undefined) {
    throw badParameter(name, "is no time: use seconds since 1970, ISO 8601, or now-1h");
  }
  return new Date(seconds * 1000);
}

/** When a profile began and ended, as the address says. */
export interface TimeRange {
  readonly from: Date | null;
  readonly until: Date | null;
}

/** Reads `from` and `until`. @throws {Refusal} 400 when they can not be read, or are the wrong way round */
export function timeRange(query: URLSearchParams, now: Date): TimeRange {
  const from = timeParameter(query, "from", now);
  const until = timeParameter(query, "until", now);
  if (from !== null && until !== null && until < from) {
    throw badParameter("until", "is before from");
  }
  return { from, until };
}
