/**
 * Doubles by the bytes in which each differs from the one before: how many leading bytes are the same and how many
 * bytes follow, then these.
 */
import type { ByteReader } from "./byte_reader.ts";
import type { ByteWriter } from "./byte_writer.ts";
import { DamagedBlock } from "./damaged_block.ts";
import { newColumn } from "../list_column.ts";

const BYTES = 8;
/** Big-endian: sign and exponent, which seldom change, come first. */
const scratch = new DataView(new ArrayBuffer(BYTES));
const current = new Uint8Array(BYTES);

/** The bytes of a value that differ from the one before, which becomes this one. */
function nextDifference(value: number, last: Uint8Array): { from: number; to: number } {
  scratch.setFloat64(0, value);
  let from = BYTES;
  let to = 0;
  for (let place = 0; place < BYTES; place++) {
    const byte = scratch.getUint8(place);
    const difference = byte ^ (last[place] ?? 0);
    current[place] = difference;
    last[place] = byte;
    if (difference === 0) continue;
    if (from === BYTES) from = place;
    to = place + 1;
  }
  return { from, to };
}

/** How many bytes it takes. */
export function xorLength(values: Float64Array): number {
  const last = new Uint8Array(BYTES);
  let length = 0;
  for (const value of values) {
    const { from, to } = nextDifference(value, last);
    length += 1 + Math.max(to - from, 0);
  }
  return length;
}

export function writeXor(writer: ByteWriter, values: Float64Array): void {
  const last = new Uint8Array(BYTES);
  for (const value of values) {
    const { from, to } = nextDifference(value, last);
    const length = Math.max(to - from, 0);
    writer.byte((from << 4) | length);
    for (let place = from; place < to; place++) writer.byte(current[place] ?? 0);
  }
}

/** @throws {DamagedBlock} */
export function readXor(reader: ByteReader, count: number): Float64Array {
  if (count > reader.remaining) throw new DamagedBlock("A column is longer than its bytes");
  const values = newColumn(count);
  const bytes = new Uint8Array(BYTES);
  const view = new DataView(bytes.buffer);
  for (let place = 0; place < count; place++) {
    const head = reader.byte();
    const from = head >> 4;
    const to = from + (head & 15);
    if (to > BYTES) throw new DamagedBlock("A value has too many bytes");
    for (let at = from; at < to; at++) bytes[at] = (bytes[at] ?? 0) ^ reader.byte();
    values[place] = view.getFloat64(0);
  }
  return values;
}
