/** Readers of single fields of OTLP's JSON, as lenient as what exporters write asks for. */
import { Buffer } from "node:buffer";
import { asObject, type Raw } from "../fields.ts";
import { cleanText } from "./text.ts";

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
