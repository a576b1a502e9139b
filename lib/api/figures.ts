import { answersOf, STATUS_CLASSES } from "../traces/endpoints/status_classes.ts";
import type { Stats } from "../store/stats/stats.ts";

/** To the thousandth, which is a microsecond of milliseconds: sketches know less. Null stays null. */
export function rounded<T extends number | null>(value: T): T {
  return (value === null ? null : Math.round(value * 1_000) / 1_000) as T;
}

/** The usual quantiles of durations, in milliseconds; null where nothing happened. */
export function quantilesJson({ sketch }: Pick<Stats, "sketch">) {
  return {
    p50: rounded(sketch.quantile(0.5)),
    p75: rounded(sketch.quantile(0.75)),
    p95: rounded(sketch.quantile(0.95)),
    p99: rounded(sketch.quantile(0.99)),
  };
}

/** How many requests ended with which class of HTTP status, as `{"2xx": 7, …, "none": 0}`. */
export function statusesJson(stats: Pick<Stats, "statuses" | "count" | "weight">) {
  return answersJson(answersOf(stats));
}

/** The same of answers that are counted already, in the order of `STATUS_CLASSES`. */
export function answersJson(answers: readonly number[]): Record<string, number> {
  return Object.fromEntries(
    STATUS_CLASSES.map(({ label }, place) => [label, Math.round(answers[place] ?? 0)]),
  );
}
