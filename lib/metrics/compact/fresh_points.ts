/** Points that wait, taken apart by metric and slot. */
import type { MetricKind, Temporality } from "../../records/metric_batch.ts";
import { decodeSections, type MetricSection, openBatch, wideSections } from "../codec/batch.ts";
import { areSameBytes, readKnownHead, type WideBatch, type WideHead } from "../codec/wide_batch.ts";
import { addPart, joined, type RawNumbers, type RawSeries } from "../points.ts";
import { clip, SLOT_MS, slotOf } from "../slots.ts";

/** Requests that have the same series. */
interface WideGroup {
  readonly bytes: Uint8Array;
  readonly head: WideHead;
  readonly batches: WideBatch[];
}

/** What is to be added in the order in which it came, since parts of it have a series in common. */
interface Arrival {
  /** Null: it has no columns, or a group has them. */
  wide: { readonly group: WideGroup; readonly batch: WideBatch } | null;
  readonly sections: readonly MetricSection[];
}

/** Points that are packed together. Of two of a series at one time the one that came later stays. */
export class FreshPoints {
  readonly #metrics = new Map<string, Map<number, SlotPoints>>();
  readonly #arrivals: Arrival[] = [];
  readonly #groups: WideGroup[] = [];

  /** Adds what is in a request. @throws {DamagedBytes}, and then nothing of it is added */
  addBatch(body: Uint8Array): void {
    const { wide, others } = openBatch(body);
    const sections = decodeSections(others);
    if (wide === null) {
      this.#arrivals.push({ wide, sections });
      return;
    }
    const group = this.#groupOf(wide);
    group.batches.push(wide);
    this.#arrivals.push({ wide: { group, batch: wide }, sections });
  }

  #groupOf({ head: bytes }: WideBatch): WideGroup {
    let group = this.#groups.find((each) => areSameBytes(each.bytes, bytes));
    if (group === undefined) {
      group = { bytes, head: readKnownHead(bytes), batches: [] };
      this.#groups.push(group);
    }
    return group;
  }

  /** All that was added. */
  slots(): SlotPoints[] {
    const entangled = this.#entangled();
    for (const group of this.#groups) {
      if (!entangled.has(group)) this.#addAll(wideSections(group.batches, group.head));
    }
    for (const { wide, sections } of this.#arrivals) {
      if (wide !== null && entangled.has(wide.group)) {
        this.#addAll(wideSections([wide.batch], wide.group.head));
      }
      this.#addAll(sections);
    }
    return [...this.#metrics.values()].flatMap((slots) => [...slots.values()]);
  }

  /** The groups that have a series which something else has as well. */
  #entangled(): ReadonlySet<WideGroup> {
    const entangled = new Set<WideGroup>();
    const isAlone = this.#groups.length === 1 &&
      this.#arrivals.every(({ sections }) => sections.length === 0);
    if (isAlone) return entangled;
    const owners = new Map<string, WideGroup | null>();
    for (const { sections } of this.#arrivals) {
      for (const { series } of sections) for (const each of series) owners.set(each.seriesId, null);
    }
    for (const group of this.#groups) {
      for (const seriesId of group.head.seriesIds) {
        const owner = owners.get(seriesId);
        if (owner === undefined) owners.set(seriesId, group);
        else {
          entangled.add(group);
          if (owner !== null) entangled.add(owner);
        }
      }
    }
    return entangled;
  }

  #addAll(sections: readonly MetricSection[]): void {
    for (const { metricId, kind, series } of sections) {
      let slots = this.#metrics.get(metricId);
      if (slots === undefined) this.#metrics.set(metricId, slots = new Map());
      for (const each of series) {
        for (const slot of slotsOf(kind, each)) {
          let points = slots.get(slot);
          if (points === undefined) slots.set(slot, points = new SlotPoints(metricId, kind, slot));
          points.add(each);
        }
      }
    }
  }
}

/** Nearly always it is one. */
function slotsOf(kind: MetricKind, { times }: RawSeries): Iterable<number> {
  const first = times[0];
  const last = times.at(-1);
  if (first === undefined || last === undefined) return [];
  const slot = slotOf(kind, first);
  if (slotOf(kind, last) === slot) return [slot];
  return new Set(Array.from(times, (time) => slotOf(kind, time)));
}

/** So many points in a row are not taken apart. */
const LONG = 4;

/** Points of one metric and slot. */
export class SlotPoints {
  readonly #numbers = new Numbers();
  readonly #parts = new Map<string, RawSeries[]>();

  constructor(
    readonly metricId: string,
    readonly kind: MetricKind,
    readonly slot: number,
  ) {}

  /** Adds those of its points that lie in the slot. */
  add(whole: RawSeries): void {
    const series = clip(whole, this.kind, this.slot, this.slot + SLOT_MS);
    const isShort = series.shape === "number" && series.times.length < LONG &&
      !this.#parts.has(series.seriesId);
    // All parts of a series go one way, so that they stay in their order.
    if (isShort || series.shape === "number" && this.#numbers.has(series.seriesId)) {
      this.#numbers.add(series);
    } else addPart(this.#parts, series);
  }

  /** Each with its points as they came. */
  series(): RawSeries[] {
    return [
      ...this.#numbers.series(),
      ...[...this.#parts.values()].map((parts) => joined(parts)),
    ];
  }
}

/** In few long lists: nearly every point comes alone, and an object for each would keep the garbage collector busy. */
class Numbers {
  readonly #places = new Map<string, number>();
  readonly #temporalities: Temporality[] = [];
  /** Of each point: the place of its series. */
  readonly #owners: number[] = [];
  readonly #times: number[] = [];
  readonly #starts: number[] = [];
  readonly #values: number[] = [];

  has(seriesId: string): boolean {
    return this.#places.has(seriesId);
  }

  add({ seriesId, temporality, times, starts, values }: RawNumbers): void {
    let owner = this.#places.get(seriesId);
    if (owner === undefined) {
      owner = this.#temporalities.push(temporality) - 1;
      this.#places.set(seriesId, owner);
    }
    for (let place = 0; place < times.length; place++) {
      this.#owners.push(owner);
      this.#times.push(times[place] ?? 0);
      this.#starts.push(starts[place] ?? 0);
      this.#values.push(values[place] ?? 0);
    }
  }

  series(): RawNumbers[] {
    const { length } = this.#owners;
    const times = new Float64Array(length);
    const starts = new Float64Array(length);
    const values = new Float64Array(length);
    const edges = this.#edges();
    const nexts = edges.slice();
    for (let place = 0; place < length; place++) {
      const owner = this.#owners[place] ?? 0;
      const to = nexts[owner] ?? 0;
      nexts[owner] = to + 1;
      times[to] = this.#times[place] ?? 0;
      starts[to] = this.#starts[place] ?? 0;
      values[to] = this.#values[place] ?? 0;
    }
    return Array.from(this.#places, ([seriesId, owner]) => {
      const of = (column: Float64Array) => column.subarray(edges[owner], edges[owner + 1]);
      const temporality = this.#temporalities[owner] ?? "level";
      return {
        shape: "number",
        seriesId,
        temporality,
        times: of(times),
        starts: of(starts),
        values: of(values),
      };
    });
  }

  /** Where the points of each series begin when they lie together; one more than series. */
  #edges(): Uint32Array {
    const edges = new Uint32Array(this.#places.size + 1);
    for (const owner of this.#owners) edges[owner + 1] = (edges[owner + 1] ?? 0) + 1;
    for (let place = 1; place < edges.length; place++) {
      edges[place] = (edges[place] ?? 0) + (edges[place - 1] ?? 0);
    }
    return edges;
  }
}
