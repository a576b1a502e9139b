import type { Span } from "./mod.ts";

/** What Sentry does not count as a failure; everything else is one. */
const FINE: ReadonlySet<string> = new Set([
  "",
  "ok",
  "cancelled",
  "canceled",
  "unknown",
  "unknown_error",
]);

/** Whether a span's status, as `internal_error`, says that it failed. */
export function isFailedStatus(status: string): boolean {
  return !FINE.has(status);
}

// What traces are searched by of spans below their entries: what these work with, never on what.

const WORKS_WITH =
  /^(?:server\.address$|(?:aws|cache|celery|cloud|db|faas|gen_ai|graphql|messaging|peer|rpc)\.)/;
/** Statements, prompts, ids and sizes differ every time. */
const DIFFERS =
  /statement|text|summary|parameter|prompt|input|output|token|message\.|(?:^|[._])(?:ids?|keys?|size|length|count|rows|offset|body|arguments|messages|content)$/;
const MAX_LENGTH = 100;
const MAX_KEYS = 20;
const MAX_VALUES = 10;

/** Whether traces are found by an attribute of any of their spans. */
export function isSpanFact(key: string, value: unknown): boolean {
  return isKeyOfFacts(key) && textOf(value) !== null;
}

/** The same few hundred names come all day; clients choose them, so the memory has an end. */
const MAX_REMEMBERED = 5_000;
const remembered = new Map<string, boolean>();

function isKeyOfFacts(key: string): boolean {
  const known = remembered.get(key);
  if (known !== undefined) return known;
  const is = key.length <= MAX_LENGTH && WORKS_WITH.test(key) && !DIFFERS.test(key);
  if (remembered.size < MAX_REMEMBERED) remembered.set(key, is);
  return is;
}

/** The values of each such attribute of some spans, as the JSON text of an object. */
export function spanFactsJson(spans: readonly Pick<Span, "data">[]): string {
  const facts = new Map<string, Set<string>>();
  for (const { data } of spans) {
    for (const key in data) {
      if (!isKeyOfFacts(key)) continue;
      const text = textOf(data[key]);
      if (text === null) continue;
      const values = facts.get(key) ?? new Set();
      if (values.size < MAX_VALUES) values.add(text);
      if (facts.size < MAX_KEYS) facts.set(key, values);
    }
  }
  return JSON.stringify(Object.fromEntries([...facts].map(([key, values]) => [key, [...values]])));
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined || typeof value === "object") return null;
  const text = String(value);
  return text === "" || text.length > MAX_LENGTH ? null : text;
}

// Times to the nanosecond: a double of seconds or milliseconds since 1970 holds microseconds, and no more for sure.

const NANOS_PER_MICRO = 1_000n;
const NANOS_PER_MS = 1e6;

/**
 * Nanoseconds since 1970.
 *
 * @param seconds since 1970, with microseconds
 * @param fine nanoseconds beyond these, 0 to 999
 */
export function exactNanos(seconds: number, fine = 0): bigint {
  return BigInt(Math.round(seconds * 1e6)) * NANOS_PER_MICRO + BigInt(fine);
}

/** The nearest milliseconds since 1970: what is earlier never becomes later than what is not. */
export function nearestMs(nanos: bigint): number {
  return Number(nanos) / NANOS_PER_MS;
}

/** Milliseconds between two times, to the nanosecond as long as they are less than a hundred days apart. */
export function msBetween(from: bigint, to: bigint): number {
  return Number(to - from) / NANOS_PER_MS;
}

/**
 * The local root that a span belongs to, or null when it does not say. What browsers measure of a page belongs to its
 * load, which is over and sent by then, whatever the page does at that moment.
 */
export function ownerIdOf({ segmentId, data }: Pick<Span, "segmentId" | "data">): string | null {
  const pageload = data["sentry.pageload.span_id"];
  return typeof pageload === "string" ? pageload : segmentId;
}
