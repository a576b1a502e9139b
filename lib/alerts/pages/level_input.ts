/** How people enter the levels of an alert. */
import { unitName } from "../../metrics/units.ts";
import { scaleOfKind, type ValueKind } from "../values.ts";

type Units = Readonly<Record<string, number>>;

const DURATION_UNITS: Units = {
  us: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const BYTE_UNITS: Units = {
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
  tib: 1024 ** 4,
};
const COUNT_UNITS: Units = { k: 1e3, m: 1e6, g: 1e9 };
const LEVEL = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?)\s*(.*)$/;

/** What a level is entered in, as a sentence for the form. */
export function levelHelp(kind: ValueKind): string {
  if (typeof kind === "object") return metricHelp(kind.unit);
  switch (kind) {
    case "count":
      return "How many in the window.";
    case "duration":
      return "In milliseconds; 1.5 s and 2 min work too.";
    case "percent":
      return "In percent, such as 5 or 2.5.";
    case "rate":
      return "Per minute.";
    case "score":
      return "A plain number, such as 0.85.";
    case "times":
      return "As a multiple of the usual number, such as 3.";
  }
}

function metricHelp(ucum: string): string {
  const { unit } = scaleOfKind({ unit: ucum });
  if (unit === "duration") {
    return `In ${unitName(ucum)}, or with another unit: 250 ms, 1.5 s, 2 min.`;
  }
  if (unit === "bytes" || unit === "bytesRate") return "In bytes, or as 512 MiB or 1.5 GB.";
  const suffix = /^number:(.+)$/.exec(unit)?.[1];
  return suffix === undefined
    ? "As the chart shows it; 10k and 1.5M work too."
    : `In ${suffix}; 10k and 1.5M work too.`;
}

/** A level as people enter it: {@linkcode parseLevel} reads it back. */
export function levelText(value: number | null, kind: ValueKind): string {
  if (value === null) return "";
  // 0.07 * 100 is 7.000000000000001.
  if (kind === "percent") return String(Number((value * 100).toPrecision(12)));
  const { unit, factor } = scaleOfKind(kind);
  const names = unit === "duration"
    ? { units: DURATION_UNITS, written: WRITTEN_DURATIONS }
    : unit === "bytes"
    ? { units: BYTE_UNITS, written: WRITTEN_BYTES }
    : null;
  return names === null ? String(value) : inShortUnit(value, factor, names) ?? String(value);
}

/** From the largest on. */
const WRITTEN_DURATIONS = ["h", "min", "s", "ms"];
const WRITTEN_BYTES = ["TiB", "GiB", "MiB", "KiB"];

/** In the largest unit in which it has few digits, or null. */
function inShortUnit(
  value: number,
  factor: number,
  { units, written }: { readonly units: Units; readonly written: readonly string[] },
): string | null {
  for (const name of written) {
    const amount = value * factor / unitOf(units, name.toLowerCase());
    if (Math.abs(amount) >= 1 && Number(amount.toFixed(2)) === amount) return `${amount} ${name}`;
  }
  return null;
}

/**
 * Reads a level as entered: a number in what {@linkcode levelHelp} says, or with a unit of the same kind.
 *
 * @returns NaN for what is none
 */
export function parseLevel(text: string, kind: ValueKind): number {
  const plain = text.trim().toLowerCase().replaceAll(/(?<=\d)[,_](?=\d{3})/g, "");
  const [, digits, suffix = ""] = LEVEL.exec(plain) ?? [];
  if (digits === undefined) return NaN;
  const value = Number(digits) * factorOf(suffix, kind);
  // 1.1 * 1000 is 1100.0000000000002.
  return Number.isFinite(value) ? Number(value.toPrecision(15)) : NaN;
}

/** What turns a number with this behind it into a value; NaN where it does not belong there. */
function factorOf(suffix: string, kind: ValueKind): number {
  if (kind === "percent") return suffix === "" || suffix === "%" ? 0.01 : NaN;
  if (suffix === "") return 1;
  const { unit, factor } = scaleOfKind(kind);
  if (unit === "duration") return unitOf(DURATION_UNITS, suffix) / factor;
  if (unit === "bytes") return unitOf(BYTE_UNITS, suffix) / factor;
  if (unit === "bytesRate") return unitOf(BYTE_UNITS, suffix.replace(/\/s$/, "")) / factor;
  if (unit === "percent") return suffix === "%" ? 1 : NaN;
  if (kind === "times") return suffix === "×" || suffix === "x" ? 1 : NaN;
  if (kind === "rate" && suffix === "/min") return 1;
  return unitOf(COUNT_UNITS, suffix);
}

function unitOf(units: Units, suffix: string): number {
  return Object.hasOwn(units, suffix) ? units[suffix] ?? NaN : NaN;
}
