import { type Json, type JsonObject, put } from "./json.ts";
import { TEXT } from "./limits.ts";

/**
 * Readers and in-place repairs of single fields. Normalising edits the parsed event where it is, since copying
 * it costs more than all the rest; a field is removed by setting it to undefined, which JSON text leaves out,
 * because `delete` would make V8 turn the object into a slow dictionary.
 */

/** A parsed JSON object of which nothing is known yet. */
export type Raw = Record<string, unknown>;

/** The value if it is an object that is no array; PHP's `[]` for an empty object is none. */
export function asObject(value: unknown): Raw | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? value as Raw
    : undefined;
}

/** No part of an event has room for more elements, and an object of many more costs a tenth of a second. */
const MAX_LIST = 20_000;

/** Free-form JSON as a non-empty object: elements of a list get their indices as keys, a bare value `value`. */
export function asBag(value: unknown): JsonObject | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value !== "object") return { value: value as string };
  const bag = Array.isArray(value) ? { ...value.slice(0, MAX_LIST) } : value;
  return isEmpty(bag) ? undefined : bag as JsonObject;
}

/** Whether an object has no key at all. */
export function isEmpty(object: object): boolean {
  for (const _ in object) return false;
  return true;
}

/**
 * Sentry's lenient string: text as it is, numbers in decimal, booleans as Python writes them; undefined for
 * null, objects and lists.
 */
export function readText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  if (typeof value === "boolean") return value ? "True" : "False";
  return undefined;
}

/** {@link readText}, with objects and lists as their JSON text. */
export function readTextOrJson(value: unknown): string | undefined {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : readText(value);
}

/** Non-empty lenient text of at most `limit` UTF-16 units, or undefined. */
export function clippedText(value: unknown, limit: number): string | undefined {
  return clip(readText(value), limit) || undefined;
}

const ELLIPSIS = "...";

