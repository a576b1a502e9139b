/** Reads of series that several questions share: panels of a page often ask one metric in several ways. */
import type { SeriesSteps } from "../points.ts";
import type { PointRead, ReadServices, StepRequest } from "../read/read_types.ts";
import { readSteps } from "../read/steps.ts";

/** What questions are answered from, with the memory that those of one page share. */
export interface SharingServices extends ReadServices {
  /** Absent: everything is read for itself. */
  readonly shared?: SharedReads;
}

interface Entry {
  /** Null: all of the metric's. */
  readonly seriesIds: ReadonlySet<string> | null;
  readonly read: Promise<PointRead<SeriesSteps>>;
}

/** Values in memory at once, of some 8 bytes each. */
const MAX_HELD = 2_000_000;
/** Values of a step of a histogram, about. */
const HISTOGRAM_SIZE = 30;

/**
 * Remembers series by step for as long as a page is made. Larger answers than there is room for are shared only by
 * those who ask while they are read.
 */
export class SharedReads {
  /** By metric and steps. */
  readonly #entries = new Map<string, Entry[]>();
  #held = 0;

  /** As `readSteps()`. @throws what `postgres` throws */
  async read(
    services: ReadServices,
    projectId: string,
    request: StepRequest,
  ): Promise<PointRead<SeriesSteps>> {
    const { metricId, startMs, endMs, stepMs } = request;
    const key = [projectId, metricId, startMs, endMs, stepMs].join(" ");
    const entries = this.#entries.get(key) ?? [];
    this.#entries.set(key, entries);
    const known = entries.find((entry) => holds(entry, request.seriesIds));
    if (known !== undefined) return narrowed(await known.read, known, request.seriesIds);
    const entry: Entry = {
      seriesIds: request.seriesIds && new Set(request.seriesIds),
      read: readSteps(services, projectId, request),
    };
    entries.push(entry);
    const forget = () => void entries.splice(entries.indexOf(entry), 1);
    try {
      const read = await entry.read;
      const size = sizeOf(read.series);
      if (this.#held + size > MAX_HELD) forget();
      else this.#held += size;
      return read;
    } catch (error) {
      forget();
      throw error;
    }
  }
}

function holds({ seriesIds: held }: Entry, wanted: readonly string[] | null): boolean {
  return held === null || wanted !== null && wanted.every((seriesId) => held.has(seriesId));
}

function narrowed(
  { series, damaged }: PointRead<SeriesSteps>,
  { seriesIds: held }: Entry,
  wanted: readonly string[] | null,
): PointRead<SeriesSteps> {
  if (wanted === null || held?.size === wanted.length) return { series, damaged };
  const ids = new Set(wanted);
  return { series: series.filter(({ seriesId }) => ids.has(seriesId)), damaged };
}

function sizeOf(series: readonly SeriesSteps[]): number {
  return series.reduce(
    (sum, { kind, times }) => sum + times.length * (kind === "histogram" ? HISTOGRAM_SIZE : 6),
    0,
  );
}
