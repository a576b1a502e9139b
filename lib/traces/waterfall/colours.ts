import { SPAN_CATEGORIES, type SpanCategory } from "../../records/mod.ts";

/** As many as there are `--series-…` colours; numbered from 1. */
export const SERIES = 8;
/** The grey one, for what has no kind of its own. */
const PLAIN = 8;

const CATEGORY_LABELS: Readonly<Record<SpanCategory, string>> = {
  "": "own code",
  http: "HTTP",
  db: "database",
  cache: "cache",
  queue: "queue",
  rpc: "RPC",
  render: "rendering",
  resource: "resources",
  file: "files",
  ai: "AI",
};

/** A service or a category in the legend. */
export interface LegendEntry {
  /** Of a service its name, of a category its id. */
  readonly id: string;
  readonly label: string;
  /** Number of its series colour, 1 to 8. */
  readonly colour: number;
  readonly spans: number;
  readonly failed: number;
  /** Self time of its spans together. */
  readonly selfMs: number;
}

interface Measured {
  readonly id: string;
  readonly isFailed: boolean;
  readonly selfMs: number;
}

/** Services in the order in which they come up; from the ninth on, colours come again. */
export function serviceLegend(spans: Iterable<Measured>): readonly LegendEntry[] {
  return [...tally(spans)].map(([id, sums], index) => ({
    id,
    label: id === "" ? "unnamed service" : id,
    colour: index % SERIES + 1,
    ...sums,
  }));
}

/** Categories in their fixed order; own code is always the grey one. */
export function categoryLegend(spans: Iterable<Measured>): readonly LegendEntry[] {
  const sums = tally(spans);
  const present = SPAN_CATEGORIES.filter((id) => id !== "" && sums.has(id));
  return [...present, "" as const].flatMap((id, index) => {
    const found = sums.get(id);
    const colour = id === "" ? PLAIN : index % (SERIES - 1) + 1;
    return found ? [{ id, label: CATEGORY_LABELS[id], colour, ...found }] : [];
  });
}

function tally(spans: Iterable<Measured>) {
  const sums = new Map<string, { spans: number; failed: number; selfMs: number }>();
  for (const { id, isFailed, selfMs } of spans) {
    const sum = sums.get(id) ?? { spans: 0, failed: 0, selfMs: 0 };
    sum.spans++;
    if (isFailed) sum.failed++;
    sum.selfMs += selfMs;
    sums.set(id, sum);
  }
  return sums;
}