/** Cuts a text to `limit` UTF-16 units, the closing `...` included, never in the middle of a character. */
export function clip<T extends string | undefined>(text: T, limit: number): T | string {
  if (text === undefined || text.length <= limit) return text;
  const end = limit - ELLIPSIS.length;
  const last = text.charCodeAt(end - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return [text.slice(0, splitsPair ? end - 1 : end), ELLIPSIS].join("");
}

/** A line as it is to be: most texts are. */
const CLEAN_LINE = /^[!-~]+(?: [!-~]+)*$/;
const TERMINAL_COLOURS = /\p{Cc}\[[\d;]{0,20}m/gu;
const BLANKS_AND_CONTROLS = /[\s\p{Cc}]+/gu;

/** {@link clippedText} for what stands in lists and indexes: one trimmed line, its blanks single, no controls. */
export function clippedName(value: unknown, limit: number): string | undefined {
  const text = readText(value);
  if (text === undefined) return undefined;
  if (text.length <= limit && CLEAN_LINE.test(text)) return text;
  // Cut twice: before the work, so that it is bounded, and after it.
  const line = text.slice(0, 2 * limit)
    .replace(TERMINAL_COLOURS, "")
    .replace(BLANKS_AND_CONTROLS, " ")
    .trim();
  return clip(line === text ? text : unsliced(line).toWellFormed(), limit) || undefined;
}

/**
 * The same text as a string of its own. V8 makes `slice()` and the groups of a match point into the text they
 * were cut from, and `+` point at its parts; its fast `JSON.stringify` gives up on a whole event at the first
 * of these: 33 µs instead of 12.
 */
export function unsliced(text: string): string {
  return [text.slice(0, 1), text.slice(1)].join("");
}

/** A boolean out of true/false, 0/1 and their spellings; undefined for anything else. */
export function readBoolean(value: unknown): boolean | undefined {
  if (typeof value === "boolean") return value;
  if (value === 1 || value === "1" || value === "true" || value === "True") return true;
  if (value === 0 || value === "0" || value === "false" || value === "False") return false;
  return undefined;
}

/** A non-negative whole number out of a number or a decimal text. */
export function readInteger(value: unknown): number | undefined {
  const number = typeof value === "string" && value !== "" ? Number(value) : value;
  if (typeof number !== "number" || !(number >= 0) || number > Number.MAX_SAFE_INTEGER) {
    return undefined;
  }
  return Math.trunc(number);
}

/** Nobody has seen more of anything: who says so would only spoil the sums. */
const MAX_COUNT = 1_000_000_000;

/** How many there are, as somebody says; 0 for what is no number. */
export function readCount(value: unknown): number {
  return Math.min(readInteger(value) ?? 0, MAX_COUNT);
}

/** Repairs text fields in place: lenient, cut to their limits, empty ones removed. */
export function repairTexts(raw: Raw, limits: readonly (readonly [key: string, limit: number])[]) {
  for (const [key, limit] of limits) {
    const value = raw[key];
    if (
      value === undefined || (typeof value === "string" && value !== "" && value.length <= limit)
    ) {
      continue;
    }
    raw[key] = clippedText(value, limit);
  }
}

/** Repairs fields in place with the reader given; what is already right is not written again. */
export function repairFields(
  raw: Raw,
  keys: readonly string[],
  read: (value: unknown) => unknown,
): void {
  for (const key of keys) {
    const value = raw[key];
    if (value === undefined) continue;
    const repaired = read(value);
    if (repaired !== value) raw[key] = repaired;
  }
}

/**
 * The elements of what Sentry calls a values list: `{ values: […] }`, a bare list, or one bare element.
 * Elements that are no objects are left out.
 */
export function readValues(value: unknown): Raw[] {
  if (Array.isArray(value)) return onlyObjects(value);
  const object = asObject(value);
  if (!object) return [];
  if ("values" in object) return readValues(object.values);
  return isEmpty(object) ? [] : [object];
}

function onlyObjects(list: unknown[]): Raw[] {
  return list.filter((element) => asObject(element) !== undefined) as Raw[];
}

/** An element has room for so many; SDKs send a few dozen. */
const MAX_ATTRIBUTES = 300;
const MAX_TEXT = 8_192;

/**
 * Attributes of logs, spans and metrics, `{name: {value, type, unit?}}`, as plain values. A value that does not fit its
 * type is made to fit where the meaning is clear, else dropped alone.
 */
export function readAttributes(sent: unknown): JsonObject {
  const attributes: JsonObject = {};
  let count = 0;
  for (const [name, attribute] of Object.entries(asObject(sent) ?? {})) {
    if (count === MAX_ATTRIBUTES) break;
    const key = clippedName(name, TEXT.name);
    const value = valueOf(attribute);
    if (key === undefined || value === undefined) continue;
    put(attributes, key, value);
    count++;
  }
  return attributes;
}

function valueOf(attribute: unknown): Json | undefined {
  const object = asObject(attribute);
  // Hand-made clients send the bare value.
  if (object === undefined) return typeof attribute === "object" ? undefined : bare(attribute);
  const { value, type } = object;
  switch (type) {
    case "string":
      return readText(value)?.slice(0, MAX_TEXT).toWellFormed();
    case "integer":
    case "double":
      return readNumber(value);
    case "boolean":
      return readBoolean(value);
    case "array":
    case "string[]":
    case "integer[]":
    case "double[]":
    case "boolean[]":
      return Array.isArray(value)
        ? value.slice(0, 100).flatMap((each) => bare(each) ?? [])
        : undefined;
    default:
      return bare(value);
  }
}

function bare(value: unknown): string | number | boolean | undefined {
  if (typeof value === "string") return value.slice(0, MAX_TEXT).toWellFormed();
  return typeof value === "number" || typeof value === "boolean" ? value : undefined;
}

/** A finite number out of a number or a text that is one. */
export function readNumber(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

/** The first attribute of these names that is there, as text; `""` when none is. */
export function textIn(attributes: JsonObject, ...names: readonly string[]): string {
  for (const name of names) {
    const text = readText(attributes[name]);
    if (text) return text;
  }
  return "";
}

/** The first attribute of these names that is a number, or null. */
export function numberIn(attributes: JsonObject, ...names: readonly string[]): number | null {
  for (const name of names) {
    const number = readNumber(attributes[name]);
    if (number !== undefined) return number;
  }
  return null;
}

/** Attributes as JSON text that fits a column: the longest values go first when there is too much. */
export function attributesJson(attributes: JsonObject, maxLength: number): string {
  const text = JSON.stringify(attributes);
  if (text.length <= maxLength) return text;
  const kept: JsonObject = {};
  let length = 2;
  const bySize = Object.entries(attributes)
    .map(([key, value]) => ({ key, value, size: key.length + JSON.stringify(value).length + 4 }))
    .sort((a, b) => a.size - b.size);
  for (const { key, value, size } of bySize) {
    length += size;
    if (length > maxLength) break;
    put(kept, key, value);
  }
  return JSON.stringify(kept);
}
