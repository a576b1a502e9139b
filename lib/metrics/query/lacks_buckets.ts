import { type Answer, answer, type AskedQuery } from "./answer.ts";
import type { FigureSteps } from "./group_figures.ts";
import { isQuantile } from "../quantiles.ts";
import type { SharingServices } from "./shared_reads.ts";

/** Whether a quantile has no value since clients send sum and count of the histogram alone, and no buckets. */
export async function lacksBuckets(
  services: SharingServices,
  asked: AskedQuery,
  found: Answer,
  steps: FigureSteps,
): Promise<boolean> {
  if (asked.metric?.kind !== "histogram" || !isQuantile(asked.query.aggregation)) return false;
  if (hasValues(found)) return false;
  const query = { ...asked.query, aggregation: "count" as const, groupBy: [] };
  return hasValues(await answer(services, { ...asked, query }, steps));
}

function hasValues({ groups }: Answer): boolean {
  return groups.some(({ values }) => values.some((value) => value !== null && value > 0));
}
