/** Numbers, durations, sizes and times as every page writes them (interface guide, "Numbers and times"). */

import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../core/time.ts";

/** What stands where there is no value; `0` is only ever a real zero. */
export const NONE = "–";

/** From here on counts are abbreviated. */
const ABBREVIATE_FROM = 10_000;
const COUNT_UNITS = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]] as const;
const BYTE_UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

const exactNumber = new Intl.NumberFormat("en", { maximumFractionDigits: 3 });

/** The whole number with thousands separators, as `1,234,567`. */
export function formatExact(value: number | null): string {
  return value === null || !Number.isFinite(value) ? NONE : exactNumber.format(value);
}

/** A count in three significant digits from ten thousand on: `1,234`, `12.3k`, `4.56M`. */
export function formatCount(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return NONE;
  const size = Math.abs(value);
  if (size < ABBREVIATE_FROM) return formatExact(value);
  for (const [unit, suffix] of COUNT_UNITS) {
    // 999,950 would round to "1000k": it belongs to the next unit.
    if (size >= unit * 0.9995) return threeDigits(value / unit) + suffix;
  }
  return formatExact(value);
}

/** A count with its noun: `1 event`, `12.3k events`. */
export function formatQuantity(value: number, singular: string, plural = `${singular}s`): string {
  return `${formatCount(value)} ${value === 1 ? singular : plural}`;
}

/**
 * The whole number with a phrase that begins with a noun in the plural: `1,234 errors in a day`, and for
 * exactly one `1 error in a day`.
 */
export function formatExactOf(value: number | null, phrase: string): string {
  return `${formatExact(value)} ${value === 1 ? phrase.replace(/s(?= |$)/, "") : phrase}`;
}

/** A duration in milliseconds as `830 µs`, `12.4 ms`, `1.32 s`, `2 m 05 s`, `1 h 04 m`, `3 d 07 h`. */
export function formatDuration(ms: number | null): string {
  if (ms === null || !Number.isFinite(ms)) return NONE;
  const sign = ms < 0 ? "-" : "";
  const size = Math.abs(ms);
  if (size === 0) return "0 ms";
  if (size < 0.9995) return `${sign}${threeDigits(size * 1_000)} µs`;
  if (size < 999.5) return `${sign}${threeDigits(size)} ms`;
  if (size < 59.95 * SECOND_MS) return `${sign}${threeDigits(size / SECOND_MS)} s`;
  if (size < HOUR_MS - SECOND_MS / 2) return sign + pair(size, MINUTE_MS, "m", SECOND_MS, "s");
  if (size < DAY_MS - MINUTE_MS / 2) return sign + pair(size, HOUR_MS, "h", MINUTE_MS, "m");
  return sign + pair(size, DAY_MS, "d", HOUR_MS, "h");
}

/** A size in binary units: `812 B`, `11.5 KiB`, `1.21 GiB`. */
export function formatBytes(bytes: number | null): string {
  if (bytes === null || !Number.isFinite(bytes)) return NONE;
  let value = bytes;
  let unit = 0;
  while (Math.abs(value) >= 1023.5 && unit < BYTE_UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? formatExact(value) : threeDigits(value)} ${BYTE_UNITS[unit]}`;
}

/** A share from 0 to 1 with one decimal: `12.5%`. */
export function formatPercent(ratio: number | null): string {
  return ratio === null || !Number.isFinite(ratio) ? NONE : `${(ratio * 100).toFixed(1)}%`;
}

/** Longer units for what happens seldom, each with its minutes. */
const RATE_UNITS = [["min", 1], ["h", 60], ["d", 1_440]] as const;
/** Below this a longer unit reads better. */
const MIN_RATE = 0.01;

/** A rate given per minute: `12.3k/min`, `0.25/min`, and for what happens seldom `0.4/h`, `1.5/d`. */
export function formatRate(perMinute: number | null): string {
  if (perMinute === null || !Number.isFinite(perMinute)) return NONE;
  const size = Math.abs(perMinute);
  const [unit, minutes] = size === 0
    ? RATE_UNITS[0]
    : RATE_UNITS.find(([, minutes]) => size * minutes >= MIN_RATE) ?? RATE_UNITS[2];
  const rate = perMinute * minutes;
  const isSmall = size > 0 && Math.abs(rate) < 100;
  return `${isSmall ? threeDigits(rate) : formatCount(Math.round(rate))}/${unit}`;
}

/**
 * How long ago: `just now`, `42 s ago`, `3 min ago`, `5 h ago`, `12 d ago`, and the date from two months on.
 * Times ahead read `in 5 min`.
 */
export function formatRelative(date: Date, now: Date = new Date()): string {
  const distance = now.getTime() - date.getTime();
  const size = Math.abs(distance);
  if (size < 5 * SECOND_MS) return "just now";
  if (size >= 60 * DAY_MS) return date.toISOString().slice(0, 10);
  const amount = size < MINUTE_MS
    ? `${Math.floor(size / SECOND_MS)} s`
    : size < HOUR_MS
    ? `${Math.floor(size / MINUTE_MS)} min`
    : size < DAY_MS
    ? `${Math.floor(size / HOUR_MS)} h`
    : `${Math.floor(size / DAY_MS)} d`;
  return distance < 0 ? `in ${amount}` : `${amount} ago`;
}

/** The exact time in UTC to the second: `2026-11-21 08:05:09 UTC`. */
export function formatDateTime(date: Date): string {
  return `${date.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** The instant in UTC with all digits that are known: `2026-11-21 08:05:09.123456789 UTC`, at least milliseconds. */
export function formatInstant(date: Date, nanos: number): string {
  const beyond = String(nanos).padStart(6, "0").replace(/(?:000){1,2}$/, "");
  return `${date.toISOString().slice(0, 23).replace("T", " ")}${beyond} UTC`;
}

/** Two initials of a name, or of a mail address when there is no name. */
export function initials(name: string): string {
  const words = name.split(/[\s@._-]+/u).filter((word) => word !== "");
  const letters = words.slice(0, 2).map((word) => [...word][0] ?? "");
  return letters.join("").toUpperCase() || "?";
}

/** At most three significant digits without an exponent: 1.23, 12.3, 123, 1.5. */
function threeDigits(value: number): string {
  const text = value.toPrecision(3);
  if (text.includes("e")) return String(Math.round(value));
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

function pair(ms: number, big: number, bigUnit: string, small: number, smallUnit: string): string {
  const total = Math.round(ms / small);
  const perBig = big / small;
  const rest = String(total % perBig).padStart(2, "0");
  return `${Math.floor(total / perBig)} ${bigUnit} ${rest} ${smallUnit}`;
}
