/**
 * Points that are packed together, by metric and slot. In few long lists: nearly every one comes alone, and an object
 * for each would keep the garbage collector busy.
 */
import type { HistogramPoint, MetricKind, Temporality } from "../../records/metric_batch.ts";
import type { MetricSection } from "../codec/batch.ts";
import { clipRaw } from "../merge_raw.ts";
import type { RawHistograms, RawNumbers, RawSeries } from "../points.ts";
import { SLOT_MS, slotOf } from "../slots.ts";

/** Points of some metrics; they are added in the order in which they came. */
export class FreshPoints {
  readonly #metrics = new Map<string, Map<number, SlotPoints>>();

  add({ metricId, kind, series }: MetricSection): void {
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

  get slots(): SlotPoints[] {
    return [...this.#metrics.values()].flatMap((slots) => [...slots.values()]);
  }
}

/** Nearly always it is one. */
function slotsOf(kind: MetricKind, series: RawSeries): Iterable<number> {
  const { length } = series.shape === "number" ? series.times : series.points;
  const at = (place: number) => slotOf(kind, timeAt(series, place));
  if (length === 0) return [];
  const first = at(0);
  if (at(length - 1) === first) return [first];
  return new Set(Array.from({ length }, (_, place) => at(place)));
}

function timeAt(series: RawSeries, place: number): number {
  const time = series.shape === "number" ? series.times[place] : series.points[place]?.timeMs;
  return time ?? 0;
}

/** Points of one metric and slot. */
export class SlotPoints {
  readonly #numbers = new Numbers();
  readonly #histograms = new Map<string, RawHistograms & { readonly points: HistogramPoint[] }>();

  constructor(
    readonly metricId: string,
    readonly kind: MetricKind,
    readonly slot: number,
  ) {}

  /** Adds those of its points that lie in the slot. */
  add(whole: RawSeries): void {
    const series = clipRaw(whole, this.kind, this.slot, this.slot + SLOT_MS);
    if (series.shape === "number") return this.#numbers.add(series);
    const known = this.#histograms.get(series.seriesId);
    if (known !== undefined) { for (const point of series.points) known.points.push(point); }
    else this.#histograms.set(series.seriesId, { ...series, points: [...series.points] });
  }

  /** Each with its points as they came. */
  series(): RawSeries[] {
    return [...this.#numbers.series(), ...this.#histograms.values()];
  }
}

class Numbers {
  readonly #places = new Map<string, number>();
  readonly #temporalities: Temporality[] = [];
  /** Of each point: the place of its series. */
  readonly #owners: number[] = [];
  readonly #times: number[] = [];
  readonly #starts: number[] = [];
  readonly #values: number[] = [];

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
