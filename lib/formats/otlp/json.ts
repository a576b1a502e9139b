import { Buffer } from "node:buffer";
import type { Refusal } from "../../core/refusal.ts";
import { asObject, type Raw, readBoolean } from "../fields.ts";
import { type Json, JsonMeter, type JsonObject, put } from "../json.ts";
import {
  type Attributed,
  cleanText,
  newGroup,
  newScope,
  type ResourceGroup,
  type Scope,
} from "./model.ts";
import { LIMITS, textLimit, TOO_DEEP, tooManyItems, tooManyParts, unreadable } from "./request.ts";

const decoder = new TextDecoder();

/** Every field has one of a hundred names, whatever is sent in them. */
const MAX_NAMES = 10_000;

/** How many values and names a request may have, and what is said to one that has more. */
interface PartLimit {
  readonly parts: number;
  readonly tooMany: () => Refusal;
}

/**
 * Parses an export request.
 *
 * @param body JSON; an empty one is a request of nothing, as in protobuf
 * @throws {Refusal} 400 when it is no object, what `tooMany` makes when it has too many parts
 */
export function parseRequest(body: Uint8Array, { parts, tooMany }: PartLimit): Raw {
  if (body.length === 0) return {};
  if (!new JsonMeter({ parts, names: MAX_NAMES }).admits(body)) throw tooMany();
  let parsed: unknown;
  try {
    parsed = JSON.parse(decoder.decode(body));
  } catch {
    throw unreadable("JSON");
  }
  const raw = asObject(parsed);
  if (raw === undefined) throw unreadable("JSON", "it is no object");
  return raw;
}

/** Where the lists of a signal are, and what reads one item. */
export interface JsonSignal<T> {
  readonly what: "spans" | "logs";
  readonly groups: string;
  readonly scopes: string;
  readonly items: string;
  readonly readItem: (raw: Raw) => T;
}

const PARTS = { parts: LIMITS.jsonParts, tooMany: tooManyParts };

/**
 * Reads what traces and logs have in common: a list of resources, each with scopes, each with items.
 *
 * @param body an export request as JSON
 * @throws {Refusal} 400 when it is none, 413 when it has too many items or parts
 */
export function readGroups<T>(body: Uint8Array, signal: JsonSignal<T>): ResourceGroup<T>[] {
  const sent = objectsIn(field(parseRequest(body, PARTS), signal.groups));
  if (sent.length > LIMITS.groups) throw tooManyParts();
  const groups = sent
    .map((raw) => ({ raw, scopes: objectsIn(field(raw, signal.scopes)) }));
  let items = 0;
  let places = groups.length;
  for (const { scopes } of groups) {
    places += scopes.length;
    for (const scope of scopes) items += listIn(scope, signal.items).length;
  }
  if (items > LIMITS[signal.what]) throw tooManyItems(signal.what);
  if (places > LIMITS.groups) throw tooManyParts();
  return groups.map(({ raw, scopes }) => readGroup(raw, scopes, signal));
}

function listIn(raw: Raw, name: string): unknown[] {
  const list = field(raw, name);
  return Array.isArray(list) ? list : [];
}

function readGroup<T>(
  raw: Raw,
  scopes: readonly Raw[],
  signal: JsonSignal<T>,
): ResourceGroup<T> {
  const group = newGroup<T>();
  readAttributes(group, asObject(raw.resource) ?? {});
  for (const scope of scopes) group.scopes.push(readScope(scope, signal));
  return group;
}

function readScope<T>(raw: Raw, { items, readItem }: JsonSignal<T>): Scope<T> {
  const scope = newScope<T>();
  const sent = asObject(raw.scope) ?? {};
  scope.name = textOf(sent.name, LIMITS.name);
  scope.version = textOf(sent.version, LIMITS.name);
  readAttributes(scope, sent);
  for (const item of objectsIn(listIn(raw, items))) scope.items.push(readItem(item));
  return scope;
}

/** An `AnyValue`: of several values in one the last holds, and none is null. */
export function valueOf(
  sent: unknown,
  limit: number = LIMITS.text,
  levels: number = LIMITS.depth,
): Json {
  let value: Json = null;
  for (const [name, raw] of Object.entries(asObject(sent) ?? {})) {
    if (raw !== null) value = readAs(name, raw, limit, levels) ?? value;
  }
  return value;
}

/** Undefined for a field that is no value. */
function readAs(name: string, raw: unknown, limit: number, levels: number): Json | undefined {
  switch (name) {
    case "stringValue":
    case "string_value":
      return textOf(raw, limit);
    case "boolValue":
    case "bool_value":
      return readBoolean(raw) ?? null;
    case "intValue":
    case "int_value":
      return integerOf(raw);
    case "doubleValue":
    case "double_value":
      return numberOrName(numberOf(raw));
    case "arrayValue":
    case "array_value":
      return levels === 0 ? TOO_DEEP : listOf(raw, levels - 1);
    case "kvlistValue":
    case "kvlist_value":
      return levels === 0 ? TOO_DEEP : mapOf(raw, levels - 1);
    case "bytesValue":
    case "bytes_value":
      return base64Of(raw, limit);
  }
}

/** JSON has no names for what is no finite number. */
function numberOrName(value: number | null): Json {
  return value === null || Number.isFinite(value) ? value : String(value);
}

const INTEGER = /^[+-]?\d{1,20}$/;

