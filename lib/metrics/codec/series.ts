/** One series of a block: what it has beside its id and its times. */
import type { Temporality } from "../../records/metric_batch.ts";
import type { RawSeries, SeriesSteps } from "../points.ts";
import type { ByteReader } from "./byte_reader.ts";
import type { ByteWriter } from "./byte_writer.ts";
import { readColumn, writeColumn } from "./column.ts";
import { columnOf } from "../list_column.ts";
import { DamagedBlock } from "./damaged_block.ts";
import { type BoundsTable, readHistograms, writeHistograms } from "./histogram_columns.ts";

/** What a block holds. Numbers are stored: they never change. */
const CONTENT = { numbers: 0, histograms: 1, counter: 2, gauge: 3, histogramSteps: 4 } as const;
const TEMPORALITIES: readonly Temporality[] = ["cumulative", "delta", "observed", "level"];

export interface SeriesFacts {
  readonly seriesId: string;
  readonly times: Float64Array;
}

/** The number of a block's content that such a series is part of. */
export function contentOf(series: RawSeries | SeriesSteps): number {
  if ("shape" in series) return series.shape === "number" ? CONTENT.numbers : CONTENT.histograms;
  return series.kind === "histogram" ? CONTENT.histogramSteps : CONTENT[series.kind];
}

export function timesOf(series: RawSeries | SeriesSteps): Float64Array {
  return "points" in series ? columnOf(series.points, ({ timeMs }) => timeMs) : series.times;
}

export function writeSeries(
  writer: ByteWriter,
  series: RawSeries | SeriesSteps,
  bounds: BoundsTable,
): void {
  if ("shape" in series) {
    writer.byte(TEMPORALITIES.indexOf(series.temporality));
    if (series.shape === "number") {
      writeColumn(writer, series.starts);
      writeColumn(writer, series.values);
    } else {
      writeColumn(writer, columnOf(series.points, ({ startMs }) => startMs));
      writeHistograms(writer, series.points, bounds);
    }
  } else if (series.kind === "counter") {
    writeColumn(writer, series.increases);
  } else if (series.kind === "histogram") {
    writeHistograms(writer, series.histograms, bounds);
  } else {
    writeColumn(writer, series.counts);
    writeColumn(writer, series.lasts);
    writeColumn(writer, series.mins, series.lasts);
    writeColumn(writer, series.maxs, series.lasts);
    writeColumn(writer, series.sums, series.lasts);
  }
}

/** @throws {DamagedBlock} */
export function readSeries(
  reader: ByteReader,
  content: number,
  { seriesId, times }: SeriesFacts,
  bounds: readonly (readonly number[])[],
): RawSeries | SeriesSteps {
  const count = times.length;
  switch (content) {
    case CONTENT.numbers: {
      const temporality = readTemporality(reader);
      const starts = readColumn(reader, count);
      const values = readColumn(reader, count);
      return { shape: "number", seriesId, temporality, times, starts, values };
    }
    case CONTENT.histograms: {
      const temporality = readTemporality(reader);
      const starts = readColumn(reader, count);
      const points = readHistograms(reader, count, bounds).map((histogram, place) => ({
        ...histogram,
        timeMs: times[place] ?? 0,
        startMs: starts[place] ?? 0,
      }));
      return { shape: "histogram", seriesId, temporality, points };
    }
    case CONTENT.counter:
      return { kind: "counter", seriesId, times, increases: readColumn(reader, count) };
    case CONTENT.histogramSteps: {
      const histograms = readHistograms(reader, count, bounds);
      return { kind: "histogram", seriesId, times, histograms };
    }
    case CONTENT.gauge:
      return { kind: "gauge", seriesId, times, ...readGauge(reader, count) };
    default:
      throw new DamagedBlock(`The content is ${content}`);
  }
}

function readGauge(reader: ByteReader, count: number) {
  const counts = readColumn(reader, count);
  const lasts = readColumn(reader, count);
  const mins = readColumn(reader, count, lasts);
  const maxs = readColumn(reader, count, lasts);
  const sums = readColumn(reader, count, lasts);
  return { counts, sums, mins, maxs, lasts };
}

function readTemporality(reader: ByteReader): Temporality {
  const temporality = TEMPORALITIES[reader.byte()];
  if (temporality === undefined) throw new DamagedBlock("A series has an unknown temporality");
  return temporality;
}
