import { checkedText } from "./decode_tables.ts";
import { LIMITS } from "./limits.ts";
import type { LabelTable } from "./profile.ts";
import type { Repairs } from "./repairs.ts";
import { BYTES, tooMany, type WireReader } from "./wire_reader.ts";

/** Labels of all samples, as they are read. */
export class LabelColumns {
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
