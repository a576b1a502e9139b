import type { Indexed } from "./decode_tables.ts";
import { IdIndex } from "./id_index.ts";
import { LIMITS } from "./limits.ts";
import type { LocationTable } from "./profile.ts";
import { type Spans, tooMany, wide, type WireReader } from "./wire_reader.ts";

/** Locations, of which some may be of no use. */
export interface DecodedLocations extends Indexed<LocationTable> {
  /** 1 for a location with a line of a function that is not there; it has no lines. */
  readonly isBroken: Uint8Array;
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
  const lines = new LineColumns(Math.min(spans.bytes >>> 1, LIMITS.lines));
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
          addresses[index] = reader.bigUint64();
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
  return { table, ids, isBroken, missing };
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
  readonly #functions: Uint32Array;
  readonly #lines: Uint32Array;
  readonly #columns: Uint32Array;

  /** @param capacity more than there are lines */
  constructor(capacity: number) {
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
