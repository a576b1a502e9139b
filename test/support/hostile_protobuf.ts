/** Messages of protobuf with one place of them that says what no encoder writes, whatever the message is. */
import { type Bytes, joined, raw, varint } from "@/test/lib/formats/pprof/messages.ts";
import { longText } from "./hostile_values.ts";

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;
/** Of no field: ends of groups, and those that protobuf never had. */
const NO_TYPES = [3, 4, 6, 7];

/** A field and where it is. */
interface Place {
  readonly from: number;
  /** Behind its number, and its length where it has one. */
  readonly contentAt: number;
  readonly to: number;
  readonly number: number;
  readonly type: number;
}

function tag(number: number, type: number): Uint8Array {
  return varint(BigInt(number) << 3n | BigInt(type));
}

function double(value: number): Uint8Array {
  return new Uint8Array(Float64Array.of(value).buffer);
}

function fixed64(value: bigint): Uint8Array {
  return new Uint8Array(BigUint64Array.of(value).buffer);
}

const encode = (text: string) => new TextEncoder().encode(text);

/** Lists and maps of `AnyValue` in each other. @param path field numbers of a level */
function nested(path: readonly number[], levels: number): Uint8Array {
  let value: Uint8Array = new Uint8Array();
  for (let level = 0; level < levels; level++) {
    value = path.reduceRight<Uint8Array>((inner, number) => raw(number, inner), value);
  }
  return value;
}

const NUMBERS = [0n, 1n, 2n ** 31n, 2n ** 32n - 1n, 2n ** 53n + 1n, 2n ** 62n, 2n ** 63n, -1n];
const DOUBLES = [0, NaN, Infinity, -Infinity, Number.MAX_VALUE, 5e-324, -1];

/** What a field may say by its wire type, and be read. */
const CONTENTS: Readonly<Record<number, readonly Uint8Array[]>> = {
  [VARINT]: NUMBERS.map(varint),
  [FIXED64]: [...DOUBLES.map(double), ...[1n, 2n ** 63n, 2n ** 64n - 1n].map(fixed64)],
  [FIXED32]: [0, 2 ** 31, 2 ** 32 - 1].map((value) => new Uint8Array(Uint32Array.of(value).buffer)),
  [BYTES]: [
    ...["", "a\0b", "__proto__", "9".repeat(25), longText(5_000)].map(encode),
    // No UTF-8: what is no byte of it, and half a pair.
    Uint8Array.of(0xff, 0xfe, 0xed, 0xa0, 0x80),
    // Lists of numbers.
    ...[NaN, Infinity].map((value) => joined(double(1), double(value))),
    joined(...NUMBERS.map(varint)),
    joined(...Array.from({ length: 16 }, () => varint(-1n))),
    nested([5, 1], 200),
    nested([6, 1, 2], 200),
  ],
};
/** Longer than anything that is kept. */
const LONG = encode(longText(200_000));
const TIMES = 1_000;

/** With another value in a place, without it, with it many times, and in another type: nearly all of it can be read. */
export function changedFields(message: Uint8Array): Iterable<Bytes> {
  return changed(message, function* ({ number, type }, whole, isMessage) {
    for (const content of CONTENTS[type] ?? []) {
      if (!isMessage || mayBeMessage(content)) yield made(number, type, content);
    }
    for (const other of [VARINT, FIXED64, BYTES, FIXED32].filter((each) => each !== type)) {
      yield made(number, other, CONTENTS[other]?.[1] ?? new Uint8Array());
    }
    yield new Uint8Array();
    yield joined(whole, whole);
    if (whole.length < 100) yield joined(...Array.from({ length: TIMES }, () => whole));
  });
}

/** With a long value in each place of bytes. */
export function longFields(message: Uint8Array): Iterable<Bytes> {
  return changed(message, function* ({ number, type }, _, isMessage) {
    if (type === BYTES && !isMessage) yield raw(number, LONG);
  });
}

