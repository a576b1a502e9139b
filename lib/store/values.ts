import { Buffer } from "node:buffer";
import { zstdDecompressSync } from "node:zlib";
import { zstd } from "../core/zstd.ts";
import type { PostgresType } from "postgres";
import { storable } from "../core/errors.ts";

/**
 * Arrays of built-in types, for the `types` option of `postgres` together with `fetch_types: false`. By itself the
 * driver asks each new connection for these types; when the connection breaks meanwhile, that question fails with
 * nobody to hear it, and the process ends. The numbers are fixed in Postgres (`pg_type.dat`).
 */
export const arrayTypes: Record<string, PostgresType> = {
  booleans: arrayType(1000, (text) => text === "t"),
  smallints: arrayType(1005, Number),
  integers: arrayType(1007, Number),
  texts: arrayType(1009, String),
  varchars: arrayType(1015, String),
  bigints: arrayType(1016, String),
  reals: arrayType(1021, Number),
  doubles: arrayType(1022, Number),
  dates: arrayType(1182, (text) => new Date(text)),
  timestamps: arrayType(1115, (text) => new Date(text)),
  timestamptzs: arrayType(1185, (text) => new Date(text)),
  numerics: arrayType(1231, String),
  jsons: arrayType(199, (text) => JSON.parse(text)),
  uuids: arrayType(2951, String),
  jsonbs: arrayType(3807, (text) => JSON.parse(text)),
};

/** Bytes, which come as hexadecimal digits: the driver's own reader of these takes fourteen times as long. */
export const byteType: PostgresType<Uint8Array> = {
  to: 17,
  from: [17],
  serialize: (bytes: Uint8Array) => `\\x${bytes.toHex()}`,
  parse: (text: string) => Buffer.from(Uint8Array.fromHex(text.slice(2)).buffer),
};

function arrayType(oid: number, read: (text: string) => unknown): PostgresType {
  return {
    to: oid,
    from: [oid],
    serialize: toArrayLiteral,
    parse: (literal: string) => parseArrayLiteral(literal, read),
  };
}

/** Writes a (nested) array as Postgres reads it: `{"a","b\"c",NULL}`. */
export function toArrayLiteral(values: readonly unknown[]): string {
  return `{${values.map(toElement).join(",")}}`;
}

function toElement(value: unknown): string {
  if (value === null || value === undefined) return "NULL";
  if (Array.isArray(value)) return toArrayLiteral(value);
  if (value instanceof Date) return `"${value.toISOString()}"`;
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return `"${/["\\]/.test(text) ? text.replaceAll(/["\\]/g, "\\$&") : text}"`;
}

/**
 * Reads what Postgres writes for a (nested) array.
 *
 * @param read turns the text of an element into its value
 */
export function parseArrayLiteral(literal: string, read: (text: string) => unknown): unknown[] {
  const ended: unknown[] = [];
  const open: unknown[][] = [];
  // An element in quotes, a bare one, or a brace; commas are passed over.
  for (const [token, quoted] of literal.matchAll(/"((?:[^"\\]|\\.)*)"|[{}]|[^{},"]+/gs)) {
    if (token === "{") {
      open.push([]);
    } else if (token === "}") {
      (open.at(-2) ?? ended).push(open.pop());
    } else if (quoted !== undefined) {
      open.at(-1)?.push(read(quoted.replaceAll(/\\(.)/gs, "$1")));
    } else {
      open.at(-1)?.push(token === "NULL" ? null : read(token));
    }
  }
  const [array] = ended;
  return Array.isArray(array) ? array : [];
}

/** RFC 8878, section 3.1.1. */
const ZSTD_MAGIC = [0x28, 0xb5, 0x2f, 0xfd];

/**
 * A large text as Postgres keeps it: zstd, as hexadecimal digits. With its own lz4 an event takes a quarter to a third
 * more, indexes included.
 */
export function packText(text: string): string {
  return zstd(Buffer.from(text)).toString("hex");
}

/** The text of a packed form, or of plain UTF-8, as earlier versions stored it. @throws {Error} when it is damaged */
export function unpackText(bytes: Uint8Array): string {
  const isPacked = ZSTD_MAGIC.every((byte, index) => bytes[index] === byte);
  return new TextDecoder().decode(isPacked ? zstdDecompressSync(bytes) : bytes);
}

/** The `like` pattern for a text in which `*` stands for any characters and nothing else has a meaning. */
export function likePattern(text: string): string {
  return text.replaceAll(/[\\%_]/g, "\\$&").replaceAll("*", "%");
}

/** Longer texts do not fit into the row of an index. */
export const MAX_NAME_LENGTH = 200;

/** A text that an index row can hold. */
export function nameOf(text: string): string {
  return storable(text.slice(0, MAX_NAME_LENGTH).toWellFormed());
}
