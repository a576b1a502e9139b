/**
 * A list of doubles in few bytes: as decimals when they are, as themselves, as differences or as differences of these;
 * else by the bits that differ from the one before. What is chosen is what is smallest. -0 may become 0; NaN stands for
 * nothing, and is kept.
 */
import { newColumn } from "../points.ts";
import { type ByteReader, type ByteWriter, DamagedBytes } from "../../core/bytes.ts";

const FORM = { constant: 0, whole: 1, alike: 2, gaps: 3, xor: 4, decimal: 8 } as const;
/** Differences of whole numbers that a varint takes. */
const LIMIT = 2 ** 52;
/** Bytes a value, from which on bits may do better. */
const LONG = 5;

/** @param like another list of the same length; when both are equal nothing but that is written */
export function writeColumn(
  writer: ByteWriter,
  values: Float64Array,
  like: Float64Array | null = null,
): void {
  const first = values[0];
  if (first === undefined) return;
  if (like !== null && areAlike(values, like)) return writer.byte(FORM.alike);
  let isConstant = true;
  let hasGaps = false;
  for (let place = 0; place < values.length; place++) {
    const value = values[place];
    if (value !== first) isConstant = false;
    if (Number.isNaN(value)) hasGaps = true;
  }
  if (hasGaps) writeGaps(writer, values);
  else if (isConstant) writeConstant(writer, first);
  else writeValues(writer, values);
}

/**
 * @param count how many there are
 * @param like what was given when it was written
 * @throws {DamagedBytes}
 */
export function readColumn(
  reader: ByteReader,
  count: number,
  like: Float64Array | null = null,
): Float64Array {
  if (count === 0) return new Float64Array();
  const form = reader.byte();
  return form === FORM.gaps ? readGaps(reader, count) : readWhole(reader, form, count, like);
}

/** Without gaps: those within gaps have none. */
function readWhole(
  reader: ByteReader,
  form: number,
  count: number,
  like: Float64Array | null,
): Float64Array {
  switch (form) {
    case FORM.constant:
      return constantColumn(count, reader.double());
    case FORM.whole:
      return constantColumn(count, reader.signed());
    case FORM.alike:
      if (like === null) throw new DamagedBytes("A column is like none");
      // Columns are never changed once they are read.
      return like;
    case FORM.xor:
      return readXor(reader, count);
    default:
      return readDecimals(reader, count, form - FORM.decimal);
  }
}

/** The last one, for most series of a metric have the same start, and as many points. */
let constant: Float64Array = new Float64Array();

/** Columns are never changed once they are read: those of one value may be the same. */
function constantColumn(count: number, value: number): Float64Array {
  if (constant.length !== count || !Object.is(constant[0], value)) {
    constant = newColumn(count).fill(value);
  }
  return constant;
}

function areAlike(values: Float64Array, others: Float64Array): boolean {
  for (let place = 0; place < values.length; place++) {
    if (values[place] !== others[place]) return false;
  }
  return true;
}

function writeConstant(writer: ByteWriter, value: number): void {
  const isWhole = Number.isInteger(value) && Math.abs(value) < LIMIT;
  writer.byte(isWhole ? FORM.whole : FORM.constant);
  if (isWhole) writer.signed(value);
  else writer.double(value);
}

/** Which are there, eight a byte, then these. All may be missing. */
function writeGaps(writer: ByteWriter, values: Float64Array): void {
  writer.byte(FORM.gaps);
  const present = values.filter((value) => !Number.isNaN(value));
  const bits = new Uint8Array(Math.ceil(values.length / 8));
  values.forEach((value, place) => {
    if (!Number.isNaN(value)) bits[place >> 3] = (bits[place >> 3] ?? 0) | (1 << (place & 7));
  });
  writer.bytes(bits);
  writeColumn(writer, present);
}

