import type { QueryRequest } from "../query_types.ts";
import type { Answer, AskedQuery } from "./answer.ts";
import { isClassicBuckets } from "../aggregations.ts";
import { isQuantile } from "../quantiles.ts";
import type { Steps } from "./steps.ts";

/** What whoever asked should know about the steps. */
export function stepNotes({ stepMs: asked }: QueryRequest, { stepMs }: Steps): string[] {
  if (asked === null || stepMs <= asked) return [];
  return [`The step is ${durationWords(stepMs)}: points do not come more often.`];
}

/** What whoever asked should know about the answer to a query. */
export function notesOf({ query, metric }: AskedQuery, answer: Answer | undefined): string[] {
  const { id, metric: name } = query;
  if (metric === null) {
    return [
      `Query ${id}: nobody has sent a ${query.kind ?? "metric"} ${name}${inUnit(query)} yet.`,
    ];
  }
  if (answer === undefined) return [];
  const { damaged, isCoarsened, groups, groupCount } = answer;
  const notes: string[] = [];
  if (damaged > 0) {
    notes.push(
      `Query ${id}: ${damaged} stored ${
        damaged === 1 ? "block" : "blocks"
      } could not be read; what is in there is missing.`,
    );
  }
  if (isCoarsened) {
    notes.push(`Query ${id}: histograms with different buckets are compared by those all have.`);
  }
  if (groups.length < groupCount) {
    notes.push(`Query ${id}: of ${groupCount} groups the ${groups.length} largest were looked at.`);
  }
  if (isClassicBuckets(metric) && isQuantile(query.aggregation)) {
    notes.push(`Query ${id}: quantiles are from the counters of ${name}, by their label le.`);
  }
  return notes;
}

/** Why a quantile has no values. */
export function bucketsNote({ query: { id, metric, aggregation } }: AskedQuery): string {
  return `Query ${id}: ${metric} came without buckets, so it has no ${aggregation}; it has count, avg, sum and rate. ` +
    "Turn histogram buckets on in the client for quantiles.";
}

function inUnit({ unit }: AskedQuery["query"]): string {
  return unit === null || unit === "" ? "" : ` in ${unit}`;
}

function durationWords(ms: number): string {
  const [size, unit] = ms % 86_400_000 === 0
    ? [86_400_000, "d"]
    : ms % 3_600_000 === 0
    ? [3_600_000, "h"]
    : ms % 60_000 === 0
    ? [60_000, "min"]
    : [1_000, "s"];
  return `${ms / size} ${unit}`;
}
