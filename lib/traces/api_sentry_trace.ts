/** A trace of an organization in Sentry's shape: spans within spans, and what there is of it in numbers. */
import { z } from "zod";
import type { ProjectAccess } from "../accounts/authorize.ts";
import { rounded } from "../api/lists.ts";
import type { ApiContext } from "../api/route.ts";
import { SECOND_MS } from "../core/time.ts";
import { readTraceId, traceNotFound } from "./api_trace.ts";
import { openTrace } from "./open_trace.ts";
import type { InProject, OrganizationTrace, TraceError, TraceSpan } from "./trace_types.ts";

const SentryError = z.object({
  event_id: z.string(),
  issue_id: z.string(),
  project_id: z.string(),
  project_slug: z.string(),
  title: z.string(),
  culprit: z.string(),
  level: z.string(),
  timestamp: z.number().describe("Seconds since 1970"),
  event_type: z.literal("error"),
});
const SentrySpan = z.looseObject({
  event_id: z.string().describe("Id of the span"),
  parent_span_id: z.string().nullable(),
  transaction_id: z.string().describe("Id of the span by which the trace entered the service"),
  project_id: z.string(),
  project_slug: z.string(),
  start_timestamp: z.number().describe("Seconds since 1970"),
  end_timestamp: z.number().describe("Seconds since 1970"),
  duration: z.number(),
  description: z.string(),
  op: z.string(),
  is_transaction: z.boolean().describe("Whether the trace entered a service by it"),
  errors: z.array(SentryError),
  children: z.array(z.looseObject({})).describe("Spans in the same shape"),
});
/** Errors of no span stand beside those that are roots. */
export const SentryTraceJson = z.array(z.union([SentrySpan, SentryError]));
export const TraceMetaJson = z.object({
  logs: z.int().describe("How many log lines"),
  errors: z.int().describe("How many errors"),
  performance_issues: z.int().describe("Always 0: there are none"),
  span_count: z.int().describe("How many spans"),
  span_count_map: z.record(z.string(), z.int()).describe("How many spans by op"),
  transaction_child_count_map: z.array(
    z.object({
      "transaction.event_id": z.string().describe("Id of the span by which the trace entered"),
      "count()": z.int().describe("Spans within it"),
    }),
  ).describe("By service"),
});

type Span = InProject<TraceSpan>;
interface Node extends z.input<typeof SentrySpan> {
  readonly children: Node[];
}

export async function sentryTraceReply(
  ctx: ApiContext,
  accesses: readonly ProjectAccess[],
): Promise<z.input<typeof SentryTraceJson>> {
  const { trace, slugs } = await open(ctx, accesses);
  const places = placesOf(trace.spans);
  const errorsBySpan = Map.groupBy(trace.errors, ({ spanId }) => spanId ?? "");
  const nodes = new Map(trace.spans.map((span): [string, Node] => {
    const errors = (errorsBySpan.get(span.spanId) ?? []).map((error) => errorJson(error, slugs));
    return [span.spanId, { ...spanJson(span, places, slugs), errors, children: [] }];
  }));
  const roots: Node[] = [];
  for (const [id, node] of nodes) {
    const parent = nodes.get(places.get(id)?.parent ?? "");
    (parent?.children ?? roots).push(node);
  }
  const others = trace.errors.filter(({ spanId }) => spanId === null || !nodes.has(spanId));
  return [...roots, ...others.map((error) => errorJson(error, slugs))];
}

export async function traceMetaReply(
  ctx: ApiContext,
  accesses: readonly ProjectAccess[],
): Promise<z.input<typeof TraceMetaJson>> {
  const { trace: { spans, errors, logs } } = await open(ctx, accesses);
  const places = placesOf(spans);
  const entries = Map.groupBy(spans, ({ spanId }) => places.get(spanId)?.entry ?? spanId);
  return {
    logs: logs.length,
    errors: errors.length,
    performance_issues: 0,
    span_count: spans.length,
    span_count_map: Object.fromEntries(
      [...Map.groupBy(spans, ({ op }) => op)].map(([op, each]) => [op, each.length]),
    ),
    transaction_child_count_map: [...entries].map(([id, within]) => ({
      "transaction.event_id": id,
      "count()": within.length,
    })),
  };
}

/** @throws {ApiError} 404 also where the organization has no project yet */
async function open(ctx: ApiContext, [access]: readonly ProjectAccess[]) {
  const traceId = readTraceId(ctx.params.trace ?? "");
  const opened = access === undefined ? null : await openTrace(ctx.state, access, traceId);
  if (opened === null) throw traceNotFound();
  const trace: OrganizationTrace = opened.trace;
  return { trace, slugs: new Map(opened.projects.map(({ id, slug }) => [id, slug])) };
}

interface Place {
  /** The span that it is shown in; `""` at the top. */
  readonly parent: string;
  /** The span by which the trace entered its service; itself where none is known. */
  readonly entry: string;
  readonly depth: number;
}

/** What is deeper than this lies beside it: no reader of JSON takes thousands of levels. */
const MAX_DEPTH = 200;

/** Where each span is shown. Spans that say that they are within each other begin at the one met first. */
function placesOf(spans: readonly Span[]): ReadonlyMap<string, Place> {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const places = new Map<string, Place>();
  for (const span of spans) {
    const path: Span[] = [];
    const onPath = new Set<string>();
    let each: Span | undefined = span;
    while (each !== undefined && !places.has(each.spanId) && !onPath.has(each.spanId)) {
      path.push(each);
      onPath.add(each.spanId);
      each = byId.get(each.parentSpanId ?? "");
    }
    for (const { spanId, parentSpanId, isEntry } of path.reverse()) {
      const above = places.get(parentSpanId ?? "");
      const entry = isEntry || above === undefined ? spanId : above.entry;
      const isDeep = above !== undefined && above.depth >= MAX_DEPTH;
      places.set(spanId, {
        parent: above === undefined ? "" : isDeep ? above.parent : parentSpanId ?? "",
        entry,
        depth: above === undefined ? 0 : isDeep ? above.depth : above.depth + 1,
      });
    }
  }
  return places;
}

type Slugs = ReadonlyMap<string, string>;

function spanJson(span: Span, places: ReadonlyMap<string, Place>, slugs: Slugs) {
  return {
    event_id: span.spanId,
    parent_span_id: span.parentSpanId,
    transaction_id: places.get(span.spanId)?.entry ?? span.spanId,
    project_id: span.projectId,
    project_slug: slugs.get(span.projectId) ?? "",
    start_timestamp: span.start / SECOND_MS,
    end_timestamp: span.end / SECOND_MS,
    duration: rounded(span.end - span.start),
    description: span.title,
    name: span.title,
    op: span.op,
    status: span.status,
    is_transaction: span.isEntry,
    event_type: "span",
    environment: span.environment,
    release: span.release,
    occurrences: [],
  };
}

function errorJson(error: InProject<TraceError>, slugs: Slugs): z.input<typeof SentryError> {
  return {
    event_id: error.eventId,
    issue_id: error.issueId,
    project_id: error.projectId,
    project_slug: slugs.get(error.projectId) ?? "",
    title: error.title,
    culprit: error.culprit,
    level: error.level,
    timestamp: error.time / SECOND_MS,
    event_type: "error",
  };
}
