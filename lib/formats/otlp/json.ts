import { Buffer } from "node:buffer";
import type { Refusal } from "../../core/refusal.ts";
import { asObject, type Raw, readBoolean } from "../fields.ts";
import { type Json, JsonMeter, type JsonObject, put } from "../json.ts";
import { type FieldReader, type Message, snakeCase } from "./message.ts";
import { type Attributed, cleanText, microsOf, numberOrName } from "./model.ts";
import { LIMITS, textLimit, TOO_DEEP, unreadable } from "./request.ts";

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

/** Reads the fields of OTLP's messages in JSON, as lenient as what exporters write asks for. */
export class JsonFields implements FieldReader {
  protected sent: unknown = undefined;

  /** Reads the fields of `raw` in the order that they stand in: of those that exclude each other the last holds. */
  read<T>(raw: Raw, { byName }: Message<T, this>, target: T): T {
    for (const key in raw) {
      const field = byName.get(key);
      if (field === undefined || (key !== field.name && raw[field.name] !== undefined)) continue;
      this.sent = raw[key];
      field.take(target, this);
    }
    return target;
  }

  inner<T>(fields: Message<T, this>, target: T): T {
    return this.read(asObject(this.sent) ?? {}, fields, target);
  }

  each<T>(add: (target: T, from: this) => void, target: T): void {
    for (const element of objectsIn(this.sent)) {
      this.sent = element;
      add(target, this);
    }
  }

  text(limit: number): string {
    return textOf(this.sent, limit);
  }

  id(size: 8 | 16): string {
    return idOf(this.sent, size);
  }

  uint(): number {
    return uintOf(this.sent);
  }

  choice(prefix: string, names: readonly string[]): number {
    return enumOf(this.sent, prefix, names);
  }

  nanos(): bigint {
    return nanosOf(this.sent);
  }

  millis(): number {
    return microsOf(this.count()) / 1000;
  }

  count(): number {
    return numberOf(this.sent) ?? 0;
  }

  sint(): number {
    return this.count();
  }

  whole(): number | null {
    return numberOf(this.sent);
  }

  double(): number | null {
    return numberOf(this.sent);
  }

  fixed64s(list: number[]): void {
    this.doubles(list);
  }

  varints(list: number[]): void {
    this.doubles(list);
  }

  /** What is no number among numbers is NaN, which no check lets pass. Of lists that are too long one more than allowed. */
  doubles(list: number[]): void {
    if (!Array.isArray(this.sent)) return;
    for (const each of this.sent.slice(0, LIMITS.numbers + 1)) {
      if (each !== null) list.push(numberOf(each) ?? NaN);
    }
  }

  value(): Json {
    return valueOf(this.sent);
  }

  attributes(target: Attributed): void {
    for (const pair of objectsIn(this.sent)) {
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

/** A field under its own name in lowerCamelCase, or under the one in the protocol's definition. */
export function field(raw: Raw, camel: string): unknown {
  const value = raw[camel];
  return value === undefined ? raw[snakeCase(camel)] : value;
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
function uintOf(value: unknown): number {
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
