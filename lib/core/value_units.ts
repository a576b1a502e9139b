/** Units of the values of profiles: names in use, their ratios, and values written with the unit that suits their size. */
import { message, t, writeNumber } from "./language/translate.ts";

const MINUS = "-";

interface Scale {
  readonly family: "time" | "memory";
  /** Nanoseconds, or bytes. */
  readonly factor: number;
}

const NAMES: readonly (readonly [Scale["family"], number, readonly string[]])[] = [
  ["time", 1, ["ns", "nanosecond", "nano"]],
  ["time", 1e3, ["us", "\u00b5s", "\u03bcs", "microsecond", "micro"]],
  ["time", 1e6, ["ms", "millisecond", "milli"]],
  ["time", 1e9, ["s", "sec", "second"]],
  ["time", 60e9, ["min", "minute"]],
  ["time", 3600e9, ["hr", "hour"]],
  ["memory", 1, ["b", "byte"]],
  ["memory", 2 ** 10, ["kb", "kib", "kilobyte"]],
  ["memory", 2 ** 20, ["mb", "mib", "megabyte"]],
  ["memory", 2 ** 30, ["gb", "gib", "gigabyte"]],
  ["memory", 2 ** 40, ["tb", "tib", "terabyte"]],
  ["memory", 2 ** 50, ["pb", "pib", "petabyte"]],
];

const SCALES = new Map(
  NAMES.flatMap(([family, factor, names]) => names.map((name) => [name, { family, factor }])),
);

/** The largest first. */
const SHOWN = {
  time: [
    [3600e9, message("{time} h")],
    [1e9, message("{time} s")],
    [1e6, message("{time} ms")],
    [1e3, message("{time} µs")],
    [1, message("{time} ns")],
  ],
  memory: [
    [2 ** 50, message("{size} PiB")],
    [2 ** 40, message("{size} TiB")],
    [2 ** 30, message("{size} GiB")],
    [2 ** 20, message("{size} MiB")],
    [2 ** 10, message("{size} KiB")],
    [1, message("{size} B")],
  ],
} as const;

/** Units that say no more than that something was counted. */
const BARE = new Set(["", "count", "sample", "unit"]);

const DECIMALS = 2;
// Not toPrecision(): it writes exponents below a millionth.
const twoDigits = new Intl.NumberFormat("en", { maximumSignificantDigits: 2 });

/**
 * A value as tables and flame graphs show it: time and memory in the largest unit that leaves at least 1, as
 * `1.28 s`, `11.5 KiB`; counts in full, as `1,234`; other units behind the number.
 *
 * @param value in `unit`
 * @param unit as the profile names it, like `nanoseconds`
 */
export function formatProfileValue(value: bigint | number, unit: string): string {
  const name = foldedUnit(unit);
  if (BARE.has(name)) return writeNumber(value, DECIMALS);
  const scale = SCALES.get(name);
  if (scale === undefined) return `${writeNumber(value, DECIMALS)} ${unit.trim()}`;
  const size = Math.abs(Number(value)) * scale.factor;
  return (value < 0 ? MINUS : "") + scaled(size, SHOWN[scale.family]);
}

/**
 * A share of a whole as pprof writes it, from two significant digits to `100%`; `0%` of nothing.
 *
 * @param part of `whole`, in the same unit
 */
export function formatProfileShare(part: bigint | number, whole: bigint | number): string {
  const percent = Number(whole) === 0 ? 0 : Number(part) / Number(whole) * 100;
  const size = Math.abs(percent);
  const sign = percent < 0 ? MINUS : "";
  if (size === 0) return percents("0");
  if (size >= 99.95 && size <= 100.05) return percents(`${sign}100`);
  return percents(sign + (size < 1 ? twoDigits.format(size) : size.toFixed(2)));
}

/** @param digits with a point, if any */
function percents(digits: string): string {
  return t("{share}%", { share: digits.replace(".", writeNumber(0.5, 1).replace(/\d/g, "")) });
}

/** The nanoseconds of a unit of time; null for what is none. */
export function nanosecondsOf(unit: string): bigint | null {
  return factorOf(unit, "time");
}

/** The bytes of a unit of memory; null for what is none. */
export function bytesOf(unit: string): bigint | null {
  return factorOf(unit, "memory");
}

function factorOf(unit: string, family: Scale["family"]): bigint | null {
  const scale = SCALES.get(foldedUnit(unit));
  return scale?.family === family ? BigInt(scale.factor) : null;
}

/** How many times `finer` goes into `coarser`; 1 for the same, null where it does not a whole number of times. */
export function timesFiner(finer: string, coarser: string): bigint | null {
  if (foldedUnit(finer) === foldedUnit(coarser)) return 1n;
  return ratio(nanosecondsOf(coarser), nanosecondsOf(finer)) ??
    ratio(bytesOf(coarser), bytesOf(finer));
}

function ratio(coarser: bigint | null, finer: bigint | null): bigint | null {
  return coarser !== null && finer !== null && coarser % finer === 0n ? coarser / finer : null;
}

/** A unit in small letters without the `s` of the plural. */
export function foldedUnit(unit: string): string {
  const lower = unit.trim().toLowerCase();
  return lower.length > 2 && lower.endsWith("s") ? lower.slice(0, -1) : lower;
}

function scaled(size: number, units: (typeof SHOWN)[Scale["family"]]): string {
  let at = units.findIndex(([factor]) => size >= factor);
  if (at < 0) at = units.length - 1;
  // 1,023.996 KiB would round to "1,024 KiB": it belongs to the next unit.
  const larger = units[at - 1];
  const [factor = 1] = units[at] ?? [];
  if (larger !== undefined && Math.round(size / factor * 100) * factor >= larger[0] * 100) at--;
  const [shown, words] = units[at] ?? [1, message("{size} B")];
  const number = writeNumber(size / shown, DECIMALS);
  return t(words, { time: number, size: number });
}
