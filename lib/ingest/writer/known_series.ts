import type { MetricBatch, MetricSeries } from "../../records/metric_batch.ts";
import { idsOf } from "../../metrics/ids.ts";

/** A series or a metric that may not be stored yet, or not as seen on this day. */
export interface NewSeries {
  readonly projectId: string;
  readonly series: MetricSeries;
  readonly seenAt: Date;
  /** Of its earliest point; not later than `seenAt`. */
  readonly firstAt: Date;
}

interface Stored {
  readonly projectId: string;
  readonly record: MetricBatch;
}

/** Some 30 MB. */
const CAPACITY = 400_000;

/**
 * Knows which series are stored already, so that steady traffic writes each of them once a day. Forgetting costs a
 * write that changes nothing; it never costs a series.
 */
export class KnownSeries {
  /** Ids by project and day. */
  #known = new Map<string, Set<string>>();
  #size = 0;

  /** The series of batches that are not known to be stored, each once. */
  findNew(rows: readonly Stored[]): NewSeries[] {
    const found = new Map<string, NewSeries>();
    for (const { projectId, record } of rows) {
      const known = this.#known.get(placeOf(projectId, record.receivedAt));
      for (const series of record.series) {
        const { seriesId } = idsOf(series);
        if (known?.has(seriesId)) continue;
        const place = `${projectId}/${seriesId}`;
        const other = found.get(place);
        const first = firstOf(series, record.receivedAt);
        const firstAt = other !== undefined && other.firstAt < first ? other.firstAt : first;
        if (other !== undefined && other.seenAt >= record.receivedAt) {
          found.set(place, { ...other, firstAt });
        } else {
          found.set(place, { projectId, series, seenAt: record.receivedAt, firstAt });
        }
      }
    }
    return [...found.values()];
  }

  /** To be called after the commit, and only then. */
  remember(rows: readonly Stored[]): void {
    for (const { projectId, record } of rows) {
      if (this.#size > CAPACITY) this.#forget();
      const place = placeOf(projectId, record.receivedAt);
      const known = this.#known.get(place) ?? new Set<string>();
      this.#known.set(place, known);
      const before = known.size;
      for (const series of record.series) known.add(idsOf(series).seriesId);
      this.#size += known.size - before;
    }
  }

  #forget(): void {
    this.#known = new Map();
    this.#size = 0;
  }
}

/** When a series began as far as its points tell; clocks may be ahead. */
function firstOf({ points }: MetricSeries, receivedAt: Date): Date {
  let firstMs = receivedAt.getTime();
  for (const { timeMs } of points) if (timeMs < firstMs) firstMs = timeMs;
  return new Date(firstMs);
}

function placeOf(projectId: string, time: Date): string {
  return `${time.toISOString().slice(0, 10)}/${projectId}`;
}
