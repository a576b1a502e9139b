import { decimalsOf, scaleOf } from "../codec/columns.ts";
import type { FoldedGauges } from "../codec/folded_gauges.ts";
import type { GaugeCells } from "../gauge_cells.ts";
import { byId } from "../ids.ts";
import type { GaugeSteps } from "../points.ts";

/** The steps that are asked for. */
interface GridSteps {
  readonly startMs: number;
  readonly endMs: number;
  readonly stepMs: number;
}

interface Row {
  readonly seriesId: string;
  /** A part of a list that several rows share. */
  readonly cells: GaugeCells;
}

/** Cells that rows are cut from. */
const ROOM = 65_536;

/** Gauges by step, a row for each series: what is read slot by slot goes where it belongs at once. */
export class GaugeGrid {
  readonly #rows: Row[] = [];
  readonly #places = new Map<string, number>();
  /** Of the row that was added to last: the next one most likely comes next. */
  #last = -1;
  readonly #count: number;
  #room = roomFor(0);
  #taken = 0;

  constructor(private readonly steps: GridSteps) {
    const { startMs, endMs, stepMs } = steps;
    this.#count = Math.max(0, Math.ceil((endMs - startMs) / stepMs));
  }

  /** Adds all that was read of a block. */
  addBlock({ seriesIds, runs, cells }: FoldedGauges): void {
    let from = 0;
    for (let place = 0; place < seriesIds.length; place++) {
      const times = runs[place]?.times ?? NO_TIMES;
      this.add(seriesIds[place] ?? "", times, cells, from);
      from += times.length;
    }
  }

  /**
   * Adds steps of a series, or parts of steps, that lie behind those that it has.
   *
   * @param times beginnings of steps
   * @param from where in `cells` theirs begin
   */
  add(seriesId: string, times: Float64Array, cells: GaugeCells, from = 0): void {
    const { startMs, stepMs } = this.steps;
    const row = this.#rowOf(seriesId);
    const { counts, sums, mins, maxs, lasts } = row;
    for (let place = 0; place < times.length; place++) {
      const to = Math.round(((times[place] ?? 0) - startMs) / stepMs);
      if (to < 0 || to >= counts.length) continue;
      const at = from + place;
      if (counts[to] !== 0) {
        addPart(cells, at, row, to);
        continue;
      }
      counts[to] = cells.counts[at] ?? 0;
      sums[to] = cells.sums[at] ?? 0;
      mins[to] = cells.mins[at] ?? 0;
      maxs[to] = cells.maxs[at] ?? 0;
      lasts[to] = cells.lasts[at] ?? 0;
    }
  }

  #rowOf(seriesId: string): GaugeCells {
    let place: number | undefined = this.#last + 1;
    if (this.#rows[place]?.seriesId !== seriesId) place = this.#places.get(seriesId);
    if (place === undefined) {
      place = this.#rows.push({ seriesId, cells: this.#newRow() }) - 1;
      this.#places.set(seriesId, place);
    }
    this.#last = place;
    return this.#rows[place]?.cells ?? roomFor(0);
  }

  #newRow(): GaugeCells {
    const count = this.#count;
    if (this.#taken + count > this.#room.counts.length) {
      this.#room = roomFor(Math.max(1, Math.floor(ROOM / Math.max(1, count))) * count);
      this.#taken = 0;
    }
    const from = this.#taken;
    this.#taken += count;
    return cut(this.#room, from, from + count);
  }

  /** The steps that have points, of series that have any, by ascending id. Nothing is added from then on. */
  series(): GaugeSteps[] {
    const { startMs, stepMs } = this.steps;
    const all = Float64Array.from(
      { length: this.#count },
      (_, place) => startMs + place * stepMs,
    );
    const series: GaugeSteps[] = [];
    for (const { seriesId, cells } of this.#rows) {
      const { times, count } = withoutGaps(cells, all);
      if (count === 0) continue;
      const filled = count === this.#count ? cells : cut(cells, 0, count);
      series.push({ kind: "gauge", seriesId, times, ...filled });
    }
    return series.sort(byId);
  }
}

const NO_TIMES = new Float64Array();

/** Of short-lived lists that are cut into rows: zeros from the system. */
function roomFor(length: number): GaugeCells {
  return {
    counts: new Float64Array(length),
    sums: new Float64Array(length),
    mins: new Float64Array(length),
    maxs: new Float64Array(length),
    lasts: new Float64Array(length),
  };
}

function cut({ counts, sums, mins, maxs, lasts }: GaugeCells, from: number, to: number) {
  return {
    counts: counts.subarray(from, to),
    sums: sums.subarray(from, to),
    mins: mins.subarray(from, to),
    maxs: maxs.subarray(from, to),
    lasts: lasts.subarray(from, to),
  };
}

/** Adds a later part of a step. */
function addPart(source: GaugeCells, from: number, row: GaugeCells, to: number): void {
  const before = row.sums[to] ?? 0;
  const sum = source.sums[from] ?? 0;
  row.counts[to] = (row.counts[to] ?? 0) + (source.counts[from] ?? 0);
  row.sums[to] = decimalsOf(before + sum, scaleOf(Float64Array.of(before, sum)));
  row.mins[to] = Math.min(row.mins[to] ?? 0, source.mins[from] ?? 0);
  row.maxs[to] = Math.max(row.maxs[to] ?? 0, source.maxs[from] ?? 0);
  row.lasts[to] = source.lasts[from] ?? 0;
}

/** Moves the steps that have points to the front of a row. @param all beginnings of all steps */
function withoutGaps(
  { counts, sums, mins, maxs, lasts }: GaugeCells,
  all: Float64Array,
): { readonly times: Float64Array; readonly count: number } {
  let count = 0;
  while (count < all.length && counts[count] !== 0) count++;
  if (counts.subarray(count).every((each) => each === 0)) {
    return { times: count === all.length ? all : all.subarray(0, count), count };
  }
  const times = all.slice();
  for (let place = count + 1; place < all.length; place++) {
    if (counts[place] === 0) continue;
    times[count] = all[place] ?? 0;
    counts[count] = counts[place] ?? 0;
    sums[count] = sums[place] ?? 0;
    mins[count] = mins[place] ?? 0;
    maxs[count] = maxs[place] ?? 0;
    lasts[count] = lasts[place] ?? 0;
    count++;
  }
  return { times: times.subarray(0, count), count };
}