/** With a place that breaks all of it, and cut off at every length. */
export function* brokenMessages(message: Uint8Array): Iterable<Bytes> {
  yield* changed(message, function* ({ number, type }, whole, isMessage) {
    for (const each of NO_TYPES) yield joined(tag(number, each), whole.subarray(1));
    yield joined(tag(number, VARINT), new Uint8Array(11).fill(0xff), Uint8Array.of(1));
    yield joined(Uint8Array.of(0), whole.subarray(1));
    yield joined(varint(2n ** 64n - 1n), whole);
    if (type !== BYTES) return;
    for (const content of isMessage ? CONTENTS[type] ?? [] : []) {
      if (!mayBeMessage(content)) yield raw(number, content);
    }
    for (const length of [whole.length + 1, 2 ** 31, 2 ** 32, 2n ** 63n, -1n]) {
      yield joined(tag(number, BYTES), varint(length), encode("ab"));
    }
  });
  for (let length = 0; length < message.length; length++) {
    yield new Uint8Array(message.slice(0, length));
  }
}

/** With some bytes of it replaced by others. */
export function replaced(message: Uint8Array, from: Uint8Array, by: Uint8Array): Bytes {
  const text = (bytes: Uint8Array) => bytes.toHex();
  const [old, fresh] = [text(from), text(by)];
  return new Uint8Array(Uint8Array.fromHex(text(message).replaceAll(old, fresh)));
}

function made(number: number, type: number, content: Uint8Array): Uint8Array {
  return type === BYTES ? raw(number, content) : joined(tag(number, type), content);
}

function mayBeMessage(content: Uint8Array): boolean {
  return content.length === 0 || placesIn(content) !== null;
}

type Replacements = (place: Place, whole: Uint8Array, isMessage: boolean) => Iterable<Uint8Array>;

/** The message with each of the replacements for each of its places, those of messages in it included. */
function* changed(message: Uint8Array, replacements: Replacements): Iterable<Bytes> {
  for (const place of placesIn(message) ?? []) {
    const { from, contentAt, to, number, type } = place;
    const [before, after] = [message.subarray(0, from), message.subarray(to)];
    const content = message.subarray(contentAt, to);
    const isMessage = type === BYTES && placesIn(content) !== null;
    for (const other of replacements(place, message.subarray(from, to), isMessage)) {
      yield joined(before, other, after);
    }
    if (!isMessage) continue;
    for (const inner of changed(content, replacements)) {
      yield joined(before, raw(number, inner), after);
    }
  }
}

/** The fields of what may be a message; null for a text, and for what is none. */
function placesIn(message: Uint8Array): Place[] | null {
  if (message.length < 2 || message.every((byte) => byte >= 0x20 && byte < 0x7f)) return null;
  const places: Place[] = [];
  for (let from = 0; from < message.length;) {
    const [key, keyEnd] = readVarint(message, from);
    const [number, type] = [key >> 3, key & 7];
    // Real messages have few fields.
    if (number < 1 || number > 31 || CONTENTS[type] === undefined) return null;
    const [value, valueEnd] = readVarint(message, keyEnd);
    const contentAt = type === BYTES ? valueEnd : keyEnd;
    const to = type === FIXED64 || type === FIXED32
      ? contentAt + (type === FIXED64 ? 8 : 4)
      : type === BYTES
      ? contentAt + value
      : valueEnd;
    if (to > message.length) return null;
    places.push({ from, contentAt, to, number, type });
    from = to;
  }
  return places;
}

function readVarint(bytes: Uint8Array, from: number): [value: number, end: number] {
  let value = 0;
  let at = from;
  for (let factor = 1; (bytes[at] ?? 0) > 0x7f; factor *= 128) {
    value += (bytes[at++] ?? 0) % 128 * factor;
  }
  const rest = 128 ** (at - from);
  return [value + (bytes[at] ?? 0) * rest, at + 1];
}
