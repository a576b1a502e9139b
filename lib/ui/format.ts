/** Numbers, durations, sizes and times as every page writes them (interface guide, "Numbers and times"). */
import { type Message, message, t, writeNumber } from "../core/language/translate.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../core/time.ts";
import { formatDate } from "./format_time.ts";

export { formatDate, formatDateTime, formatInstant, formatTime, formatUtc } from "./format_time.ts";

/** What stands where there is no value; `0` is only ever a real zero. */
export const NONE = "–";

/** From here on counts are abbreviated. */
const ABBREVIATE_FROM = 10_000;
const COUNT_UNITS = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]] as const;
const BYTE_UNITS = [
  message("{size} B"),
  message("{size} KiB"),
  message("{size} MiB"),
  message("{size} GiB"),
  message("{size} TiB"),
  message("{size} PiB"),
] as const;

/** The whole number with thousands separators, as `1,234,567`. */
export function formatExact(value: number | null): string {
  return value === null || !Number.isFinite(value) ? NONE : writeNumber(value, 3);
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

/**
 * The whole number with what is counted: `1,234 errors in a day`, and for exactly one `1 error in a day`.
 *
 * @param phrase a message with plurals, as `{n} error|{n} errors`
 */
export function formatExactOf(value: number | null, phrase: Message): string {
  return value === null || !Number.isFinite(value)
    ? t(phrase, { n: 0 }).replace(/^\S+/, NONE)
    : t(phrase, { n: value });
}

/** What is counted without its number, as heads of columns have it: `events`. */
export function nounOf(phrase: Message): string {
  return t(phrase, { n: 0 }).replace(/^\S+\s+/, "");
}

/** A duration in milliseconds as `830 µs`, `12.4 ms`, `1.32 s`, `2 m 05 s`, `1 h 04 m`, `3 d 07 h`. */
export function formatDuration(ms: number | null): string {
  if (ms === null || !Number.isFinite(ms)) return NONE;
  const sign = ms < 0 ? "-" : "";
  const size = Math.abs(ms);
  if (size === 0) return t("{time} ms", { time: "0" });
  if (size < 0.9995) return sign + t("{time} µs", { time: threeDigits(size * 1_000) });
  if (size < 999.5) return sign + t("{time} ms", { time: threeDigits(size) });
  if (size < 59.95 * SECOND_MS) {
    return sign + t("{time} s", { time: threeDigits(size / SECOND_MS) });
  }
  if (size < HOUR_MS - SECOND_MS / 2) {
    const [minutes, seconds] = pair(size, MINUTE_MS, SECOND_MS);
    return sign + t("{minutes} m {seconds} s", { minutes, seconds });
  }
  if (size < DAY_MS - MINUTE_MS / 2) {
    const [hours, minutes] = pair(size, HOUR_MS, MINUTE_MS);
    return sign + t("{hours} h {minutes} m", { hours, minutes });
  }
  const [days, hours] = pair(size, DAY_MS, HOUR_MS);
  return sign + t("{days} d {hours} h", { days, hours });
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
  const size = unit === 0 ? formatExact(value) : threeDigits(value);
  return t(BYTE_UNITS[unit] ?? "{size} B", { size });
}

/** A share from 0 to 1 with one decimal: `12.5%`. */
export function formatPercent(ratio: number | null): string {
  if (ratio === null || !Number.isFinite(ratio)) return NONE;
  return t("{share}%", { share: withDecimalMark((ratio * 100).toFixed(1)) });
}

/** Longer units for what happens seldom, each with its minutes. */
const RATE_UNITS = [
  [message("{rate}/min"), 1],
  [message("{rate}/h"), 60],
  [message("{rate}/d"), 1_440],
] as const;
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
  return t(unit, { rate: isSmall ? threeDigits(rate) : formatCount(Math.round(rate)) });
}

/**
 * How long ago: `just now`, `42 s ago`, `3 min ago`, `5 h ago`, `12 d ago`, and the date from two months on.
 * Times ahead read `in 5 min`.
 */
export function formatRelative(date: Date, now: Date = new Date()): string {
  const distance = now.getTime() - date.getTime();
  const size = Math.abs(distance);
  if (size < 5 * SECOND_MS) return t("just now");
  if (size >= 60 * DAY_MS) return formatDate(date);
  const isAhead = distance < 0;
  if (size < MINUTE_MS) {
    const time = writeNumber(Math.floor(size / SECOND_MS), 0);
    return isAhead ? t("in {time} s", { time }) : t("{time} s ago", { time });
  }
  if (size < HOUR_MS) {
    const time = writeNumber(Math.floor(size / MINUTE_MS), 0);
    return isAhead ? t("in {time} min", { time }) : t("{time} min ago", { time });
  }
  if (size < DAY_MS) {
    const time = writeNumber(Math.floor(size / HOUR_MS), 0);
    return isAhead ? t("in {time} h", { time }) : t("{time} h ago", { time });
  }
  const time = writeNumber(Math.floor(size / DAY_MS), 0);
  return isAhead ? t("in {time} d", { time }) : t("{time} d ago", { time });
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
  return text.includes(".") ? withDecimalMark(text.replace(/\.?0+$/, "")) : text;
}

/** A number with a point, with the decimal mark of the reader's language. */
export function withDecimalMark(text: string): string {
  return text.replace(".", writeNumber(0.5, 1).replace(/\d/g, ""));
}

function pair(ms: number, big: number, small: number): [big: string, small: string] {
  const total = Math.round(ms / small);
  const perBig = big / small;
  return [String(Math.floor(total / perBig)), String(total % perBig).padStart(2, "0")];
}
