import { checkedText, type DecodedLocations } from "./decode_tables.ts";
import { LIMITS, PprofError, type Repairs } from "./faults.ts";
import type { LabelTable, SampleTable } from "./profile.ts";
import { BYTES, type Spans, tooMany, VARINT, wide, type WireReader } from "./wire_reader.ts";

/** What samples refer to. */
interface Tables {
  /** How many sample types there are. */
  readonly types: number;
  /** How many strings there are. */
  readonly strings: number;
  readonly locations: DecodedLocations;
}

/**
 * Reads the samples. Those that are damaged are left out, and told of in `repairs`.
 *
 * @throws {PprofError} when a message is damaged, or more than half of the samples
 */
export function decodeSamples(
  reader: WireReader,
  spans: Spans,
  tables: Tables,
  repairs: Repairs,
): SampleTable {
  const decoder = new SampleDecoder(reader, spans, tables, repairs);
  for (let index = 0; index < spans.count; index++) {
    reader.open(spans, index);
    const problem = decoder.read();
    if (problem === "") continue;
    if (repairs.droppedSamples++ === 0) repairs.firstDropped = problem;
  }
  if (2 * repairs.droppedSamples > spans.count) throw tooManyDamaged(spans.count, repairs);
  return decoder.table();
}

function tooManyDamaged(samples: number, { droppedSamples, firstDropped }: Repairs): PprofError {
  const others = samples === 1 ? "" : ` (${droppedSamples} of ${samples} samples are damaged)`;
  return new PprofError(firstDropped + others);
}

class SampleDecoder {
  readonly #reader: WireReader;
  readonly #tables: Tables;
  readonly #repairs: Repairs;
  readonly #labels: LabelColumns;
  readonly #starts: Uint32Array;
  readonly #labelStarts: Uint32Array;
  /** A location takes a byte at least, which bounds how many there are. */
  readonly #locations: Uint32Array;
  readonly #values: BigInt64Array;
  /** The same, lower halves first as on every machine that Deno runs on: numbers are faster than bigints. */
  readonly #halves: Uint32Array;
  #count = 0;
  #frames = 0;
  /** How many values the sample that is being read has, as far as there are types for them, and one for all others. */
  #valuesRead = 0;
  /** What is wrong with it, or `""`. */
  #problem = "";

  constructor(reader: WireReader, spans: Spans, tables: Tables, repairs: Repairs) {
    this.#reader = reader;
    this.#tables = tables;
    this.#repairs = repairs;
    this.#labels = new LabelColumns(tables.strings, repairs);
    this.#starts = new Uint32Array(spans.count + 1);
    this.#labelStarts = new Uint32Array(spans.count + 1);
    this.#locations = new Uint32Array(Math.min(spans.bytes, LIMITS.frames));
    this.#values = new BigInt64Array(spans.count * tables.types);
    this.#halves = new Uint32Array(this.#values.buffer);
  }

  /** Reads the sample that the reader stands at. @returns what is wrong with it, or `""` */
  read(): string {
    const reader = this.#reader;
    this.#problem = "";
    this.#valuesRead = 0;
    this.#labels.nextSample();
    for (let field = reader.next(); field !== 0; field = reader.next()) {
      if (field === 1) this.#readLocations();
      else if (field === 2) this.#readValues();
      else if (field === 3) this.#labels.read(reader);
      else reader.pass();
    }
    if (this.#valuesRead !== this.#tables.types) this.#fail(() => this.#wrongValues());
    if (this.#problem === "") this.#keep();
    else this.#forget();
    return this.#problem;
  }

  #keep(): void {
    const start = this.#starts[this.#count] ?? 0;
    if (this.#frames - start > LIMITS.depth) {
      this.#locations.copyWithin(start, this.#frames - LIMITS.depth, this.#frames);
      this.#frames = start + LIMITS.depth;
      this.#repairs.cutStacks++;
    }
    this.#count++;
    this.#starts[this.#count] = this.#frames;
    this.#labelStarts[this.#count] = this.#labels.count;
  }

  #forget(): void {
    this.#frames = this.#starts[this.#count] ?? 0;
    this.#labels.count = this.#labelStarts[this.#count] ?? 0;
  }

  #readLocations(): void {
    const reader = this.#reader;
    const end = this.#listEnd();
    const { ids, isBroken, hasBroken } = this.#tables.locations;
    const frames = this.#locations;
    const { buf } = reader;
    if (this.#frames + end - reader.pos > frames.length) throw tooMany("frames", LIMITS.frames);
    let count = this.#frames;
    let at = reader.pos;
    while (at < end) {
      // Nearly all take one byte or two.
      let low = buf[at] ?? 0;
      let high = 0;
      const second = buf[at + 1] ?? 0;
      if (low < 0x80) at++;
      else if (second < 0x80 && at + 1 < end) {
        low = low & 0x7f | second << 7;
        at += 2;
      } else {
        reader.pos = at;
        reader.readHalves();
        ({ pos: at, low, high } = reader);
      }
      const place = ids.find(low, high);
      if (place < 0) this.#failMissing(low, high);
      else if (hasBroken && isBroken[place] === 1) this.#failBroken(place);
      frames[count++] = place;
    }
    reader.pos = at;
    this.#frames = count;
    this.#closeList(end);
  }

