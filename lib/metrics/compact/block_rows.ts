import { encodeBlock } from "../codec/block.ts";
import { pointCount } from "../merge_raw.ts";
import type { RawSeries, SeriesSteps } from "../points.ts";
import { byId } from "../read/select_series.ts";
import type { Tier } from "../slots.ts";

/** A block as its row tells of it. */
export interface BlockRow {
  readonly metricId: string;
  readonly tier: Tier;
  /** Milliseconds since 1970. */
  readonly slot: number;
  readonly pack: string;
  readonly minSeries: string;
  readonly maxSeries: string;
  readonly series: number;
  readonly samples: number;
  readonly body: Uint8Array;
}

/** What a new block is filed under. */
export interface BlockPlace {
  readonly metricId: string;
  readonly tier: Tier;
  readonly slot: number;
  readonly pack: string;
}

/** A settled block's. */
export const SETTLED = "0";

/** So few that a page which shows some series reads little, and that packing holds nobody up for long. */
const MAX_SERIES = 256;
const MAX_SAMPLES = 65_536;

/** Packs series of one metric, those with near ids together; those without points are left out. */
export function* blockRows(
  place: BlockPlace,
  all: readonly (RawSeries | SeriesSteps)[],
  level: number,
): Generator<BlockRow> {
  const sorted = all.filter((series) => samplesOf(series) > 0).sort(byId);
  let part: (RawSeries | SeriesSteps)[] = [];
  let samples = 0;
  for (const series of sorted) {
    const more = samplesOf(series);
    if (part.length === MAX_SERIES || (part.length > 0 && samples + more > MAX_SAMPLES)) {
      yield toRow(place, part, samples, level);
      part = [];
      samples = 0;
    }
    part.push(series);
    samples += more;
  }
  if (part.length > 0) yield toRow(place, part, samples, level);
}

function samplesOf(series: RawSeries | SeriesSteps): number {
  return "shape" in series ? pointCount(series) : series.times.length;
}

function toRow(
  place: BlockPlace,
  series: readonly (RawSeries | SeriesSteps)[],
  samples: number,
  level: number,
): BlockRow {
  return {
    ...place,
    minSeries: series[0]?.seriesId ?? "0",
    maxSeries: series.at(-1)?.seriesId ?? "0",
    series: series.length,
    samples,
    body: encodeBlock(series, level),
  };
}