function readGaps(reader: ByteReader, count: number): Float64Array {
  const bits = reader.bytes(Math.ceil(count / 8));
  const isThere = (place: number) => ((bits[place >> 3] ?? 0) >> (place & 7) & 1) === 1;
  let there = 0;
  for (let place = 0; place < count; place++) if (isThere(place)) there++;
  const present = there === 0 ? new Float64Array() : readWhole(reader, reader.byte(), there, null);
  const values = newColumn(count).fill(NaN);
  let taken = 0;
  for (let place = 0; place < count; place++) {
    if (isThere(place)) values[place] = present[taken++] ?? NaN;
  }
  return values;
}

function writeValues(writer: ByteWriter, values: Float64Array): void {
  const digits = scaleOf(values);
  const scaled = digits === -1 ? null : scaledValues(values, powerOf(digits));
  const best = scaled === null ? null : bestOrder(scaled);
  if (best === null || scaled === null) return writeBits(writer, values);
  if (best.length > LONG * values.length && xorLength(values) < best.length) {
    return writeBits(writer, values);
  }
  writer.byte(FORM.decimal + digits * 3 + best.order);
  let last = 0;
  let lastStep = 0;
  for (let place = 0; place < scaled.length; place++) {
    const value = scaled[place] ?? 0;
    const step = value - last;
    writer.signed(best.order === 0 ? value : best.order === 1 ? step : step - lastStep);
    last = value;
    // The first one is no step.
    lastStep = place === 0 ? 0 : step;
  }
}

function scaledValues(values: Float64Array, power: number): Float64Array {
  const scaled = newColumn(values.length);
  for (let place = 0; place < values.length; place++) {
    scaled[place] = Math.round((values[place] ?? 0) * power);
  }
  return scaled;
}

function writeBits(writer: ByteWriter, values: Float64Array): void {
  writer.byte(FORM.xor);
  writeXor(writer, values);
}

/** Whether values, their differences or the differences of these take the fewest bytes; null when none fits. */
function bestOrder(scaled: Float64Array): { order: number; length: number } | null {
  let [values, steps, turns] = [0, 0, 0];
  let last = 0;
  let lastStep = 0;
  for (let place = 0; place < scaled.length; place++) {
    const value = scaled[place] ?? 0;
    const step = value - last;
    values += lengthOf(value);
    steps += lengthOf(step);
    turns += lengthOf(step - lastStep);
    last = value;
    lastStep = place === 0 ? 0 : step;
  }
  const length = Math.min(values, steps, turns);
  if (!Number.isFinite(length)) return null;
  return { order: length === values ? 0 : length === steps ? 1 : 2, length };
}

/** Bytes that `signed()` takes. */
function lengthOf(value: number): number {
  const size = value < 0 ? -value : value;
  if (size < 64) return 1;
  if (size < 8_192) return 2;
  if (size < 1_048_576) return 3;
  if (size < 134_217_728) return 4;
  return size < LIMIT ? 8 : Infinity;
}

function readDecimals(reader: ByteReader, count: number, form: number): Float64Array {
  if (count > reader.remaining) throw new DamagedBytes("A column is longer than its bytes");
  const values = newColumn(count);
  const power = readOrdered(reader, values, form);
  if (power !== 1) {
    for (let place = 0; place < count; place++) values[place] = (values[place] ?? 0) / power;
  }
  return values;
}

/** Fills a list with whole numbers. @returns what they are to be divided by */
function readOrdered(reader: ByteReader, values: Float64Array, form: number): number {
  const power = powerOf(Math.floor(form / 3));
  const order = form % 3;
  if (form < 0 || Number.isNaN(power)) throw new DamagedBytes("A column has an unknown form");
  reader.signedList(values);
  // The first one is no step.
  if (order === 1) addUp(values);
  if (order === 2) addUpTwice(values);
  return power;
}

/**
 * Fills a list with a column, with whole numbers where it was written as decimals: what is added up of these is exact.
 *
 * @returns what they are to be divided by; 0: nothing is known of their digits, and they are as they were written
 * @throws {DamagedBytes}
 */
export function readScaled(reader: ByteReader, values: Float64Array): number {
  if (values.length === 0) return 1;
  const form = reader.byte();
  if (form >= FORM.decimal) return readOrdered(reader, values, form - FORM.decimal);
  if (form === FORM.whole) {
    values.fill(reader.signed());
    return 1;
  }
  const { length } = values;
  values.set(
    form === FORM.gaps ? readGaps(reader, length) : readWhole(reader, form, length, null),
  );
  return 0;
}

