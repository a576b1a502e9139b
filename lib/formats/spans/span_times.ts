import type { Span, Transaction } from "../../records/mod.ts";
import { exactNanos, msBetween } from "../../records/exact_time.ts";

/** Start and duration of a local root, so that its row and its span tell the same. */
export function spanTimes(
  { start, end, fine = [0, 0] }: Pick<Span, "start" | "end" | "fine">,
): Pick<Transaction, "startedAt" | "startedMicros" | "durationMs"> {
  const micros = Math.round(start * 1e6);
  return {
    startedAt: new Date(Math.floor(micros / 1000)),
    startedMicros: micros % 1000,
    durationMs: msBetween(exactNanos(start, fine[0]), exactNanos(end, fine[1])),
  };
}
