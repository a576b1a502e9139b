import { Buffer } from "node:buffer";
import { seededHash } from "../../core/seeded_hash.ts";
import { LIMITS, PprofError, type Repairs } from "./faults.ts";
import { knownTexts } from "./known_texts.ts";
import type { FunctionTable, LocationTable, MappingTable, ValueType } from "./profile.ts";
import { type Spans, tooMany, wide, type WireReader } from "./wire_reader.ts";

/** Rows of a table, and how to find them by id. */
interface Indexed<T> {
  readonly table: T;
  readonly ids: IdIndex;
}

/**
 * The strings of a profile, whatever is no UTF-8 in them replaced by U+FFFD; of very long ones the end, which tells
 * more of a name than its beginning.
 *
 * @throws {PprofError} when there are none, or the first is not empty
 */
export function decodeStrings(reader: WireReader, spans: Spans, repairs: Repairs): string[] {
  if (spans.count === 0) throw new PprofError("it has no string table, which every pprof has");
  if (spans.end(0) > spans.start(0)) throw new PprofError("the first of its strings is not empty");
  const bytes = Buffer.from(reader.buf.buffer, reader.buf.byteOffset, reader.buf.byteLength);
  const strings = new Array<string>(spans.count);
  for (let index = 0; index < spans.count; index++) {
    const known = knownTexts.find(reader.buf, spans.start(index), spans.end(index));
    if (known !== undefined) strings[index] = known;
  }
  for (let index = 0; index < spans.count; index++) {
    if (strings[index] !== undefined) continue;
    const next = decodePiece(bytes, spans, index, strings);
    if (next === index) strings[index] = decodeString(bytes, spans, index, repairs);
    else index = next - 1;
  }
  return strings;
}

function decodeString(bytes: Buffer, spans: Spans, index: number, repairs: Repairs): string {
  let start = spans.start(index);
  const end = spans.end(index);
  if (start === end) return "";
  if (end - start > LIMITS.textBytes) {
    start = end - LIMITS.textBytes;
    // Not into the middle of a character.
    while (start < end && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
    repairs.cutTexts++;
  }
  const text = bytes.toString("utf8", start, end);
  knownTexts.keep(bytes, start, end, text);
  return text;
}

/** Names are parts of the piece that they were read with, and keep it in memory: it must not be large. */
const PIECE_BYTES = 1_024;

/**
 * Reads strings that stand close together at once, as asking for each takes longer than reading it; those that are
 * ASCII, as nearly all are.
 *
 * @returns the first that was not read; `from` for none
 */
function decodePiece(bytes: Buffer, spans: Spans, from: number, strings: string[]): number {
  const start = spans.start(from);
  let next = from;
  while (
    next < spans.count && strings[next] === undefined && spans.end(next) - start <= PIECE_BYTES
  ) next++;
  if (next - from < 2) return from;
  const end = spans.end(next - 1);
  const text = bytes.toString("utf8", start, end);
  // As many characters as bytes, and none in place of a damaged one: each is a byte.
  if (text.length !== end - start || text.includes("\ufffd")) return from;
  for (let index = from; index < next; index++) {
    const own = text.slice(spans.start(index) - start, spans.end(index) - start);
    strings[index] = own;
    knownTexts.keep(bytes, spans.start(index), spans.end(index), own);
  }
  return next;
}

/** Reads a type of values, whose texts are short. @throws {PprofError} */
export function decodeValueType(
  reader: WireReader,
  spans: Spans,
  index: number,
  strings: readonly string[],
): ValueType {
  let type = 0;
  let unit = 0;
  reader.open(spans, index);
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) type = reader.ref();
    else if (field === 2) unit = reader.ref();
    else reader.pass();
  }
  return {
    type: shortText(strings, type, `the name of ${reader.place}`),
    unit: shortText(strings, unit, `the unit of ${reader.place}`),
  };
}

