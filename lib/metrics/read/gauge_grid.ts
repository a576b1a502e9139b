import { decimalsOf, scaleOf } from "../codec/columns.ts";
import type { FoldedGauges } from "../codec/folded_gauges.ts";
import type { GaugeCells, GaugeColumn } from "../gauge_cells.ts";
import { byId } from "../ids.ts";
import type { GaugeSteps } from "../points.ts";

/** The steps that are asked for. */
interface GridSteps {
  readonly startMs: number;
  readonly endMs: number;
  readonly stepMs: number;
  /** What is told of them beside the counts: other columns stay empty. Absent: all. */
  readonly columns?: readonly GaugeColumn[];
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
  readonly #has: (column: GaugeColumn) => boolean;
  #room: GaugeCells;
  #taken = 0;

  constructor(private readonly steps: GridSteps) {
    const { startMs, endMs, stepMs, columns } = steps;
    this.#has = (column) => columns?.includes(column) !== false;
    this.#room = roomFor(0, this.#has);
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
   * Adds steps of a series that lie behind those that it has; the first may be another part of its last one.
   *
   * @param times beginnings of steps that are among those of the grid, ascending
   * @param from where in `cells` theirs begin
   */
  add(seriesId: string, times: Float64Array, cells: GaugeCells, from = 0): void {
    const row = this.#rowOf(seriesId);
    let place = 0;
    while (place < times.length) {
      const to = this.#placeOf(times[place] ?? 0);
      const end = this.#endOfRow(times, place, to);
      // What lies behind all that is known can only go on with the last step.
      const isKnown = row.counts[to] !== 0;
      if (isKnown) addPart(cells, from + place, row, to);
      const skipped = isKnown ? 1 : 0;
      copyCells(cells, from + place + skipped, row, to + skipped, end - place - skipped);
      place = end;
    }
  }

  #placeOf(timeMs: number): number {
    return Math.round((timeMs - this.steps.startMs) / this.steps.stepMs);
  }

  /** Where the steps in a row end that begin at a place: most series have a point in each. */
  #endOfRow(times: Float64Array, from: number, to: number): number {
    const last = times.length - 1;
    if (this.#placeOf(times[last] ?? 0) - to === last - from) return times.length;
    let end = from + 1;
    while (end <= last && this.#placeOf(times[end] ?? 0) - to === end - from) end++;
    return end;
  }

  #rowOf(seriesId: string): GaugeCells {
    let place: number | undefined = this.#last + 1;
    if (this.#rows[place]?.seriesId !== seriesId) place = this.#places.get(seriesId);
    if (place === undefined) {
      place = this.#rows.push({ seriesId, cells: this.#newRow() }) - 1;
      this.#places.set(seriesId, place);
    }
    this.#last = place;
    return this.#rows[place]?.cells ?? this.#newRow();
  }

  #newRow(): GaugeCells {
    const count = this.#count;
    if (this.#taken + count > this.#room.counts.length) {
      const rows = Math.max(1, Math.floor(ROOM / Math.max(1, count)));
      this.#room = roomFor(rows * count, this.#has);
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

/** Lists that are cut into rows. */
function roomFor(length: number, has: (column: GaugeColumn) => boolean): GaugeCells {
  const column = (name: GaugeColumn) => new Float64Array(has(name) ? length : 0);
  return {
    counts: new Float64Array(length),
    sums: column("sums"),
    mins: column("mins"),
    maxs: column("maxs"),
    lasts: column("lasts"),
  };
}

function cut(cells: GaugeCells, from: number, to: number): GaugeCells {
  const part = (column: Float64Array) => column.length === 0 ? column : column.subarray(from, to);
  return {
    counts: part(cells.counts),
    sums: part(cells.sums),
    mins: part(cells.mins),
    maxs: part(cells.maxs),
    lasts: part(cells.lasts),
  };
}

function copyCells(
  source: GaugeCells,
  from: number,
  row: GaugeCells,
  to: number,
  length: number,
): void {
  copy(source.counts, from, row.counts, to, length);
  copy(source.sums, from, row.sums, to, length);
  copy(source.mins, from, row.mins, to, length);
  copy(source.maxs, from, row.maxs, to, length);
  copy(source.lasts, from, row.lasts, to, length);
}

/** A dozen numbers at a time, for which `set()` takes longer. */
function copy(
  source: Float64Array,
  from: number,
  target: Float64Array,
  to: number,
  length: number,
): void {
  if (target.length === 0) return;
  for (let place = 0; place < length; place++) target[to + place] = source[from + place] ?? 0;
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
