import type { ByteReader } from "../../core/bytes.ts";
import {
  foldPoints,
  foldSteps,
  foldSums,
  type GaugeCells,
  type GaugeColumn,
  newCells,
} from "../gauge_cells.ts";
import type { StepRuns } from "../slots.ts";
import { readColumn, readScaled } from "./columns.ts";

const FIRST_ROOM = 4_096;

/**
 * Gauges of a block, added up by step while they are read: nothing is made for each point or series. The same one takes
 * block after block.
 */
export class FoldedGauges {
  readonly seriesIds: string[] = [];
  /** Of each series: which steps it has. Those of one follow those of the one before in `cells`. */
  readonly runs: StepRuns[] = [];
  readonly #fold: typeof foldPoints;
  #cells = newCells(FIRST_ROOM);
  #length = 0;
  /** Of a series while it is read. */
  #values = new Float64Array(FIRST_ROOM);

  /** @param columns that are wanted; what is in others is of no use. Absent: all */
  constructor(columns?: readonly GaugeColumn[]) {
    const hasExtremes = columns?.some((name) => name === "mins" || name === "maxs") !== false;
    this.#fold = hasExtremes ? foldPoints : foldSums;
  }

  get cells(): GaugeCells {
    return this.#cells;
  }

  clear(): void {
    this.seriesIds.length = 0;
    this.runs.length = 0;
    this.#length = 0;
  }

  /** Reads the values of a series' points. @param count of the points @throws {DamagedBytes} */
  readPoints(reader: ByteReader, seriesId: string, count: number, runs: StepRuns): void {
    const at = this.#begin(seriesId, runs);
    if (count > this.#values.length) this.#values = new Float64Array(2 * count);
    const values = this.#values.subarray(0, count);
    const power = readScaled(reader, values);
    this.#fold(values, power, runs.edges, this.#cells, at);
  }

  /** Reads the columns of a series' shorter steps. @param count of these @throws {DamagedBytes} */
  readSteps(reader: ByteReader, seriesId: string, count: number, runs: StepRuns): void {
    const at = this.#begin(seriesId, runs);
    foldSteps(readGauge(reader, count), runs.edges, this.#cells, at);
  }

  #begin(seriesId: string, runs: StepRuns): number {
    const at = this.#length;
    this.seriesIds.push(seriesId);
    this.runs.push(runs);
    this.#length += runs.times.length;
    if (this.#length > this.#cells.counts.length) this.#grow();
    return at;
  }

  #grow(): void {
    const larger = newCells(2 * this.#length);
    for (const name of ["counts", "sums", "mins", "maxs", "lasts"] as const) {
      larger[name].set(this.#cells[name]);
    }
    this.#cells = larger;
  }
}

/** The columns of a gauge's steps. @throws {DamagedBytes} */
export function readGauge(reader: ByteReader, count: number): GaugeCells {
  const counts = readColumn(reader, count);
  const lasts = readColumn(reader, count);
  const mins = readColumn(reader, count, lasts);
  const maxs = readColumn(reader, count, lasts);
  const sums = readColumn(reader, count, lasts);
  return { counts, sums, mins, maxs, lasts };
}