/** Decimal digits where a double would not hold them all. */
function integerOf(raw: unknown): Json {
  if (typeof raw === "number" && Number.isSafeInteger(raw)) return raw;
  const text = typeof raw === "number" && Number.isInteger(raw) ? BigInt(raw).toString() : raw;
  if (typeof text !== "string" || !INTEGER.test(text)) return numberOrName(numberOf(raw));
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text).toString();
}

/** Standard or URL-safe, padded or not, to standard and padded. */
function base64Of(raw: unknown, limit: number): string {
  if (typeof raw !== "string") return "";
  // Whole groups of four characters, so that the cut text still decodes.
  return Buffer.from(raw.slice(0, limit - limit % 4), "base64").toString("base64");
}

function listOf(raw: unknown, levels: number): Json[] {
  return objectsIn(field(asObject(raw) ?? {}, "values"))
    .slice(0, LIMITS.elements)
    .map((element) => valueOf(element, LIMITS.text, levels));
}

function mapOf(raw: unknown, levels: number): JsonObject {
  const map: JsonObject = {};
  let count = 0;
  for (const pair of objectsIn(field(asObject(raw) ?? {}, "values"))) {
    if (count === LIMITS.elements) break;
    const key = textOf(pair.key, LIMITS.name);
    if (key === "") continue;
    put(map, key, valueOf(pair.value, LIMITS.text, levels));
    count++;
  }
  return map;
}

/** Reads the list of attributes of a message, and how many its client left out. */
export function readAttributes(target: Attributed, raw: Raw): void {
  target.droppedAttributes += uintOf(field(raw, "droppedAttributesCount"));
  for (const pair of objectsIn(raw.attributes)) {
    if (target.attributeCount === LIMITS.attributes) {
      target.droppedAttributes++;
      continue;
    }
    const key = textOf(pair.key, LIMITS.name);
    if (key === "") continue;
    put(target.attributes, key, valueOf(pair.value, textLimit(key)));
    target.attributeCount++;
  }
}

/** Readers of single fields of OTLP's JSON, as lenient as what exporters write asks for. */

/** A field under its own name in lowerCamelCase, or under the one in the protocol's definition. */
export function field(raw: Raw, camel: string): unknown {
  const value = raw[camel];
  return value === undefined ? raw[snakeCase(camel)] : value;
}

/** Names of fields are ours, and few. */
const snakeCases = new Map<string, string>();

function snakeCase(camel: string): string {
  let snake = snakeCases.get(camel);
  if (snake === undefined) {
    snake = camel.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    snakeCases.set(camel, snake);
  }
  return snake;
}

/** The objects of a list; null and what is no object are left out. */
export function objectsIn(value: unknown): Raw[] {
  return Array.isArray(value)
    ? value.filter((element): element is Raw => asObject(element) !== undefined)
    : [];
}

/** A text cut to `limit` UTF-16 units; `""` for what is none. */
export function textOf(value: unknown, limit: number): string {
  return typeof value === "string" ? cleanText(value, limit) : "";
}

/** A number, written as one or as a text; null for what is none. */
export function numberOf(value: unknown): number | null {
  if (typeof value === "number") return value;
  if (typeof value !== "string" || value.length > 64 || value.trim() === "") return null;
  const number = Number(value);
  return Number.isNaN(number) && value !== "NaN" ? null : number;
}

const MAX_UINT32 = 0xffffffff;

/** A count or flags; 0 for what is none. */
export function uintOf(value: unknown): number {
  const number = numberOf(value) ?? 0;
  return number > 0 && number <= MAX_UINT32 ? Math.trunc(number) : 0;
}

const WHOLE_NUMBER = /^\d{1,20}$/;
/** Later than any time that is taken. */
const END_OF_TIME = 2n ** 64n;

/** A time in nanoseconds since 1970, to the last digit where it is written as a text; 0 when unset. */
export function nanosOf(value: unknown): bigint {
  if (typeof value === "string" && WHOLE_NUMBER.test(value)) return BigInt(value);
  const number = numberOf(value) || 0;
  if (Number.isFinite(number)) return BigInt(Math.trunc(number));
  return number > 0 ? END_OF_TIME : -END_OF_TIME;
}

/** An enum, as its number or by its name without `prefix`; 0 for what is none. */
export function enumOf(value: unknown, prefix: string, names: readonly string[]): number {
  if (typeof value === "string" && names.includes(value.replace(prefix, ""))) {
    return names.indexOf(value.replace(prefix, ""));
  }
  return uintOf(value);
}

const HEX = /^[0-9a-f]*$/;
const NO_ID = /^0*$/;
/** What stands for an id that is none: its length is wrong. */
const WRONG_ID = "?";

/**
 * An id as hex digits in any case, or as base64, which naive printers write; `""` when unset or all zero.
 *
 * @param size its length in bytes
 */
export function idOf(value: unknown, size: 8 | 16): string {
  if (value === undefined || value === null || value === "") return "";
  if (typeof value !== "string" || value.length > 64) return WRONG_ID;
  const hex = isBase64(value, size)
    ? Buffer.from(value, "base64").toString("hex")
    : value.toLowerCase();
  if (!HEX.test(hex)) return WRONG_ID;
  return NO_ID.test(hex) ? "" : hex;
}

function isBase64(text: string, size: 8 | 16): boolean {
  return size === 16
    ? text.length === 24 && text.endsWith("==")
    : text.length === 12 && text.endsWith("=");
}
