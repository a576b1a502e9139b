import type { SeriesIdentity as NumberIdentity } from "../../records/mod.ts";
import type { SeriesWalk } from "../metrics/series_memory.ts";
import { type OtlpReader, shortMessageEnd, shortMessageStart } from "../otlp/proto_reader.ts";
import type { SeriesIdentity, SeriesTaker } from "./series_taker.ts";

/** What a series was read as. */
export interface RememberedSeries {
  readonly identity: SeriesIdentity;
  /** What its samples become, unless it has histograms. */
  readonly numbers: NumberIdentity;
}

/** Fields of a `TimeSeries` and a `Sample` with their wire types. */
const TAG = { label: 0x0a, sample: 0x12, value: 0x09, time: 0x10 } as const;
/** Of a `WriteRequest`. */
const SERIES_TAG = 0x0a;
/** Of the last seven bits of a length. */
const MAX_WEIGHT = 2 ** 28;
const VALUE_BYTES = 9;
/** Of a time of our century. */
const MAX_TIME_BYTES = 7;

/** Takes series that are known and have nothing but a sample, without making anything of them. */
export class KnownSeries {
  readonly #view: DataView;
  #series: RememberedSeries | undefined;
  #time = 0;
  #value = NaN;

  constructor(
    private readonly reader: OtlpReader,
    readonly walk: SeriesWalk<RememberedSeries>,
    private readonly taker: SeriesTaker,
  ) {
    const { buffer, byteOffset, byteLength } = reader.buf;
    this.#view = new DataView(buffer, byteOffset, byteLength);
  }

  /**
   * Takes series from the beginning of a request that has nothing else.
   *
   * @returns whether all are known; else the reader stands in front of the first that is not
   */
  takeFirst(): boolean {
    const { reader } = this;
    const { length } = reader.buf;
    for (let at = 0; at < length; at = reader.pos) {
      reader.pos = at + 1;
      if (this.take()) continue;
      reader.pos = at;
      return false;
    }
    return true;
  }

  /** Takes the series whose length comes next. @returns false, and nothing done, when there is more to it */
  take(): boolean {
    const { reader } = this;
    const { buf, pos } = reader;
    const end = shortMessageEnd(buf, pos);
    if (end === 0 || !this.#read(buf, shortMessageStart(buf, pos), end)) return false;
    const series = this.#series;
    // Staleness and what else says that there is nothing are NaN.
    if (series === undefined || Number.isNaN(this.#value)) return false;
    reader.pos = end;
    reader.countElement();
    this.taker.addKnown(series.identity, series.numbers, this.#time, this.#value);
    return true;
  }

  #read(buf: Uint8Array, from: number, end: number): boolean {
    const { walk } = this;
    const length = walk.match(this.#view, from, end);
    let at = from + length;
    if (length > 0 && at < end && buf[at] === TAG.sample) {
      this.#series = walk.take();
    } else {
      at = labelsEnd(buf, from, end);
      if (at === 0) return false;
      this.#series = walk.find(this.reader.bytesAt([from + 1, at]));
      if (this.#series === undefined) return false;
    }
    return this.#readSample(buf, at, end);
  }

  /** A value and a time, and nothing behind them. */
  #readSample(buf: Uint8Array, from: number, end: number): boolean {
    const isSample = buf[from] === TAG.sample && buf[from + 1] === end - from - 2 &&
      buf[from + 2] === TAG.value && buf[from + 2 + VALUE_BYTES] === TAG.time;
    let at = from + 3 + VALUE_BYTES;
    const bytes = end - at;
    if (!isSample || bytes < 1 || bytes > MAX_TIME_BYTES) return false;
    this.#value = this.#view.getFloat64(from + 3, true);
    let time = 0;
    for (let weight = 1; at < end; weight *= 128) {
      const byte = buf[at++] ?? 0;
      time += (byte & 127) * weight;
      if (byte < 128) break;
    }
    this.#time = time;
    return at === end && (buf[end - 1] ?? 0) < 128;
  }
}

/** Whether a body is nothing but series, all of them whole as far as their lengths say. */
export function hasOnlySeries(body: Uint8Array): boolean {
  let at = 0;
  while (at < body.length) {
    if (body[at] !== SERIES_TAG) return false;
    let length = 0;
    let byte = 128;
    for (let weight = 1; byte > 127 && weight <= MAX_WEIGHT; weight *= 128) {
      byte = body[++at] ?? 255;
      length += (byte & 127) * weight;
    }
    if (byte > 127) return false;
    at += 1 + length;
  }
  return at === body.length;
}

/** Where labels in a row end; 0 when there are none, or too long ones. */
function labelsEnd(buf: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && buf[at] === TAG.label) {
    const size = buf[at + 1] ?? 0;
    if (size > 127) return 0;
    at += 2 + size;
  }
  return at > from && at < end ? at : 0;
}
