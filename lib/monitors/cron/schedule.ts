/** When a job is expected to run: crontabs and intervals in the time zone of the monitor. */
import { type Message, message, t } from "../../core/language/translate.ts";
import { Cron } from "croner";
import { MINUTE_MS } from "../../core/time.ts";

export const INTERVAL_UNITS = ["minute", "hour", "day", "week", "month", "year"] as const;
export type IntervalUnit = (typeof INTERVAL_UNITS)[number];

/** A crontab of five fields, or so many units after the last run; in a time zone of the IANA. */
export type Schedule =
  & (
    | { readonly schedule_type: "crontab"; readonly schedule: string }
    | {
      readonly schedule_type: "interval";
      readonly schedule: readonly [count: number, unit: IntervalUnit];
    }
  )
  & { readonly timezone: string };

/** Nobody writes longer ones, and each is searched for years ahead. */
const MAX_CRONTAB_LENGTH = 256;
const ALIASES: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};
/** What crontabs are made of, without what our parser takes beside them: `?` is the time of parsing, `W` a weekday near by. */
const FIELD = /^[0-9A-Za-z*,/#-]+$/;

/**
 * What is wrong with a crontab; null when nothing is.
 *
 * @param now it must have run before, and run again after: `0 0 31 2 *` never does
 */
export function crontabProblem(text: string, now: Date = new Date()): string | null {
  if (text.length > MAX_CRONTAB_LENGTH) {
    return t("Write at most {n} characters.", { n: MAX_CRONTAB_LENGTH });
  }
  const plain = plainCrontab(text);
  const fields = plain.split(" ");
  if (plain.startsWith("@")) {
    return t("There is no alias {alias}: write {aliases}.", {
      alias: plain.slice(0, 20),
      aliases: Object.keys(ALIASES).join(", "),
    });
  }
  if (fields.length !== 5) {
    return t(
      "A crontab has five fields: minute, hour, day of the month, month, day of the week.",
    );
  }
  if (!fields.every((field) => FIELD.test(field) && !/W/i.test(withoutNames(field)))) {
    return t("A field has numbers, names, * , - / # and L only.");
  }
  try {
    const cron = parsed(plain, "UTC");
    if (cron.nextRun(now) !== null && cron.previousRuns(1, now).length > 0) return null;
    return t("This crontab never comes true: no such day exists.");
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^CronPattern: /, "") : "";
    return t("This crontab cannot be read: {reason}", { reason: reason.slice(0, 200) });
  }
}

/** `WED` has a W that is no weekday near by. */
function withoutNames(field: string): string {
  return field.replace(/wed(?:nesday)?/gi, "");
}

/** The five fields that a crontab stands for, with single blanks. */
function plainCrontab(text: string): string {
  const plain = text.trim().replace(/\s+/g, " ");
  const name = plain.toLowerCase();
  return Object.hasOwn(ALIASES, name) ? ALIASES[name] ?? plain : plain;
}

const cronCache = new Map<string, Cron>();
/** Some kilobytes each. */
const MAX_CACHED = 1_000;

function parsed(plain: string, timezone: string): Cron {
  const key = `${timezone} ${plain}`;
  let cron = cronCache.get(key);
  if (cron === undefined) {
    cron = new Cron(plain, { timezone, paused: true, mode: "5-part" });
    if (cronCache.size >= MAX_CACHED) cronCache.clear();
    cronCache.set(key, cron);
  }
  return cron;
}

/** Whether a text names a time zone that this system knows. */
export function isTimeZone(text: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: text });
    // Offsets such as +02:00 are none: they know no summer.
    return /^[A-Za-z]/.test(text);
  } catch {
    return false;
  }
}

/**
 * The first time after `from`, on a whole minute, at which a job is expected. A fixed hour that the clock leaves out
 * comes right after the gap, one that it repeats comes once, and steps of hours and minutes come at each real one.
 *
 * @param from the last run: intervals are counted from it, in the calendar of the time zone
 * @returns null when a crontab has none within the years that are searched
 */
export function nextAfter(schedule: Schedule, from: Date): Date | null {
  if (schedule.schedule_type === "crontab") {
    return parsed(plainCrontab(schedule.schedule), schedule.timezone).nextRun(from);
  }
  const [count, unit] = schedule.schedule;
  const start = Temporal.Instant.fromEpochMilliseconds(from.getTime())
    .toZonedDateTimeISO(schedule.timezone);
  const next = start.add({ [`${unit}s`]: count }).epochMilliseconds;
  return new Date(Math.floor(next / MINUTE_MS) * MINUTE_MS);
}

/** The next times from a moment on, the first first. */
export function nextTimes(schedule: Schedule, from: Date, count: number): Date[] {
  const times: Date[] = [];
  for (let last = from; times.length < count;) {
    const next = nextAfter(schedule, last);
    if (next === null || next <= last) break;
    times.push(last = next);
  }
  return times;
}

/** Until four in the morning clocks are put forward and back. */
const LAST_CHANGING_HOUR = 3;

/**
 * What to know of a schedule that names a fixed time in the hours that the time zone leaves out or repeats once a year;
 * null when there is nothing.
 */
export function daylightWarning(schedule: Schedule, now: Date = new Date()): string | null {
  if (schedule.schedule_type !== "crontab" || !changesClocks(schedule.timezone, now)) return null;
  const [, hours = ""] = plainCrontab(schedule.schedule).split(" ");
  const isFixed = hours.split(",").some((part) =>
    /^\d+$/.test(part) && Number(part) <= LAST_CHANGING_HOUR
  );
  if (!isFixed) return null;
  return t(
    "{zone} puts its clocks forward and back between 00:00 and 03:59. On these nights Watchpost expects a skipped time right after the gap, and a repeated time once. What runs the job may see it differently: allow a margin of an hour, or choose another hour.",
    { zone: schedule.timezone },
  );
}

function changesClocks(timezone: string, now: Date): boolean {
  const at = (month: number) =>
    Temporal.Instant.fromEpochMilliseconds(Date.UTC(now.getUTCFullYear(), month, 1))
      .toZonedDateTimeISO(timezone).offsetNanoseconds;
  return new Set([0, 3, 6, 9].map(at)).size > 1;
}

const EVERY: Readonly<Record<IntervalUnit, Message>> = {
  minute: message("every minute|every {n} minutes"),
  hour: message("every hour|every {n} hours"),
  day: message("every day|every {n} days"),
  week: message("every week|every {n} weeks"),
  month: message("every month|every {n} months"),
  year: message("every year|every {n} years"),
};

/** Lengths of intervals, by their unit. */
export const INTERVAL_LENGTHS: Readonly<Record<IntervalUnit, Message>> = {
  minute: message("{n} minute|{n} minutes"),
  hour: message("{n} hour|{n} hours"),
  day: message("{n} day|{n} days"),
  week: message("{n} week|{n} weeks"),
  month: message("{n} month|{n} months"),
  year: message("{n} year|{n} years"),
};

/** A schedule in words: `30 2 * * * (Europe/Berlin)`, `every 5 minutes`. */
export function scheduleWords(schedule: Schedule): string {
  if (schedule.schedule_type === "crontab") return `${schedule.schedule} (${schedule.timezone})`;
  const [count, unit] = schedule.schedule;
  return t(EVERY[unit], { n: count });
}
