import type { Place } from "./completion.ts";

/** An entry of the list under a field. */
export interface Completion {
  readonly text: string;
  /** As "histogram, s"; `""` for none. */
  readonly note: string;
}

/**
 * Asks for completions; no answer means none, because typing on is always possible.
 *
 * @param metric whose labels and values are meant
 */
export async function fetchCompletions(
  path: string,
  { what, label, prefix }: Pick<Place, "what" | "label" | "prefix">,
  metric: string,
): Promise<Completion[]> {
  try {
    const params = new URLSearchParams({ what, metric, label, prefix });
    const response = await fetch(`${path}?${params}`);
    const found: unknown = response.ok ? await response.json() : [];
    return Array.isArray(found) ? found.filter(isCompletion) : [];
  } catch {
    return [];
  }
}

/** The aggregations that a metric has, the usual one first; empty when it is unknown. */
export async function fetchAggregations(path: string, metric: string): Promise<string[]> {
  try {
    const params = new URLSearchParams({ what: "aggregation", metric });
    const response = await fetch(`${path}?${params}`);
    const found: unknown = response.ok ? await response.json() : [];
    return Array.isArray(found) ? found.filter((one) => typeof one === "string") : [];
  } catch {
    return [];
  }
}

function isCompletion(value: unknown): value is Completion {
  return typeof value === "object" && value !== null && "text" in value && "note" in value &&
    typeof value.text === "string" && typeof value.note === "string";
}
