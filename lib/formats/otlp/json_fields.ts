/** Readers of single fields that only profiles have, on top of those that all of OTLP's JSON has. */
import { Buffer } from "node:buffer";
import { readInteger } from "../fields.ts";
import type { Budget } from "./budget.ts";

const INT64 = /^[+-]?\d{1,20}$/;
const UUID_HEX = /^[0-9a-f]{32}$/i;
const ZEROS = /^0*$/;
/** Of 16 bytes, the padding included. */
const BASE64_ID = 24;

/** A place in a table; 0 for none. */
export function placeOf(value: unknown): number {
  return readInteger(value) ?? 0;
}

/** Places in a table. What is none leads nowhere. @throws {Refusal} 413 for too many */
export function placesOf(value: unknown, budget: Budget): number[] {
  if (!Array.isArray(value)) return [];
  budget.places(value.length);
  return value.map((place: unknown) => readInteger(place) ?? Infinity);
}

/** An exact number of 64 bits, as a text or a number; 0 for what is none. */
export function int64Of(value: unknown): bigint {
  if (typeof value === "number" && Number.isFinite(value)) {
    return BigInt.asIntN(64, BigInt(Math.trunc(value)));
  }
  return typeof value === "string" && INT64.test(value) ? BigInt.asIntN(64, BigInt(value)) : 0n;
}

/** The same without sign. */
export function uint64Of(value: unknown): bigint {
  return BigInt.asUintN(64, int64Of(value));
}

/** Exact numbers. @throws {Refusal} 413 for too many */
export function int64sOf(value: unknown, budget: Budget): bigint[] {
  if (!Array.isArray(value)) return [];
  budget.values(value.length);
  return value.map(int64Of);
}

/** An id of 16 bytes as hex digits, which collectors write, or base64; `""` for none. */
export function profileIdOf(value: unknown): string {
  if (typeof value !== "string") return "";
  const hex = value.length === BASE64_ID ? Buffer.from(value, "base64").toString("hex") : value;
  return UUID_HEX.test(hex) && !ZEROS.test(hex) ? hex.toLowerCase() : "";
}

/** Bytes of base64, standard or URL-safe; null for none. */
export function bytesOf(value: unknown): Uint8Array | null {
  if (typeof value !== "string" || value === "") return null;
  return new Uint8Array(Buffer.from(value, "base64"));
}
