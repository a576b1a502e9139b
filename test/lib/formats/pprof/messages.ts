/** Protobuf written by hand, so that profiles can be wrong in every way. */
import { PprofError } from "@/lib/formats/pprof/faults.ts";

type Parts = readonly Uint8Array[];

export type Bytes = Uint8Array<ArrayBuffer>;

const encoder = new TextEncoder();

/** Joins what stands one behind the other. */
export function joined(...parts: Parts): Bytes {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** A number of 64 bits as protobuf writes it. */
export function varint(value: number | bigint): Bytes {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Uint8Array.from([...bytes, Number(rest)]);
}

/** A field of a number. */
export function num(field: number, value: number | bigint): Bytes {
  return joined(varint(field << 3), varint(value));
}

/** A field of bytes. */
export function raw(field: number, bytes: Uint8Array): Bytes {
  return joined(varint(field << 3 | 2), varint(bytes.length), bytes);
}

/** A field of a message. */
export function msg(field: number, ...parts: Parts): Bytes {
  return raw(field, joined(...parts));
}

/** A field of a text. */
export function text(field: number, value: string): Bytes {
  return raw(field, encoder.encode(value));
}

/** A field of a list of numbers in one block. */
export function packed(field: number, values: readonly (number | bigint)[]): Bytes {
  return raw(field, joined(...values.map(varint)));
}

/** A field of a list of numbers, each by itself. */
export function unpacked(field: number, values: readonly (number | bigint)[]): Uint8Array {
  return joined(...values.map((value) => num(field, value)));
}

/** The first is `""`; the others are named by their places below. */
export const STRINGS = ["", "samples", "count", "cpu", "nanoseconds", "main", "main.go", "work"];
export const strings = joined(...STRINGS.map((value) => text(6, value)));

export const sampleTypes = joined(
  msg(1, num(1, 1), num(2, 2)),
  msg(1, num(1, 3), num(2, 4)),
);
export const functions = joined(
  msg(5, num(1, 1), num(2, 5), num(4, 6), num(5, 10)),
  msg(5, num(1, 2), num(2, 7), num(4, 6)),
);
export const locations = joined(
  msg(4, num(1, 1), msg(4, num(1, 1), num(2, 12))),
  msg(4, num(1, 2), msg(4, num(1, 2), num(2, 34), num(3, 5))),
);

/** A sample of both types. */
export function sample(stack: readonly (number | bigint)[], ...more: Parts): Uint8Array {
  return msg(2, packed(1, stack), packed(2, [1, 10]), ...more);
}

/** Everything but samples. */
export const tables = joined(sampleTypes, locations, functions, strings);
/** A profile that is in order. */
export const goodProfile = joined(
  tables,
  sample([2, 1]),
  sample([1]),
  num(9, 1_795_000_000n * 10n ** 9n),
);

/** What reading was refused with. */
export function refusalOf(run: () => unknown): PprofError {
  try {
    run();
  } catch (error) {
    if (error instanceof PprofError) return error;
    throw error;
  }
  throw new Error("It was not refused");
}

/** So many empty messages of a field. */
export function empties(field: number, count: number): Uint8Array {
  const bytes = new Uint8Array(2 * count);
  for (let at = 0; at < bytes.length; at += 2) bytes[at] = field << 3 | 2;
  return bytes;
}
