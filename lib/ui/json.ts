/**
 * Reading a stored event without trusting it: payloads live for months, were written by many SDKs and by
 * older versions of this program, and a page that shows an error must never be one.
 */

export type JsonObject = Readonly<Record<string, unknown>>;

/** The value when it is a plain object, else null. */
export function asObject(value: unknown): JsonObject | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? value as JsonObject
    : null;
}

/** Elements of a list in any of Sentry's forms (`[…]`, `{"values": […]}`, one bare object), nulls skipped. */
export function asList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.filter((element) => element !== null);
  const object = asObject(value);
  if (!object) return [];
  if ("values" in object) return Array.isArray(object.values) ? asList(object.values) : [];
  return Object.keys(object).length > 0 ? [object] : [];
}

/** The objects among the elements of a list. */
export function asObjects(value: unknown): readonly JsonObject[] {
  return asList(value).map(asObject).filter((element) => element !== null);
}

/** Text of any value: `""` for null and absent, JSON for objects; control characters made visible. */
export function asText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return visible(value);
  return visible(typeof value === "object" ? JSON.stringify(value) : String(value));
}

/** A whole number of at least 0, also from its decimal text; else null. */
export function asCount(value: unknown): number | null {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 ? number : null;
}

/** An instant from Unix seconds or ISO 8601 (UTC when it names no zone); else null. */
export function asInstant(value: unknown): Date | null {
  const seconds = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  const millis = typeof seconds === "number" && !Number.isNaN(seconds)
    ? seconds * 1000
    : Date.parse(typeof value === "string" ? zoned(value) : "");
  const date = new Date(millis);
  return Number.isNaN(date.getTime()) ? null : date;
}

/** Names and values from an object or from `[[name, value], …]`; a list as value repeats its name. */
export function asPairs(value: unknown): [name: string, value: string][] {
  const entries: unknown[] = Array.isArray(value) ? value : Object.entries(asObject(value) ?? {});
  return entries.flatMap((entry): [string, string][] => {
    if (!Array.isArray(entry) || entry.length < 2) return [];
    const name = asText(entry[0]);
    const found: unknown[] = Array.isArray(entry[1]) ? entry[1] : [entry[1]];
    return found.map((one) => [name, asText(one)]);
  });
}

/** Names and values of an object with the values as they are; indices as names for a list. */
export function asEntries(value: unknown): [name: string, value: unknown][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).map(([name, one]) => [visible(name), one]);
}

/**
 * Text in which nothing hides: control characters other than line feed and tab become their Unicode
 * pictures, and the characters that force a direction of writing (with which a text can pose as another)
 * become their code points.
 */
export function visible(text: string): string {
  return text.replace(HIDDEN, (char) => {
    const code = char.charCodeAt(0);
    if (char === "\r\n") return "\n";
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? "\u2421" : `[U+${code.toString(16).toUpperCase().padStart(4, "0")}]`;
  });
}

const HIDDEN = /\r\n|(?![\n\t])\p{Cc}|\p{Cs}|[\u202d\u202e]/gu;

function zoned(text: string): string {
  const hasTime = /\d[t ]\d/i.test(text);
  return hasTime && !/(?:z|[+-]\d\d:?\d\d)$/i.test(text) ? `${text}Z` : text;
}

/** As wide as a value's column usually is, in characters. */
const LINE = 72;
const INDENT = "  ";

/**
 * JSON for reading: what fits on a line stays on it, and lists of plain values flow instead of standing
 * one below the other.
 */
export function prettyJson(value: unknown): string {
  return written(laidOut(value), "");
}

interface Layout {
  /** All of it on one line, with blanks at which the browser can wrap it; null where that is too long for any place. */
  readonly line: string | null;
  /** Whether it stays on one line, however long. */
  readonly flows: boolean;
  readonly isList: boolean;
  readonly parts: readonly Part[];
}

interface Part {
  /** With its colon; empty in lists. */
  readonly name: string;
  readonly layout: Layout;
}

/** From the inside to the outside, each value once: deep values take no longer than others. */
function laidOut(value: unknown): Layout {
  const isList = Array.isArray(value);
  if (typeof value !== "object" || value === null) {
    return { line: JSON.stringify(value) ?? "null", flows: true, isList, parts: [] };
  }
  const parts: readonly Part[] = isList
    ? value.map((one) => ({ name: "", layout: laidOut(one) }))
    : Object.entries(value).map(([key, one]) => ({
      name: `${JSON.stringify(key)}: `,
      layout: laidOut(one),
    }));
  const flows = parts.length === 0 ||
    isList && value.every((one) => typeof one !== "object" || one === null);
  return { line: flows || isShort(parts) ? inline(parts, isList) : null, flows, isList, parts };
}

function isShort(parts: readonly Part[]): boolean {
  let left = LINE;
  return parts.every(({ name, layout: { line } }) =>
    line !== null && (left -= name.length + line.length) >= 0
  );
}

function inline(parts: readonly Part[], isList: boolean): string {
  const texts = parts.map(({ name, layout }) => name + layout.line).join(", ");
  if (isList) return `[${texts}]`;
  return texts === "" ? "{}" : `{ ${texts} }`;
}

function written({ line, flows, isList, parts }: Layout, indent: string): string {
  if (line !== null && (flows || indent.length + line.length <= LINE)) return line;
  const inner = indent + INDENT;
  const texts = parts.map(({ name, layout }) => inner + name + written(layout, inner));
  const [open, close] = isList ? "[]" : "{}";
  return `${open}\n${texts.join(",\n")}\n${indent}${close}`;
}