function shortText(strings: readonly string[], ref: number, what: string): string {
  const text = strings[checkedText(ref, strings.length, () => what)] ?? "";
  if (text.length > LIMITS.typeName) {
    throw new PprofError(`${what} is longer than ${LIMITS.typeName} characters`);
  }
  return text;
}

/** Passes a place in the strings. @throws {PprofError} when it is beyond them */
export function checkedText(ref: number, strings: number, what: () => string): number {
  if (ref < strings) return ref;
  const which = Number.isFinite(ref) ? `string ${ref}` : "a string of an impossible number";
  throw new PprofError(`${what()} is ${which}, but there are only ${strings} strings`);
}

/** Reads the mappings. @throws {PprofError} */
export function decodeMappings(
  reader: WireReader,
  spans: Spans,
  strings: number,
): Indexed<MappingTable> {
  const { count } = spans;
  const ids = new IdIndex("mapping", count);
  const starts = new BigUint64Array(count);
  const limits = new BigUint64Array(count);
  const offsets = new BigUint64Array(count);
  const filenames = new Uint32Array(count);
  const buildIds = new Uint32Array(count);
  for (let index = 0; index < count; index++) {
    let low = 0, high = 0, filename = 0, buildId = 0;
    reader.open(spans, index);
    for (let field = reader.next(); field !== 0; field = reader.next()) {
      switch (field) {
        case 1:
          reader.int64();
          ({ low, high } = reader);
          break;
        case 2:
          starts[index] = reader.bigUint64();
          break;
        case 3:
          limits[index] = reader.bigUint64();
          break;
        case 4:
          offsets[index] = reader.bigUint64();
          break;
        case 5:
          filename = reader.ref();
          break;
        case 6:
          buildId = reader.ref();
          break;
        default:
          reader.pass();
      }
    }
    ids.add(low, high);
    filenames[index] = checkedText(filename, strings, () => `the file of ${reader.place}`);
    buildIds[index] = checkedText(buildId, strings, () => `the build id of ${reader.place}`);
  }
  return { table: { count, filenames, buildIds, starts, limits, offsets }, ids };
}

/** Reads the functions. @throws {PprofError} */
export function decodeFunctions(
  reader: WireReader,
  spans: Spans,
  strings: number,
): Indexed<FunctionTable> {
  const { count } = spans;
  const ids = new IdIndex("function", count);
  const names = new Uint32Array(count);
  const systemNames = new Uint32Array(count);
  const filenames = new Uint32Array(count);
  const startLines = new Uint32Array(count);
  for (let index = 0; index < count; index++) {
    let low = 0, high = 0, name = 0, systemName = 0, filename = 0;
    reader.open(spans, index);
    for (let field = reader.next(); field !== 0; field = reader.next()) {
      switch (field) {
        case 1:
          reader.int64();
          ({ low, high } = reader);
          break;
        case 2:
          name = reader.ref();
          break;
        case 3:
          systemName = reader.ref();
          break;
        case 4:
          filename = reader.ref();
          break;
        case 5:
          startLines[index] = reader.uint32();
          break;
        default:
          reader.pass();
      }
    }
    ids.add(low, high);
    names[index] = checkedText(name, strings, () => `the name of ${reader.place}`);
    systemNames[index] = checkedText(systemName, strings, () => `the name of ${reader.place}`);
    filenames[index] = checkedText(filename, strings, () => `the file of ${reader.place}`);
  }
  return { table: { count, names, systemNames, filenames, startLines }, ids };
}

/** Locations, of which some may be of no use. */
export interface DecodedLocations extends Indexed<LocationTable> {
  /** 1 for a location with a line of a function that is not there; it has no lines. */
  readonly isBroken: Uint8Array;
  /** Whether any is. */
  readonly hasBroken: boolean;
  /** The id of that function. */
  readonly missing: BigUint64Array;
}

