import { DAY_MS } from "./periods.ts";
import type { Series } from "./series.ts";
import type { StatCount } from "./stat_tally.ts";

/** A series that may not be stored yet, or not as seen on this day (`YYYY-MM-DD`, UTC). */
export interface NewSeries {
  readonly projectId: string;
  readonly seriesId: string;
  readonly series: Series;
  readonly day: string;
}

/** Some 10 MB. */
const CAPACITY = 50_000;

/**
 * Knows which series are stored already, so that steady traffic writes each of them once a day. Forgetting costs a
 * write that changes nothing; it never costs a series.
 */
export class SeriesMemory {
  readonly #known = new Set<string>();

  /** The series of counts that are not known to be stored, each once. */
  findNew(counts: readonly StatCount[]): NewSeries[] {
    const fresh = new Map<string, NewSeries>();
    for (const { projectId, series, seriesId, minute } of counts) {
      if (this.#known.has(memoryKey(projectId, seriesId, minute))) continue;
      const day = new Date(minute).toISOString().slice(0, 10);
      const place = `${projectId}/${seriesId}`;
      const other = fresh.get(place);
      if (other !== undefined && other.day >= day) continue;
      fresh.set(place, { projectId, seriesId, series, day });
    }
    return [...fresh.values()];
  }

  /** To be called after the commit, and only then. */
  remember(counts: readonly StatCount[]): void {
    if (this.#known.size > CAPACITY) this.#known.clear();
    for (const { projectId, seriesId, minute } of counts) {
      this.#known.add(memoryKey(projectId, seriesId, minute));
    }
  }
}

function memoryKey(projectId: string, seriesId: string, minute: number): string {
  return `${Math.floor(minute / DAY_MS)}/${projectId}/${seriesId}`;
}
