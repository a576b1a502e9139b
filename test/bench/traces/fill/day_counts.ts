import type { SpanBatch, Transaction } from "../../../../lib/telemetry/records.ts";
import {
  DAY_MS,
  HOUR_MS,
  KINDS_WITHOUT_MINUTES,
  MINUTE_MS,
} from "../../../../lib/telemetry/stats/periods.ts";
import { type Series, wholeOf } from "../../../../lib/telemetry/stats/series.ts";
import {
  type Observation,
  type StatRow,
  statRows,
  StatTally,
} from "../../../../lib/telemetry/writer/stat_tally.ts";
import { tallySpans, tallyTransaction } from "../../../../lib/telemetry/writer/tally_traces.ts";

/** Batches tell themselves which transaction they belong to. */
const NO_NAMES = new Map<string, string>();

/**
 * What the writer would count of one day, added up at once by each period: by minutes first, as the writer does, there
 * would be ten times as much to hold.
 */
export class DayCounts extends StatTally {
  readonly #minutes: StatTally | null;
  readonly #hours = new StatTally();
  readonly #days = new StatTally();

  /** @param hasMinutes whether counts by the minute are still kept of this day */
  constructor(private readonly projectId: string, hasMinutes: boolean) {
    super();
    this.#minutes = hasMinutes ? new StatTally() : null;
  }

  addTransaction(transaction: Transaction): void {
    tallyTransaction(this.projectId, transaction, this);
  }

  addSpans(batch: SpanBatch): void {
    tallySpans(this.projectId, batch, NO_NAMES, this);
  }

  /** As what commits append is added up: for its environment and release, and for all of them. */
  override add(projectId: string, series: Series, seen: Observation): void {
    const whole = wholeOf(series);
    for (const each of whole === null ? [series] : [series, whole]) {
      if (!KINDS_WITHOUT_MINUTES.has(each.kind)) this.#minutes?.add(projectId, each, seen);
      this.#hours.add(projectId, each, { ...seen, time: startOf(seen.time, HOUR_MS) });
      this.#days.add(projectId, each, { ...seen, time: startOf(seen.time, DAY_MS) });
    }
  }

  /** Rows by table. */
  get rows(): Readonly<Record<"stat_minutes" | "stat_hours" | "stat_days", readonly StatRow[]>> {
    return {
      stat_minutes: statRows(this.#minutes?.counts ?? [], MINUTE_MS),
      stat_hours: statRows(this.#hours.counts, HOUR_MS),
      stat_days: statRows(this.#days.counts, DAY_MS),
    };
  }
}

function startOf(time: Date, periodMs: number): Date {
  return new Date(Math.floor(time.getTime() / periodMs) * periodMs);
}