/**
 * Reads the locations. A mapping that is not there is none, as everywhere in pprof.
 *
 * @param byPosition functions have no ids: those of lines without one are in the order of locations
 * @throws {PprofError}
 */
export function decodeLocations(
  reader: WireReader,
  spans: Spans,
  { mappings, functions, byPosition }: {
    readonly mappings: IdIndex;
    readonly functions: IdIndex;
    readonly byPosition: boolean;
  },
): DecodedLocations {
  const { count } = spans;
  const ids = new IdIndex("location", count);
  const places = new Int32Array(count);
  const addresses = new BigUint64Array(count);
  const lineStarts = new Uint32Array(count + 1);
  const isBroken = new Uint8Array(count);
  const missing = new BigUint64Array(count);
  const halves = new Uint32Array(addresses.buffer);
  const lines = new LineColumns(count);
  for (let index = 0; index < count; index++) {
    let low = 0, high = 0, mapping = -1;
    reader.open(spans, index);
    for (let field = reader.next(); field !== 0; field = reader.next()) {
      switch (field) {
        case 1:
          reader.int64();
          ({ low, high } = reader);
          break;
        case 2:
          reader.int64();
          mapping = mappings.find(reader.low, reader.high);
          break;
        case 3:
          reader.int64();
          // Lower halves first as on every machine that Deno runs on.
          halves[2 * index] = reader.low;
          halves[2 * index + 1] = reader.high;
          break;
        case 4:
          readLine(reader, lines);
          if (byPosition && lines.functionLow === 0 && lines.functionHigh === 0) {
            lines.push(index);
          } else if (lines.pushFound(functions) < 0 && isBroken[index] === 0) {
            isBroken[index] = 1;
            missing[index] = wide(lines.functionLow, lines.functionHigh);
          }
          break;
        default:
          reader.pass();
      }
    }
    ids.add(low, high);
    places[index] = mapping;
    if (isBroken[index] === 1) lines.count = lineStarts[index] ?? 0;
    lineStarts[index + 1] = lines.count;
  }
  const table = { count, mappings: places, addresses, lineStarts, ...lines.columns() };
  return { table, ids, isBroken, hasBroken: isBroken.includes(1), missing };
}

function readLine(reader: WireReader, lines: LineColumns): void {
  lines.begin();
  const outer = reader.enter();
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    switch (field) {
      case 1:
        reader.int64();
        lines.functionLow = reader.low;
        lines.functionHigh = reader.high;
        break;
      case 2:
        reader.int64();
        lines.setLine(reader.low, reader.high);
        break;
      case 3:
        lines.column = reader.uint32();
        break;
      default:
        reader.pass();
    }
  }
  reader.leave(outer);
}

/** Lines of all locations, and the one that is being read. */
class LineColumns {
  count = 0;
  functionLow = 0;
  functionHigh = 0;
  line = 0;
  column = 0;
  #all = 0;
  #functions: Uint32Array<ArrayBuffer>;
  #lines: Uint32Array<ArrayBuffer>;
  #columns: Uint32Array<ArrayBuffer>;

  /** @param locations most have one line */
  constructor(locations: number) {
    const capacity = Math.min(locations + (locations >>> 2) + 16, LIMITS.lines);
    this.#functions = new Uint32Array(capacity);
    this.#lines = new Uint32Array(capacity);
    this.#columns = new Uint32Array(capacity);
  }

