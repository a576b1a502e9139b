import type { Stats } from "../../store/stats/stats.ts";
import type { ChartColor } from "../../ui/charts/mod.ts";

export interface StatusClass {
  readonly label: string;
  /** What answers of the class mean. */
  readonly words: string;
  readonly color: ChartColor;
}

/** Classes of HTTP answers in the order of `statuses` of counts, then those without a status. */
export const STATUS_CLASSES: readonly StatusClass[] = [
  { label: "2xx", words: "succeeded", color: 3 },
  { label: "3xx", words: "redirected", color: 6 },
  { label: "4xx", words: "refused", color: 2 },
  { label: "5xx", words: "failed", color: "danger" },
  { label: "none", words: "told no status", color: "muted" },
];

/** How many requests ended in each of {@linkcode STATUS_CLASSES}, with what was sampled away. */
export function answersOf(
  { statuses, count, weight }: Pick<Stats, "statuses" | "count" | "weight">,
): number[] {
  if (count === 0) return STATUS_CLASSES.map(() => 0);
  const told = statuses.reduce((sum, each) => sum + each, 0);
  // Only stored requests have a status: those that were sampled away are taken to be like them.
  return [...statuses, Math.max(0, count - told)].map((each) => each * weight / count);
}
