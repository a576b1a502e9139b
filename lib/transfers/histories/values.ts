/** Values of lines of histories: whatever they are, what is read of them fits its column. */
import { storable } from "../../core/errors.ts";
import { readTime } from "../../formats/event_time.ts";
import { readText } from "../../formats/fields.ts";
import { readEventId } from "../../formats/ids.ts";

/** A time that has passed. @returns null for none, and for one that is still to come */
export function pastTime(value: unknown, now: Date): Date | null {
  const seconds = readTime(value);
  const time = seconds === undefined ? NaN : Math.round(seconds * 1_000);
  return time <= now.getTime() ? new Date(time) : null;
}

/**
 * The end of what has passed; of what went on the time at which that was said. Clocks differ: it is never to come.
 *
 * @param began it cannot have ended before
 */
export function endTime(end: unknown, goesOnAt: unknown, began: Date, now: Date): Date | null {
  const seconds = readTime(end ?? goesOnAt);
  if (seconds === undefined) return null;
  const time = new Date(Math.min(Math.round(seconds * 1_000), now.getTime()));
  return time < began ? null : time;
}

/** A text of at most so many characters; `""` for what is none. */
export function textOf(value: unknown, most: number): string {
  return storable((readText(value) ?? "").slice(0, most).toWellFormed());
}

/** No duration of anything here is longer, in milliseconds or in seconds. */
const LONGEST = 1e9;

/** A number from 0 on; null for none, and for what cannot be. */
export function amountOf(value: unknown, most = LONGEST): number | null {
  return typeof value === "number" && value >= 0 && value <= most ? value : null;
}

/** A UUID as Postgres writes it, or null. */
export function uuidOf(value: unknown): string | null {
  const hex = readEventId(value);
  return hex?.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5") ?? null;
}

/** One of some words, or null. */
export function oneOf<T extends string>(words: readonly T[], value: unknown): T | null {
  return words.find((each) => each === value) ?? null;
}
