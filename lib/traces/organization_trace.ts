/** A trace across the projects of one organization: a request passes through many, each of which tells its part. */
import type { Sql } from "../store/database.ts";
import type { HiddenParts, OrganizationTrace, Trace } from "./trace_types.ts";
import { MAX_TRACE_SPANS } from "./trace_batches.ts";
import { byStart, readTrace } from "./traces.ts";

/** Who asks for a trace, and from where. */
export interface TraceReader {
  /** Whose page it is: its part is read first, and wins where two projects tell of one span. */
  readonly projectId: string;
  /** The other projects of the organization. */
  readonly otherIds: readonly string[];
  /** Whether the asker may read this project. */
  readonly mayRead: (projectId: string) => Promise<boolean>;
}

/** Queues and retries let parts of one trace lie so far apart. */
const MARGIN_MS = 86_400_000;
/** Where a project itself knows nothing of a trace, the others are asked for so long. */
const LOOKED_BACK_MS = 14 * 86_400_000;
/** Parts beyond this are left out, and the trace says that it is cut. */
const MAX_PROJECTS = 20;

/**
 * Everything that the projects of an organization have stored of a trace, or null when the asker may see none of it.
 * Parts that they may not see are counted.
 *
 * @param traceId 32 hex digits
 */
export async function readOrganizationTrace(
  sql: Sql,
  reader: TraceReader,
  traceId: string,
): Promise<OrganizationTrace | null> {
  const own = await readTrace(sql, reader.projectId, traceId);
  const holders = await findHolders(sql, reader.otherIds, traceId, timesAround(own));
  const rights = await Promise.all(holders.map(({ projectId }) => reader.mayRead(projectId)));
  const seen = holders.filter((_, index) => rights[index]);
  const hidden = holders.filter((_, index) => !rights[index]);
  const others = await Promise.all(
    seen.slice(0, MAX_PROJECTS).map(({ projectId }) => readTrace(sql, projectId, traceId)),
  );
  const parts = [own, ...others].filter((part) => part !== null);
  if (parts.length === 0) return null;
  const isCut = seen.length > MAX_PROJECTS;
  return { ...joined(traceId, parts, isCut), hidden: hiddenParts(hidden) };
}

interface Holder {
  readonly projectId: string;
  /** Spans that it has of the trace. */
  readonly spans: number;
}

interface Times {
  readonly from: Date;
  readonly until: Date;
}

/** Which of these projects have something of a trace, those with most of it first. */
async function findHolders(
  sql: Sql,
  projectIds: readonly string[],
  traceId: string,
  { from, until }: Times,
): Promise<Holder[]> {
  if (projectIds.length === 0) return [];
  const ofTrace = sql`
    project_id = any (${[...projectIds]}::bigint[]) and trace_id = ${traceId}
      and "timestamp" between ${from} and ${until}
  `;
  // Entry spans of OpenTelemetry are in a batch as well: their rows have no payload.
  return await sql<Holder[]>`
    select project_id as "projectId", sum(spans)::integer as spans
    from (
      select project_id, span_count as spans from span_batches where ${ofTrace}
      union all
      select project_id, (octet_length(payload) > 0)::integer from transactions where ${ofTrace}
      union all
      select project_id, 0 from events where ${ofTrace}
      union all
      select project_id, 0 from logs where ${ofTrace}
      union all
      select project_id, 0 from profiles where ${ofTrace}
    ) as part
    group by project_id
    order by spans desc, project_id
  `;
}

/** When parts of other projects may have happened: about the time of what is known, else lately. */
function timesAround(own: Trace | null): Times {
  let [first, last] = [Infinity, -Infinity];
  const include = (start: number, end: number) => {
    first = Math.min(first, start);
    last = Math.max(last, end);
  };
  for (const { start, end } of own?.spans ?? []) include(start, end);
  for (const list of [own?.errors, own?.logs, own?.profiles]) {
    for (const { time } of list ?? []) include(time, time);
  }
  if (first === Infinity) {
    const now = Date.now();
    return { from: new Date(now - LOOKED_BACK_MS), until: new Date(now + MARGIN_MS) };
  }
  return { from: new Date(first - MARGIN_MS), until: new Date(last + MARGIN_MS) };
}

function hiddenParts(hidden: readonly Holder[]): HiddenParts {
  return {
    projects: hidden.length,
    spans: hidden.reduce((sum, { spans }) => sum + spans, 0),
  };
}

function joined(traceId: string, parts: readonly Trace[], areMore: boolean): Trace {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined && !areMore) return only;
  const spans = new Map(
    // The first that tells of a span wins.
    parts.toReversed().flatMap((part) => part.spans.map((span) => [span.spanId, span] as const)),
  );
  return {
    traceId,
    spans: [...spans.values()].sort(byStart).slice(0, MAX_TRACE_SPANS),
    errors: parts.flatMap(({ errors }) => errors).sort(byTime),
    logs: parts.flatMap(({ logs }) => logs).sort(byTime),
    profiles: parts.flatMap(({ profiles }) => profiles).sort(byTime),
    isCut: areMore || spans.size > MAX_TRACE_SPANS || parts.some(({ isCut }) => isCut),
  };
}

function byTime(a: { readonly time: number }, b: { readonly time: number }): number {
  return a.time - b.time;
}