/** Makes each the sum of those up to it. */
function addUp(values: Float64Array): void {
  let sum = 0;
  for (let place = 0; place < values.length; place++) {
    sum += values[place] ?? 0;
    values[place] = sum;
  }
}

/** Makes all but the first one the sums of those up to them, without the first one, and then as {@linkcode addUp}. */
function addUpTwice(values: Float64Array): void {
  let sum = values[0] ?? 0;
  let step = 0;
  for (let place = 1; place < values.length; place++) {
    step += values[place] ?? 0;
    sum += step;
    values[place] = sum;
  }
}

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

/** How many bytes {@linkcode writeXor} takes. */
function xorLength(values: Float64Array): number {
  const last = new Uint8Array(BYTES);
  let length = 0;
  for (const value of values) {
    const { from, to } = nextDifference(value, last);
    length += 1 + Math.max(to - from, 0);
  }
  return length;
}

/**
 * Writes doubles by the bytes in which each differs from the one before: how many leading bytes are the same and how many
 * bytes follow, then these.
 */
function writeXor(writer: ByteWriter, values: Float64Array): void {
  const last = new Uint8Array(BYTES);
  for (const value of values) {
    const { from, to } = nextDifference(value, last);
    const length = Math.max(to - from, 0);
    writer.byte((from << 4) | length);
    for (let place = from; place < to; place++) writer.byte(current[place] ?? 0);
  }
}

/** @throws {DamagedBytes} */
function readXor(reader: ByteReader, count: number): Float64Array {
  if (count > reader.remaining) throw new DamagedBytes("A column is longer than its bytes");
  const values = newColumn(count);
  const bytes = new Uint8Array(BYTES);
  const view = new DataView(bytes.buffer);
  for (let place = 0; place < count; place++) {
    const head = reader.byte();
    const from = head >> 4;
    const to = from + (head & 15);
    if (to > BYTES) throw new DamagedBytes("A value has too many bytes");
    for (let at = from; at < to; at++) bytes[at] = (bytes[at] ?? 0) ^ reader.byte();
    values[place] = view.getFloat64(0);
  }
  return values;
}

const POWERS = Array.from({ length: 10 }, (_, digits) => 10 ** digits);
/** Beyond this, doubles are no longer exact. */
const EXACT_LIMIT = 2 ** 53;

/** What a scale gives to multiply with. */
function powerOf(digits: number): number {
  return POWERS[digits] ?? NaN;
}

/**
 * How many digits behind the point all values have at most, 0 to 9.
 *
 * @returns -1 when some has more, or is so large that it cannot be scaled without loss
 */
export function scaleOf(values: Float64Array): number {
  if (areWhole(values)) return 0;
  let digits = 0;
  let power = 1;
  for (let place = 0; place < values.length; place++) {
    const value = values[place] ?? 0;
    while (Math.round(value * power) / power !== value) {
      digits++;
      if (digits >= POWERS.length) return -1;
      power = POWERS[digits] ?? NaN;
    }
  }
  // More digits for one may be too many for another.
  for (let place = 0; place < values.length; place++) {
    const value = values[place] ?? 0;
    const scaled = Math.round(value * power);
    if (!(Math.abs(scaled) < EXACT_LIMIT) || scaled / power !== value) return -1;
  }
  return digits;
}

/** Whether all are whole numbers that are exact. */
function areWhole(values: Float64Array): boolean {
  for (let place = 0; place < values.length; place++) {
    const value = values[place] ?? 0;
    if (Math.trunc(value) !== value || value >= EXACT_LIMIT || value <= -EXACT_LIMIT) return false;
  }
  return true;
}

/**
 * A sum without the noise of adding binary fractions up.
 *
 * @param digits that all of its parts have behind the point, -1: any
 */
export function decimalsOf(sum: number, digits: number): number {
  if (digits <= 0) return sum;
  const power = powerOf(digits);
  const scaled = Math.round(sum * power);
  return Math.abs(scaled) < EXACT_LIMIT ? scaled / power : sum;
}
