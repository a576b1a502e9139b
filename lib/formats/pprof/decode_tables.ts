import { Buffer } from "node:buffer";
import { IdIndex } from "./id_index.ts";
import { LIMITS } from "./limits.ts";
import { PprofError } from "./pprof_error.ts";
import type { FunctionTable, MappingTable, ValueType } from "./profile.ts";
import type { Repairs } from "./repairs.ts";
import type { Spans, WireReader } from "./wire_reader.ts";

/** Rows of a table, and how to find them by id. */
export interface Indexed<T> {
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
    let start = spans.start(index);
    const end = spans.end(index);
    if (end - start > LIMITS.textBytes) {
      start = end - LIMITS.textBytes;
      // Not into the middle of a character.
      while (start < end && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
      repairs.cutTexts++;
    }
    strings[index] = start === end ? "" : bytes.toString("utf8", start, end);
  }
  return strings;
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
