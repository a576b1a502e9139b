import { Buffer } from "node:buffer";
import { asObject, type Raw, readBoolean } from "../fields.ts";
import { type Json, type JsonObject, put } from "../json.ts";
import { LIMITS, textLimit, TOO_DEEP } from "./limits.ts";
import type { Attributed } from "./model.ts";
import { field, numberOf, objectsIn, textOf, uintOf } from "./fields.ts";

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
