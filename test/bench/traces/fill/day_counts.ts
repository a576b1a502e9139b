import { DAY_MS, HOUR_MS } from "@/lib/core/time.ts";
import type { SpanBatch, Transaction } from "@/lib/records/mod.ts";
import { KINDS_WITHOUT_MINUTES } from "@/lib/store/stats/periods.ts";
import type { Series } from "@/lib/store/stats/series.ts";
import { Sketch } from "@/lib/store/stats/sketch.ts";
import {
  type Observation,
  type StatCount,
  StatTally,
  sumsWithId,
} from "@/lib/store/stats/stat_tally.ts";
import { minuteRows, rowsByPeriod, type StatRow } from "@/lib/store/stats/save_stats.ts";
import { tallySpans, tallyTransaction } from "@/lib/ingest/writer/tally_traces.ts";

/** Batches tell themselves which transaction they belong to. */
const NO_NAMES = new Map<string, string>();

/**
 * What the writer would count of one day. Where no counts by the minute are kept they are not made either: they are ten
 * times as many as those by the hour.
 */
export class DayCounts extends StatTally {
  /** @param hasMinutes whether counts by the minute are still kept of this day */
  constructor(private readonly projectId: string, private readonly hasMinutes: boolean) {
    super();
  }

  addTransaction(transaction: Transaction): void {
    tallyTransaction(this.projectId, transaction, this);
  }

  addSpans(batch: SpanBatch): void {
    tallySpans(this.projectId, batch, NO_NAMES, this);
  }

  override add(projectId: string, series: Series, seen: Observation): void {
    if (this.hasMinutes) super.add(projectId, series, seen);
    else super.add(projectId, series, { ...seen, time: startOf(seen.time, HOUR_MS) });
  }

  /** Rows by table. */
  get rows(): Readonly<Record<"stat_minutes" | "stat_hours" | "stat_days", readonly StatRow[]>> {
    const minutes = minuteRows([...this.counts, ...this.#sums()]);
    const hours = rowsByPeriod(minutes, HOUR_MS);
    return {
      stat_minutes: this.hasMinutes ? minutes.filter(isKeptByMinute) : [],
      stat_hours: hours,
      stat_days: rowsByPeriod(hours, DAY_MS),
    };
  }

  /** The same for what series are part of, as what commits append is added up. */
  #sums(): readonly StatCount[] {
    const sums = new StatTally();
    for (const count of this.counts) {
      for (const sum of sumsWithId(count)) {
        sums.addCount({
          ...count,
          ...sum,
          statuses: [...count.statuses],
          sketch: Sketch.of(count.sketch.toBytes()),
          users: [...count.users],
        });
      }
    }
    return sums.counts;
  }
}

function isKeptByMinute({ series }: StatRow): boolean {
  return !KINDS_WITHOUT_MINUTES.has(series.kind);
}

function startOf(time: Date, periodMs: number): Date {
  return new Date(Math.floor(time.getTime() / periodMs) * periodMs);
}
