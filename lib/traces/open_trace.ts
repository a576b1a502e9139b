import { type Message, t } from "../core/language/translate.ts";
import { DAY_MS } from "../core/time.ts";
import { HttpError } from "fresh";
import { type Actor, authorize, Denied, type ProjectAccess } from "../accounts/authorize.ts";
import { listProjectIds, type Project } from "../accounts/projects.ts";
import type { Stores } from "../store/stores.ts";
import type { Sql } from "../store/database.ts";
import { byStart, MAX_TRACE_SPANS, readTrace, readTraceSpan } from "./read_trace.ts";
import type {
  HiddenParts,
  OrganizationTrace,
  Trace,
  TraceSpanDetail,
  WaterfallData,
} from "./trace_types.ts";

type Asking = Parameters<typeof openTrace>[0];

const NO_TRACE: Message =
  "Nothing is stored under this trace id. It may be older than what is kept, may not have been sampled, or may not have been sent yet: spans are sent when they end.";

const NO_TRACE_ID: Message = "A trace id has 32 hexadecimal digits; this is none.";

/**
 * Reads a trace of the organization for a page that has something to say when there is none.
 *
 * @param traceId as the address has it: hyphens and capitals allowed
 * @returns the trace, or why there is none
 */
export async function findTrace(
  asking: Asking,
  access: ProjectAccess,
  traceId: string,
): Promise<OpenTrace | { readonly trace: null; readonly reason: string }> {
  const id = asId(traceId, 32);
  if (id === null) return { trace: null, reason: t(NO_TRACE_ID) };
  return await openTrace(asking, access, id) ?? { trace: null, reason: t(NO_TRACE) };
}

/**
 * Reads a trace of the organization.
 *
 * @param traceId as the address has it: hyphens and capitals allowed
 * @throws {HttpError} 404 when it is no trace id, or nothing is stored under it
 */
export async function requireTrace(
  asking: Asking,
  access: ProjectAccess,
  traceId: string,
): Promise<OpenTrace> {
  const found = await findTrace(asking, access, traceId);
  if (found.trace === null) throw new HttpError(404, found.reason);
  return found;
}

/** What the waterfall is drawn from. */
export function waterfallData({ trace, projects }: OpenTrace): WaterfallData {
  return {
    ...trace,
    projects: projects.map(({ id, name }) => ({ id, name })),
    hiddenSpans: trace.hidden.spans,
  };
}

/** Reads one span of a trace with all its attributes; null when either is no id or nothing is stored. */
export async function findTraceSpan(
  sql: Sql,
  projectId: string,
  traceId: string,
  spanId: string,
): Promise<TraceSpanDetail | null> {
  const trace = asId(traceId, 32);
  const span = asId(spanId, 16);
  return trace === null || span === null ? null : await readTraceSpan(sql, projectId, trace, span);
}

/** Lower-case hex digits of an id; null when it has not that many, or is all zeros, which stands for none. */
function asId(text: string, digits: 16 | 32): string | null {
  const id = text.replaceAll("-", "").toLowerCase();
  return id.length === digits && /^[0-9a-f]+$/.test(id) && !/^0+$/.test(id) ? id : null;
}

/** A trace with the projects that its parts were sent to. */
interface OpenTrace {
  readonly trace: OrganizationTrace;
  /** Those that have parts of it which the actor may see, the one asked for first. */
  readonly projects: readonly Project[];
}

/**
 * Reads a trace from all projects of the organization: each passes the gate by itself, and what does not is counted.
 *
 * @param access to the project that was asked for it
 * @param traceId 32 lower-case hex digits
 * @returns null when nothing is stored that the actor may see
 */
export async function openTrace(
  { actor, services: { kv, sql } }: {
    readonly actor: Actor;
    readonly services: Pick<Stores, "kv" | "sql">;
  },
  { organization, project }: Pick<ProjectAccess, "organization" | "project">,
  traceId: string,
): Promise<OpenTrace | null> {
  const ids = await listProjectIds(kv, organization.id);
  const readable = new Map([[project.id, project]]);
  const mayRead = async (projectId: string) => {
    const access = await readAccess(kv, actor, projectId);
    if (access?.organization.id !== organization.id) return false;
    readable.set(projectId, access.project);
    return true;
  };
  const otherIds = ids.filter((id) => id !== project.id);
  const trace = await readOrganizationTrace(
    sql,
    { projectId: project.id, otherIds, mayRead },
    traceId,
  );
  if (trace === null) return null;
  const { spans, errors, logs, profiles } = trace;
  const present = new Set(
    [spans, errors, logs, profiles].flatMap((parts) => parts.map(({ projectId }) => projectId)),
  );
  return { trace, projects: [...readable.values()].filter(({ id }) => present.has(id)) };
}

async function readAccess(
  kv: Deno.Kv,
  actor: Actor,
  projectId: string,
): Promise<ProjectAccess | null> {
  try {
    return await authorize(kv, actor, { projectId }, "project:read");
  } catch (error) {
    if (error instanceof Denied) return null;
    throw error;
  }
}

/** Who asks for a trace, and from where. */
interface TraceReader {
  /** Whose page it is: its part is read first, and wins where two projects tell of one span. */
  readonly projectId: string;
  /** The other projects of the organization. */
  readonly otherIds: readonly string[];
  /** Whether the asker may read this project. */
  readonly mayRead: (projectId: string) => Promise<boolean>;
}

/** Queues and retries let parts of one trace lie so far apart. */
const MARGIN_MS = DAY_MS;
/** Where a project itself knows nothing of a trace, the others are asked for so long. */
const LOOKED_BACK_MS = 14 * DAY_MS;
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
