import { InvalidQuery } from "./invalid_query.ts";
import type { MetricScope } from "./query_types.ts";
import type { Interval } from "../ui/scope.ts";
import type { ApiContext } from "../api/api.ts";
import { ApiError } from "../api/api_error.ts";
import { readInterval } from "../api/issue_query.ts";

const DEFAULT_PERIOD = "1h";
const PERIOD_PARAMETERS = ["statsPeriod", "start", "end"];
/** How far ahead points may be. */
const AHEAD_MS = 3_600_000;
const UNIT_MS: Readonly<Record<string, number>> = {
  "": 1_000,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const MAX_TEXT = 1_000;

/** `environment`, `release` and `service`, each any number of times. */
export function readScope(search: URLSearchParams): MetricScope {
  const valuesOf = (name: string) => search.getAll(name).filter((value) => value !== "");
  return {
    environments: valuesOf("environment"),
    releases: valuesOf("release"),
    services: valuesOf("service"),
  };
}

/**
 * `statsPeriod`, or `start` and `end`; without those the last hour.
 *
 * @throws {ApiError} 400 naming the parameter that is wrong
 */
export function readPeriod(
  search: URLSearchParams,
  { state }: Pick<ApiContext, "state">,
  now: Date = new Date(),
): Interval {
  const hasPeriod = PERIOD_PARAMETERS.some((name) => search.get(name));
  const asked = hasPeriod ? search : new URLSearchParams({ statsPeriod: DEFAULT_PERIOD });
  const { start, end } = readInterval(asked, state.services.config.retentionDays, now);
  const last = new Date(now.getTime() + AHEAD_MS);
  // The whole retention ends a moment ahead, which would make one more step with nothing in it.
  const latest = asked.get("end") ? last : now;
  if (start >= latest) throw ApiError.detail(400, "start must not be in the future");
  return { start, end: end < latest ? end : latest };
}

/** `60`, `60s`, `5m`, `1h` or `1d`; null when it is missing. @throws {ApiError} 400 for anything else */
export function readStep(text: string | null): number | null {
  if (!text) return null;
  const [, count, unit = ""] = /^(\d{1,7})([smhd]?)$/.exec(text.trim()) ?? [];
  const ms = Number(count) * (UNIT_MS[unit] ?? NaN);
  if (ms > 0) return ms;
  throw ApiError.detail(400, "Invalid step: write seconds, or 5m, 1h or 1d");
}

/** A text parameter; `""` when it is missing. @throws {ApiError} 400 when it is too long */
export function readText(search: URLSearchParams, name: string): string {
  const text = search.get(name) ?? "";
  if (text.length <= MAX_TEXT) return text;
  throw ApiError.detail(400, `Invalid ${name}: write at most ${MAX_TEXT} characters`);
}

/** The same, but it must be there. @throws {ApiError} 400 */
export function requireText(search: URLSearchParams, name: string): string {
  const text = readText(search, name);
  if (text === "") throw ApiError.fields({ [name]: ["This field is required."] });
  return text;
}

/** Turns the sentence of a question without an answer into a refusal with 400. */
export async function answered<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof InvalidQuery) throw ApiError.detail(400, error.message);
    throw error;
  }
}
