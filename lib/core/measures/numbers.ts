/**
 * Numbers of this process, kept so that counting costs an addition: every isolate adds to a row of its own in memory that all of them
 * share, and whoever reads adds the rows up. No isolate has to answer, so one that is busy or hangs is counted all the same.
 */

/** Of rows in the shared memory: as many as a process may have isolates. */
const MAX_ROWS = 16;

/** Values that a label may have; what is none of them counts as the last one. */
export type Labels = Readonly<Record<string, readonly string[]>>;

/** One line of what is read: a value under its labels. */
export interface Sample {
  /** `_bucket`, `_sum`, `_count`, or nothing. */
  readonly suffix: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Everything that is known under one name. */
export interface Family {
  /** Without the `_total` of counters. */
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly samples: readonly Sample[];
}

interface Definition {
  readonly name: string;
  readonly help: string;
  readonly labels?: Labels;
}

export interface Counter {
  /** @param values one of each label, in their order */
  add(by: number, ...values: readonly string[]): void;
  /** Of all isolates. */
  total(...values: readonly string[]): number;
}

export interface Gauge {
  /** The value of this isolate. */
  set(value: number, ...values: readonly string[]): void;
  /** What readers see. */
  total(...values: readonly string[]): number;
}

export interface Histogram {
  observe(value: number, ...values: readonly string[]): void;
  /** Of all isolates, since the process was started. */
  read(...values: readonly string[]): Distribution;
}

/** How values were spread. */
export interface Distribution {
  readonly count: number;
  readonly sum: number;
  /** How many were at most each of the bounds, and above the one before. */
  readonly buckets: readonly { readonly bound: number; readonly count: number }[];
}

/** All numbers of a process, defined one after the other in the same order by each isolate. */
export class SharedNumbers {
  readonly #families: (() => Family)[] = [];
  #slots = 0;
  #memory: SharedArrayBuffer | null = null;
  #row: Float64Array = new Float64Array(0);

  counter(definition: Definition): Counter {
    const slots = this.#take(definition, 1);
    const read = (slot: number) => this.#sum(slot);
    this.#families.push(() => plainFamily("counter", definition, slots, read));
    return {
      add: (by, ...values) => this.#add(slots.of(values), by),
      total: (...values) => read(slots.of(values)),
    };
  }

  /** @param isMost readers see the largest value of all isolates instead of their sum */
  gauge(definition: Definition & { readonly isMost?: boolean }): Gauge {
    const slots = this.#take(definition, 1);
    const read = (slot: number) =>
      definition.isMost ? Math.max(...this.#values(slot)) : this.#sum(slot);
    this.#families.push(() => plainFamily("gauge", definition, slots, read));
    return {
      set: (value, ...values) => void (this.#row[slots.of(values)] = value),
      total: (...values) => read(slots.of(values)),
    };
  }

  /** @param bounds the largest value of each bucket, ascending; one without a bound comes after them */
  histogram(definition: Definition & { readonly bounds: readonly number[] }): Histogram {
    const { bounds } = definition;
    // Beside the buckets, the sum.
    const slots = this.#take(definition, bounds.length + 2);
    const read = (slot: number): Distribution => {
      const buckets = [...bounds, Infinity].map((bound, index) => ({
        bound,
        count: this.#sum(slot + index),
      }));
      const count = buckets.reduce((sum, bucket) => sum + bucket.count, 0);
      return { count, sum: this.#sum(slot + bounds.length + 1), buckets };
    };
    this.#families.push(() => ({
      ...named(definition),
      type: "histogram",
      samples: slots.all().flatMap(({ slot, labels }) => histogramSamples(read(slot), labels)),
    }));
    return {
      observe: (value, ...values) => {
        const slot = slots.of(values);
        let index = 0;
        while (index < bounds.length && value > (bounds[index] ?? Infinity)) index++;
        this.#add(slot + index, 1);
        this.#add(slot + bounds.length + 1, value);
      },
      read: (...values) => read(slots.of(values)),
    };
  }

  /** Ends the definitions: from now on it counts, by itself until `join()` says otherwise. */
  open(): this {
    this.join(new SharedArrayBuffer(MAX_ROWS * this.#slots * 8), 1);
    return this;
  }

  /** Counts together with the isolate that made `memory`. @param number of this isolate, from 1 */
  join(memory: SharedArrayBuffer, number: number): void {
    this.#memory = memory;
    this.#row = new Float64Array(memory, (number - 1) * this.#slots * 8, this.#slots);
  }

  /** For isolates that are to count together with this one. */
  get memory(): SharedArrayBuffer {
    if (this.#memory === null) {
      throw new Error("Cannot share numbers: they are still being defined");
    }
    return this.#memory;
  }

  /** What was counted so far, of all isolates. */
  read(): Family[] {
    return this.#families.map((read) => read());
  }

  #take({ labels = {} }: Definition, width: number): Slots {
    const slots = new Slots(this.#slots, width, labels);
    this.#slots += slots.size;
    return slots;
  }

  #add(slot: number, by: number): void {
    this.#row[slot] = (this.#row[slot] ?? 0) + by;
  }

  /** Of all isolates. */
  #values(slot: number): number[] {
    const all = new Float64Array(this.memory);
    return Array.from({ length: MAX_ROWS }, (_, row) => all[row * this.#slots + slot] ?? 0);
  }

  #sum(slot: number): number {
    return this.#values(slot).reduce((sum, value) => sum + value, 0);
  }
}

function plainFamily(
  type: "counter" | "gauge",
  definition: Definition,
  slots: Slots,
  read: (slot: number) => number,
): Family {
  const samples = slots.all().map(({ slot, labels }) => ({
    suffix: "",
    labels,
    value: read(slot),
  }));
  return { ...named(definition), type, samples };
}

function named({ name, help }: Definition) {
  return { name, help };
}

function histogramSamples({ buckets, sum, count }: Distribution, labels: Sample["labels"]) {
  let upTo = 0;
  const samples: Sample[] = buckets.map(({ bound, count }) => {
    upTo += count;
    const le = bound === Infinity ? "+Inf" : String(bound);
    return { suffix: "_bucket", labels: { ...labels, le }, value: upTo };
  });
  samples.push({ suffix: "_sum", labels, value: sum }, { suffix: "_count", labels, value: count });
  return samples;
}

/** Where the values of a definition are: one place for each combination of its labels. */
class Slots {
  readonly #places: readonly ReadonlyMap<string, number>[];

  constructor(
    private readonly first: number,
    private readonly width: number,
    private readonly labels: Labels,
  ) {
    this.#places = Object.values(labels).map((values) =>
      new Map(values.map((value, index) => [value, index]))
    );
  }

  get size(): number {
    return this.#places.reduce((size, places) => size * places.size, this.width);
  }

  of(values: readonly string[]): number {
    let place = 0;
    for (let index = 0; index < this.#places.length; index++) {
      const places = this.#places[index];
      if (places === undefined) break;
      place = place * places.size + (places.get(values[index] ?? "") ?? places.size - 1);
    }
    return this.first + place * this.width;
  }

  all(): { slot: number; labels: Record<string, string> }[] {
    let combinations: Record<string, string>[] = [{}];
    for (const [name, values] of Object.entries(this.labels)) {
      combinations = combinations.flatMap((labels) =>
        values.map((value) => ({ ...labels, [name]: value }))
      );
    }
    return combinations.map((labels, place) => ({
      slot: this.first + place * this.width,
      labels,
    }));
  }
}