  /** A line follows. @throws {PprofError} when it is one too many */
  begin(): void {
    // Those without their function count as well: there may be ten million of them.
    if (this.#all++ === LIMITS.lines) throw tooMany("lines", LIMITS.lines);
    this.functionLow =
      this.functionHigh =
      this.line =
      this.column =
        0;
  }

  /** Datadog's profiler for Node packs the column into the upper half. Negative lines are unknown. */
  setLine(low: number, high: number): void {
    const isNegative = high > 0x7fffffff;
    this.line = isNegative ? 0 : low;
    if (!isNegative && high !== 0) this.column = high;
  }

  /** Takes the line if its function is there. @returns the function's place, -1 for none */
  pushFound(functions: IdIndex): number {
    const place = functions.find(this.functionLow, this.functionHigh);
    if (place >= 0) this.push(place);
    return place;
  }

  push(functionPlace: number): void {
    if (this.count === this.#functions.length) {
      this.#functions = grown(this.#functions);
      this.#lines = grown(this.#lines);
      this.#columns = grown(this.#columns);
    }
    this.#functions[this.count] = functionPlace;
    this.#lines[this.count] = this.line;
    this.#columns[this.count] = this.column;
    this.count++;
  }

  columns(): Pick<LocationTable, "lineFunctions" | "lines" | "columns"> {
    return {
      lineFunctions: this.#functions.slice(0, this.count),
      lines: this.#lines.slice(0, this.count),
      columns: this.#columns.slice(0, this.count),
    };
  }
}

function grown(from: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(2 * from.length);
  larger.set(from);
  return larger;
}

/**
 * Where in its table each id stands. Most profiles number from 1, and need no more than that; ids of others may be
 * anything of 64 bits, such as addresses.
 */
class IdIndex {
  #count = 0;
  #isCounting = true;
  #hasIds = false;
  readonly #lows: Uint32Array;
  readonly #highs: Uint32Array;
  /** Slots of a hash table with places, from 1 on; 0 is free. */
  #slots = new Uint32Array(0);

  /** @param what one of the things, as a refusal names it; @param capacity how many there are */
  constructor(readonly what: string, capacity: number) {
    this.#lows = new Uint32Array(capacity);
    this.#highs = new Uint32Array(capacity);
  }

  /** Takes the id of the next one. Nothing is found under id 0. @throws {PprofError} when another has the id */
  add(low: number, high: number): void {
    const place = this.#count++;
    this.#lows[place] = low;
    this.#highs[place] = high;
    if (low !== 0 || high !== 0) this.#hasIds = true;
    if (this.#isCounting && low === this.#count && high === 0) return;
    if (this.#isCounting) this.#index(place);
    this.#isCounting = false;
    this.#insert(place);
  }

  /** The place of an id, -1 for none. */
  find(low: number, high: number): number {
    if (this.#isCounting) return high === 0 && low > 0 && low <= this.#count ? low - 1 : -1;
    return (this.#slots[this.#slotOf(low, high)] ?? 0) - 1;
  }

  /** The id of a place. */
  idOf(place: number): bigint {
    return wide(this.#lows[place] ?? 0, this.#highs[place] ?? 0);
  }

  /** Whether there is something, and nothing of it has an id. */
  get isWithoutIds(): boolean {
    return this.#count > 0 && !this.#hasIds;
  }

  #index(count: number): void {
    let size = 16;
    while (size < 2 * this.#lows.length) size *= 2;
    this.#slots = new Uint32Array(size);
    for (let place = 0; place < count; place++) this.#insert(place);
  }

  #insert(place: number): void {
    const low = this.#lows[place] ?? 0;
    const high = this.#highs[place] ?? 0;
    if (low === 0 && high === 0) return;
    const slot = this.#slotOf(low, high);
    if (this.#slots[slot] !== 0) {
      throw new PprofError(`two ${this.what}s have the id ${wide(low, high)}`);
    }
    this.#slots[slot] = place + 1;
  }

  /** Where an id is, or the free slot where it would be. */
  #slotOf(low: number, high: number): number {
    const mask = this.#slots.length - 1;
    let slot = seededHash(low, high) & mask;
    for (;;) {
      const place = (this.#slots[slot] ?? 0) - 1;
      if (place < 0 || (this.#lows[place] === low && this.#highs[place] === high)) return slot;
      slot = (slot + 1) & mask;
    }
  }
}
