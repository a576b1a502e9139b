/** Lengths of time, in milliseconds. */
export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const FIRST_MS = Date.parse("0001-01-01T00:00:00Z");
const LAST_MS = Date.parse("9999-12-31T23:59:59.999Z");

/** Whether a time is of the years 1 to 9999, which a `Date` and Postgres write alike. @param ms since 1970; NaN is of none */
export function isOfCalendar(ms: number): boolean {
  return ms >= FIRST_MS && ms <= LAST_MS;
}

/** A stretch of time. */
export interface Interval {
  /** Included. */
  readonly start: Date;
  /** Excluded. */
  readonly end: Date;
}
