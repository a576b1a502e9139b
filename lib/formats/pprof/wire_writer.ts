import { PbfWriter } from "pbf";

const BYTES = 2;
const LOW_7_BITS = 0x7fn;
const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** Writes protobuf with exact numbers of 64 bits. What is 0 or `""` is left out, as everywhere in proto3. */
export class WireWriter extends PbfWriter {
  /** Writes a field of a number. @param value of 64 bits, with or without sign */
  int64Field(field: number, value: bigint): void {
    if (value === 0n) return;
    this.writeTag(field, 0);
    this.int64(value);
  }

  /** Writes a field of a number. @param value a whole number up to 2^53 */
  numberField(field: number, value: number): void {
    if (value === 0) return;
    this.writeTag(field, 0);
    this.writeVarint(value);
  }

  /** Writes a field of a list of numbers, packed. */
  int64Fields(field: number, values: readonly bigint[]): void {
    this.writeMessage(field, writeAll, values);
  }

  /** Writes a field that holds what another writer wrote. */
  messageField(field: number, write: (writer: WireWriter) => void): void {
    this.writeMessage(field, (_, writer) => write(writer as WireWriter), null);
  }

  /** Writes a number without a tag. */
  int64(value: bigint): void {
    let rest = BigInt.asUintN(64, value);
    if (rest <= MAX_SAFE) return this.writeVarint(Number(rest));
    this.realloc(10);
    for (; rest > LOW_7_BITS; rest >>= 7n) this.buf[this.pos++] = Number(rest & LOW_7_BITS) | 0x80;
    this.buf[this.pos++] = Number(rest);
  }

  /** Writes what another writer wrote, as it is. */
  append(bytes: Uint8Array): void {
    this.realloc(bytes.length);
    this.buf.set(bytes, this.pos);
    this.pos += bytes.length;
  }

  /** Writes a field of a text, which may be empty. */
  textField(field: number, text: string): void {
    this.writeTag(field, BYTES);
    this.writeString(text);
  }
}

function writeAll(values: readonly bigint[], writer: PbfWriter): void {
  for (const value of values) (writer as WireWriter).int64(value);
}
