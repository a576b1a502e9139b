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
  return formatter(currentLanguage(), currentTimeZone(), "short day").format(date);
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
  const day = formatter("sv-SE", zone, "day").format(date);
  return Date.parse(`${day}T${timeIn(date, zone)}Z`) - Math.floor(date.getTime() / 1000) * 1000;
}

function dateTimeIn(date: Date, zone: string): string {
  return `${dayIn(date, zone)} ${timeIn(date, zone)} ${nameOf(date, zone)}`;
}

function dayIn(date: Date, timeZone: string): string {
  return formatter(ORDERS[currentLanguage()], timeZone, "day").format(date);
}

function timeIn(date: Date, timeZone: string): string {
  return formatter("sv-SE", timeZone, "time").format(date);
}

/** As people write it: `UTC`, `GMT+3`, `EST`. */
function nameOf(date: Date, timeZone: string): string {
  if (timeZone === "UTC") return "UTC";
  const parts = formatter("en", timeZone, "zone").formatToParts(date);
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? timeZone;
}

const KINDS = {
  day: { year: "numeric", month: "2-digit", day: "2-digit" },
  "short day": { month: "short", day: "numeric" },
  time: { hour: "2-digit", minute: "2-digit", second: "2-digit" },
  zone: { timeZoneName: "short" },
} as const satisfies Readonly<Record<string, Intl.DateTimeFormatOptions>>;

/** Making one takes longer than a thousand uses. Keys are few: a locale, a reader's zone and a kind. */
const formatters = new Map<string, Intl.DateTimeFormat>();
const MAX_FORMATTERS = 500;

function formatter(
  locale: string,
  timeZone: string,
  kind: keyof typeof KINDS,
): Intl.DateTimeFormat {
  const key = `${locale} ${timeZone} ${kind}`;
  const known = formatters.get(key);
  if (known !== undefined) return known;
  if (formatters.size >= MAX_FORMATTERS) formatters.clear();
  const made = new Intl.DateTimeFormat(locale, { ...KINDS[kind], timeZone });
  formatters.set(key, made);
  return made;
}