  #readValues(): void {
    const reader = this.#reader;
    const end = this.#listEnd();
    const { types } = this.#tables;
    const halves = this.#halves;
    let read = this.#valuesRead;
    while (reader.pos < end && read < types) {
      reader.readHalves();
      const at = 2 * (this.#count * types + read);
      halves[at] = reader.low;
      halves[at + 1] = reader.high;
      read++;
    }
    if (reader.pos < end) {
      read = types + 1;
      if (reader.type === BYTES) reader.pos = end;
      else reader.readHalves();
    }
    this.#valuesRead = read;
    this.#closeList(end);
  }

  /** Lists of numbers come packed, or one by one from old writers. */
  #listEnd(): number {
    const reader = this.#reader;
    if (reader.type === BYTES) return reader.lengthEnd();
    reader.expect(VARINT);
    return reader.pos + 1;
  }

  #closeList(end: number): void {
    const reader = this.#reader;
    if (reader.type === BYTES && reader.pos !== end) throw reader.damaged();
  }

  #fail(problem: () => string): void {
    // Words for the first only: a million of them would take long.
    const isFirst = this.#repairs.droppedSamples === 0 && this.#problem === "";
    if (isFirst) this.#problem = problem();
    else if (this.#problem === "") this.#problem = "damaged";
  }

  #failMissing(low: number, high: number): void {
    this.#fail(() =>
      `${this.#reader.place} refers to location ${wide(low, high)}, which is not in the profile`
    );
  }

  #failBroken(location: number): void {
    const { ids, missing } = this.#tables.locations;
    this.#fail(() =>
      `${this.#reader.place} refers to location ${ids.idOf(location)}, which refers to function ` +
      `${missing[location]}, which is not in the profile`
    );
  }

  #wrongValues(): string {
    const { types } = this.#tables;
    const read = this.#valuesRead;
    const values = read > types ? `more than ${counted(types, "value")}` : counted(read, "value");
    const verb = types === 1 ? "is" : "are";
    return `${this.#reader.place} has ${values}, but there ${verb} ${
      counted(types, "sample type")
    }`;
  }

  table(): SampleTable {
    const count = this.#count;
    return {
      count,
      starts: this.#starts.subarray(0, count + 1),
      locations: this.#locations.subarray(0, this.#frames),
      values: this.#values.subarray(0, count * this.#tables.types),
      labels: this.#labels.table(this.#labelStarts.subarray(0, count + 1)),
    };
  }
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Labels of all samples, as they are read. */
class LabelColumns {
  count = 0;
  #keys = new Uint32Array(0);
  #texts = new Uint32Array(0);
  #units = new Uint32Array(0);
  #numbers = new BigInt64Array(0);
  /** Of the sample that is being read, those without a name as well. */
  #ofSample = 0;
  #all = 0;

  /** @param strings how many there are */
  constructor(readonly strings: number, readonly repairs: Repairs) {}

  /** The labels to come are those of another sample. */
  nextSample(): void {
    this.#ofSample = 0;
  }

  /** Reads one. @throws {PprofError} when it is damaged, or one too many */
  read(reader: WireReader): void {
    if (++this.#all > LIMITS.labels) throw tooMany("labels", LIMITS.labels);
    if (++this.#ofSample > LIMITS.labelsPerSample) {
      reader.expect(BYTES);
      reader.pass();
      this.repairs.droppedLabels++;
      return;
    }
    let key = 0, text = 0, unit = 0, low = 0, high = 0;
    const outer = reader.enter();
    for (let field = reader.next(); field !== 0; field = reader.next()) {
      switch (field) {
        case 1:
          key = reader.ref();
          break;
        case 2:
          text = reader.ref();
          break;
        case 3:
          reader.int64();
          ({ low, high } = reader);
          break;
        case 4:
          unit = reader.ref();
          break;
        default:
          reader.pass();
      }
    }
    reader.leave(outer);
    const { strings } = this;
    if (key >= strings || text >= strings || unit >= strings) {
      checkedText(key, strings, () => `the name of a label of ${reader.place}`);
      checkedText(text, strings, () => `a label of ${reader.place}`);
      checkedText(unit, strings, () => `the unit of a label of ${reader.place}`);
    }
    if (key === 0) this.repairs.droppedLabels++;
    else this.#push(key, text, unit, low, high);
  }

  #push(key: number, text: number, unit: number, low: number, high: number): void {
    const at = this.count++;
    if (at === this.#keys.length) this.#grow();
    this.#keys[at] = key;
    this.#texts[at] = text;
    this.#units[at] = unit;
    this.#numbers[at] = BigInt(high | 0) << 32n | BigInt(low);
  }

  #grow(): void {
    const length = Math.max(256, 2 * this.#keys.length);
    this.#keys = resized(this.#keys, new Uint32Array(length));
    this.#texts = resized(this.#texts, new Uint32Array(length));
    this.#units = resized(this.#units, new Uint32Array(length));
    const numbers = new BigInt64Array(length);
    numbers.set(this.#numbers);
    this.#numbers = numbers;
  }

  /** @param starts where the labels of each sample start, and where the last ones end */
  table(starts: Uint32Array): LabelTable {
    const { count } = this;
    return {
      starts,
      keys: this.#keys.slice(0, count),
      texts: this.#texts.slice(0, count),
      numbers: this.#numbers.slice(0, count),
      units: this.#units.slice(0, count),
    };
  }
}

function resized(from: Uint32Array<ArrayBuffer>, to: Uint32Array<ArrayBuffer>) {
  to.set(from);
  return to;
}
