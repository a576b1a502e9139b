import type { GroupCalls } from "./query_calls.ts";

/** The slowest span of a group within one transaction. */
export interface QueryExample {
  readonly traceId: string;
  readonly spanId: string;
  readonly transaction: string;
  readonly service: string;
  readonly start: Date;
  readonly durationMs: number;
  /** With its values, as the client sent it. */
  readonly description: string;
  /** As `ok`, `internal_error`; `""` when unset. */
  readonly status: string;
  /** Spans of the group in that transaction. */
  readonly times: number;
}

const MAX_EXAMPLES = 10;

/** The slowest span of each transaction, the slowest first, at most ten. */
export function examplesOf(calls: readonly GroupCalls[]): QueryExample[] {
  return calls.flatMap(exampleOf)
    .sort((a, b) => b.durationMs - a.durationMs)
    .slice(0, MAX_EXAMPLES);
}

function exampleOf({ traceId, transaction, service, spans }: GroupCalls): QueryExample[] {
  const [first, ...rest] = spans;
  if (first === undefined) return [];
  const length = ({ start, end }: typeof first) => end - start;
  const slowest = rest.reduce((slow, span) => length(span) > length(slow) ? span : slow, first);
  const statement = slowest.data["db.query.text"];
  return [{
    traceId,
    spanId: slowest.spanId,
    transaction,
    service,
    start: new Date(slowest.start * 1_000),
    durationMs: length(slowest) * 1_000,
    description: typeof statement === "string" && statement !== ""
      ? statement
      : slowest.description || slowest.name,
    status: slowest.status,
    times: spans.length,
  }];
}
