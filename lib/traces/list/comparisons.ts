import type { Comparison } from "./trace_terms.ts";

/** What all must hold, or the reason why the text cannot be read. */
export type Compared = readonly Comparison[] | string;

const UNIT_MS: Readonly<Record<string, number>> = {
  us: 0.001,
  µs: 0.001,
  ms: 1,
  s: 1_000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
};
const PART = /^(>=|<=|>|<|=)?(.+)$/;
const DURATION_FORM = "Write a duration as >500ms, <2s or 100ms..1s";
const STATUS_FORM = "Write a status code as 404, 5xx, >=500 or 400..499";

/** Reads `>500ms`, `<=2s`, `100ms..1s`, without a unit in milliseconds. Nothing takes exactly so long. */
export function readDurations(text: string): Compared {
  return readRange(text, durationOf, DURATION_FORM) ?? readPart(text, durationOf) ?? DURATION_FORM;
}

/** Reads `404`, `5xx`, `>=500`, `400..499`. */
export function readStatuses(text: string): Compared {
  const [, hundred] = /^([1-5])xx$/i.exec(text) ?? [];
  if (hundred !== undefined) {
    return [[">=", Number(hundred) * 100], ["<", Number(hundred) * 100 + 100]];
  }
  return readRange(text, statusOf, STATUS_FORM) ??
    readPart(/^\d/.test(text) ? `=${text}` : text, statusOf) ?? STATUS_FORM;
}

type ReadNumber = (text: string) => number | null;

function readRange(text: string, read: ReadNumber, form: string): Compared | null {
  const ends = text.split("..");
  if (ends.length === 1) return null;
  const [low, high] = ends.map(read);
  if (ends.length > 2 || typeof low !== "number" || typeof high !== "number") return form;
  return low > high ? "The range begins above its end" : [[">=", low], ["<=", high]];
}

function readPart(text: string, read: ReadNumber): Compared | null {
  const [, operator, rest = ""] = PART.exec(text) ?? [];
  const value = read(rest);
  return operator === undefined || value === null ? null : [[operator as Comparison[0], value]];
}

function durationOf(text: string): number | null {
  const [, digits, unit = "ms"] = /^(\d{1,12}(?:\.\d{1,9})?)([a-zµ]+)?$/i.exec(text) ?? [];
  const factor = Object.hasOwn(UNIT_MS, unit.toLowerCase()) ? UNIT_MS[unit.toLowerCase()] : null;
  return digits === undefined || !factor ? null : Number(digits) * factor;
}

function statusOf(text: string): number | null {
  return /^\d{1,3}$/.test(text) ? Number(text) : null;
}
