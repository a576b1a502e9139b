import type { TraceQuery } from "../../lib/traces/list/find_latest.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Asks for all traces of the last week in project 1, 50 a page. */
export function traceQuery(fields: Partial<TraceQuery> = {}): TraceQuery {
  const now = Date.now();
  return {
    projectId: "1",
    environments: [],
    releases: [],
    services: [],
    words: [],
    terms: [],
    start: new Date(now - 7 * DAY_MS),
    end: new Date(now + MINUTE_MS),
    cursor: null,
    limit: 50,
    ...fields,
  };
}
