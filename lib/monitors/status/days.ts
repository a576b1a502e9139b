/** What a day of a monitor was, from the seconds in each state. */
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

export type DayKind = "up" | "degraded" | "down" | "maintenance" | "unknown";

/** What a day counts as, and in words. */
export function dayOf(
  seconds: DaySeconds | null,
): { readonly kind: DayKind; readonly words: string } {
  if (seconds === null) return { kind: "unknown", words: "not measured" };
  const [upSec, degradedSec, downSec, maintenanceSec] = seconds;
  const measured = upSec + degradedSec + downSec;
  if (measured === 0) {
    return maintenanceSec > 0
      ? { kind: "maintenance", words: "maintenance" }
      : { kind: "unknown", words: "not measured" };
  }
  const share = `${uptimeWords((measured - downSec) / measured)} up`;
  if (downSec > 0) return { kind: "down", words: `down for ${lengthWords(downSec)}, ${share}` };
  if (degradedSec > 0) {
    return { kind: "degraded", words: `slow for ${lengthWords(degradedSec)}, ${share}` };
  }
  return { kind: "up", words: share };
}

function lengthWords(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
