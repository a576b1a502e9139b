/** Dates and times as every page writes them: in the reader's language and time zone. */
import { currentLanguage, currentTimeZone, type Language } from "../core/language/translate.ts";

/** Which locale's order of digits a language uses. English pages write years first, as logs do: no reader takes it for another day. */
const ORDERS: Readonly<Record<Language, string>> = { en: "sv-SE", ru: "ru-RU" };

/** The exact time to the second, in the reader's time zone: `2026-11-21 08:05:09 UTC`, `21.11.2026 11:05:09 GMT+3`. */
export function formatDateTime(date: Date): string {
  return dateTimeIn(date, currentTimeZone());
}

/** The same in UTC, whatever the reader's time zone. */
export function formatUtc(date: Date): string {
  return dateTimeIn(date, "UTC");
}

/**
 * The instant with all digits that are known, at least milliseconds: `2026-11-21 08:05:09.123456789 UTC`.
 *
 * @param nanos what is known beyond the date's milliseconds
 */
export function formatInstant(date: Date, nanos: number): string {
  const millis = String(date.getUTCMilliseconds()).padStart(3, "0");
  const beyond = String(nanos).padStart(6, "0").replace(/(?:000){1,2}$/, "");
  const mark = currentLanguage() === "ru" ? "," : ".";
  const zone = currentTimeZone();
  return `${formatDate(date)} ${timeIn(date, zone)}${mark}${millis}${beyond} ${nameOf(date, zone)}`;
}

/** The day, in the reader's time zone: `2026-11-21`, `21.11.2026`. */
export function formatDate(date: Date): string {
  return dayIn(date, currentTimeZone());
}

/** Hours and minutes, in the reader's time zone: `08:05`. */
export function formatTime(date: Date): string {
  return timeIn(date, currentTimeZone()).slice(0, 5);
}

/** The exact time to the minute, in the reader's time zone: `2026-11-21 08:05 UTC`. */
export function formatMinute(date: Date): string {
  return `${formatDate(date)} ${formatTime(date)} ${zoneName(date)}`;
}

/** A day among its neighbours, in the reader's time zone: `Nov 21`, `21 нояб.`. */
export function formatDayShort(date: Date): string {
  const short = { month: "short", day: "numeric" } as const;
  return formatter(currentLanguage(), currentTimeZone(), short).format(date);
}

/** The hour of the day to the second, in the reader's time zone: `08:05:09`. */
export function formatClock(date: Date): string {
  return timeIn(date, currentTimeZone());
}

/** What the reader's time zone is called at a time: `UTC`, `GMT+3`. */
export function zoneName(date: Date = new Date()): string {
  return nameOf(date, currentTimeZone());
}

/** How far the clocks of the reader's time zone are ahead of UTC at a time, in milliseconds. */
export function zoneOffsetMs(date: Date): number {
  const zone = currentTimeZone();
  if (zone === "UTC") return 0;
  const day = formatter("sv-SE", zone, DAY_DIGITS).format(date);
  return Date.parse(`${day}T${timeIn(date, zone)}Z`) - Math.floor(date.getTime() / 1000) * 1000;
}

const DAY_DIGITS = { year: "numeric", month: "2-digit", day: "2-digit" } as const;

function dateTimeIn(date: Date, zone: string): string {
  return `${dayIn(date, zone)} ${timeIn(date, zone)} ${nameOf(date, zone)}`;
}

function dayIn(date: Date, timeZone: string): string {
  return formatter(ORDERS[currentLanguage()], timeZone, DAY_DIGITS).format(date);
}

function timeIn(date: Date, timeZone: string): string {
  const digits = { hour: "2-digit", minute: "2-digit", second: "2-digit" } as const;
  return formatter("sv-SE", timeZone, digits).format(date);
}

/** As people write it: `UTC`, `GMT+3`, `EST`. */
function nameOf(date: Date, timeZone: string): string {
  if (timeZone === "UTC") return "UTC";
  const parts = formatter("en", timeZone, { timeZoneName: "short" }).formatToParts(date);
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? timeZone;
}

/** Making one takes longer than a thousand uses. Keys are few: a locale, a reader's zone and three kinds. */
const formatters = new Map<string, Intl.DateTimeFormat>();
const MAX_FORMATTERS = 500;

function formatter(
  locale: string,
  timeZone: string,
  options: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormat {
  const key = `${locale} ${timeZone} ${Object.entries(options).join()}`;
  const known = formatters.get(key);
  if (known !== undefined) return known;
  if (formatters.size >= MAX_FORMATTERS) formatters.clear();
  const made = new Intl.DateTimeFormat(locale, { ...options, timeZone });
  formatters.set(key, made);
  return made;
}
