import { asObject, clippedName, readBoolean, readText } from "./fields.ts";
import { type Json, type JsonObject, put } from "./json.ts";
import { TEXT } from "./limits.ts";

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
      return numberOf(value);
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

function numberOf(value: unknown): number | undefined {
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
    const number = numberOf(attributes[name]);
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
