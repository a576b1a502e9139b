/** How a monitor on a status page stands and stood, day by day. */
import { t } from "../../core/language/translate.ts";
import { uptimeWords } from "../uptime/sums.ts";

/** As long as the bars are. */
export const DAYS = 90;

/** Seconds of a UTC day in each state. */
export type DaySeconds = readonly [
  up: number,
  degraded: number,
  down: number,
  maintenance: number,
  unknown: number,
];

/** How a monitor stands; paused ones are `unknown`. */
export type EntryState = "up" | "degraded" | "down" | "maintenance" | "unknown";

export interface MeasuredEntry {
  readonly state: EntryState;
  /** ISO 8601. */
  readonly since: string;
  /** Shares of the measured time in which it worked, 0 to 1; null: nothing was measured. */
  readonly uptime: {
    readonly "24h": number | null;
    readonly "7d": number | null;
    readonly "30d": number | null;
    readonly "90d": number | null;
  };
  /** The last 90 UTC days, today last; null: nothing is known of the day. */
  readonly days: readonly (DaySeconds | null)[];
}

/** What a day counts as, and in words. */
export function dayOf(
  seconds: DaySeconds | null,
): { readonly kind: EntryState; readonly words: string } {
  if (seconds === null) return { kind: "unknown", words: t("not measured") };
  const [upSec, degradedSec, downSec, maintenanceSec] = seconds;
  const measured = upSec + degradedSec + downSec;
  if (measured === 0) {
    return maintenanceSec > 0
      ? { kind: "maintenance", words: t("maintenance") }
      : { kind: "unknown", words: t("not measured") };
  }
  const share = t("{share} up", { share: uptimeWords((measured - downSec) / measured) });
  if (downSec > 0) {
    return {
      kind: "down",
      words: t("down for {time}, {share}", { time: lengthWords(downSec), share }),
    };
  }
  if (degradedSec > 0) {
    return {
      kind: "degraded",
      words: t("slow for {time}, {share}", { time: lengthWords(degradedSec), share }),
    };
  }
  return { kind: "up", words: share };
}

function lengthWords(seconds: number): string {
  if (seconds < 60) return t("{n} s", { n: seconds });
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return t("{n} min", { n: minutes });
  return t("{hours} h {minutes} min", { hours: Math.floor(minutes / 60), minutes: minutes % 60 });
}
