/** Spans as OTLP: a line has those of some traces, by who sent them. */
import { keyValues, nanosOf, senderAttributes } from "../../formats/otlp/write.ts";
import { type Span, SPAN_KINDS } from "../../records/mod.ts";
import { isFailedStatus } from "../../records/span_rules.ts";
import { packedColumns, type PackedRow, withSpans } from "../../store/spans/stored_spans.ts";
import { type ExportSource, linesOf } from "./source.ts";

/** Attribute of a resource: what OTLP has no place for, as JSON. Spans of OpenTelemetry need none. */
export const REST = "watchpost.rest";

const ROWS = 200;

interface BatchRow extends PackedRow {
  readonly traceId: string;
  readonly batchId: string;
  readonly at: string;
  readonly time: Date;
  readonly transaction: string;
  readonly environment: string;
  readonly release: string;
  readonly service: string;
  readonly platform: string;
  readonly sdk: string;
  readonly resource: Readonly<Record<string, unknown>>;
}

interface SpanRow extends BatchRow {
  readonly spans: readonly Span[];
}

export const spans: ExportSource = {
  name: "spans",
  async next({ sql }, { projectId, since, until }, cursor) {
    const [trace = "", at = "", id = ""] = cursor?.split("|") ?? [];
    const rows = await sql<BatchRow[]>`
      select replace(b.trace_id::text, '-', '') as "traceId", b."timestamp"::text as at,
        b."timestamp" as time, replace(b.batch_id::text, '-', '') as "batchId", b.transaction,
        coalesce(s.environment, '') as environment, coalesce(s.release, '') as release,
        coalesce(s.service, '') as service, coalesce(s.platform, 'other') as platform,
        coalesce(s.sdk, '') as sdk, coalesce(s.resource, '{}') as resource, ${packedColumns(sql)}
      from span_batches as b left join span_sources as s on s.project_id = b.project_id
        and s.source_id = b.source_id and s."timestamp" = date_trunc('day', b."timestamp", 'UTC')
        and s."timestamp" >= date_trunc('day', ${since}::timestamptz, 'UTC')
        and s."timestamp" < ${until}
      where b.project_id = ${projectId} and b."timestamp" >= ${since} and b."timestamp" < ${until}
        ${
      cursor === null ? sql`` : sql`and (b.trace_id, b."timestamp", b.batch_id)
            > (${trace}::uuid, ${at}::text::timestamptz, ${id}::uuid)`
    }
      order by b.trace_id, b."timestamp", b.batch_id limit ${ROWS}
    `;
    const batches = await withSpans(sql, projectId, rows);
    const last = rows.at(-1);
    return {
      cursor: last !== undefined && rows.length === ROWS
        ? `${last.traceId}|${last.at}|${last.batchId}`
        : null,
      counts: { spans: batches.reduce((sum, { spans }) => sum + spans.length, 0) },
      pieces: linesOf(
        "spans.jsonl",
        inLines(batches).map((some) => ({ resourceSpans: some.map(resourceSpans) })),
      ),
    };
  },
};

/** Few enough for every reader; a batch stays whole. */
const LINE_SPANS = 500;

function inLines(batches: readonly SpanRow[]): SpanRow[][] {
  const lines: SpanRow[][] = [];
  let count = Infinity;
  for (const batch of batches) {
    if (count + batch.spans.length > LINE_SPANS) {
      lines.push([]);
      count = 0;
    }
    lines.at(-1)?.push(batch);
    count += batch.spans.length;
  }
  return lines;
}

/** `ResourceSpans`. */
function resourceSpans(row: SpanRow) {
  const { "otel.scope.name": name, "otel.scope.version": version, ...sent } = row.resource;
  // What came by OTLP goes by OTLP, and says all there is.
  const isOtlp = Object.keys(row.resource).length > 0 && !row.sdk.startsWith("sentry");
  const attributes = isOtlp
    ? sent
    : { ...senderAttributes(row), ...sent, [REST]: JSON.stringify(restOf(row)) };
  return {
    resource: { attributes: keyValues(attributes) },
    scopeSpans: [{
      scope: {
        ...(typeof name === "string" && { name }),
        ...(typeof version === "string" && { version }),
      },
      spans: row.spans.map((span) => spanJson(span, row.traceId)),
    }],
  };
}

/** All of a batch and its spans that OTLP does not say, see `restored()` in `ingest/import`. */
function restOf(row: SpanRow) {
  const { batchId, time, transaction, environment, release, service, platform, sdk } = row;
  return {
    batch: { batchId, transaction, environment, release, service, platform, sdk },
    timestamp: time.getTime(),
    resource: row.resource,
    spans: row.spans.map((
      { spanId, segmentId, isSegment, name, kind, op, description, category, group, ...span },
    ) => ({
      ...{ spanId, segmentId, isSegment, name, kind, op, description, category, group },
      status: span.status,
      origin: span.origin,
      measurements: span.measurements,
    })),
  };
}

const SERVER = SPAN_KINDS.indexOf("server");
const CONSUMER = SPAN_KINDS.indexOf("consumer");
/** "Known" and "another process": it enters its process though its parent is elsewhere. */
const REMOTE_PARENT = 0x300;

/** `Span`. */
function spanJson(span: Span, traceId: string) {
  const kind = SPAN_KINDS.indexOf(span.kind);
  const [startFine = 0, endFine = 0] = span.fine ?? [];
  const isRemote = span.isSegment && span.parentSpanId !== null && kind !== SERVER &&
    kind !== CONSUMER;
  const message = span.data["otel.status_description"];
  const state = span.data["w3c.tracestate"];
  return {
    traceId,
    spanId: span.spanId,
    ...(span.parentSpanId !== null && { parentSpanId: span.parentSpanId }),
    ...(typeof state === "string" && { traceState: state }),
    ...(isRemote && { flags: REMOTE_PARENT }),
    name: span.name || span.description || span.op,
    kind,
    startTimeUnixNano: nanosOf(span.start, startFine),
    endTimeUnixNano: nanosOf(span.end, endFine),
    attributes: keyValues(span.data),
    ...(span.events.length > 0 && {
      events: span.events.map(({ time, fine = 0, name, attributes }) => ({
        timeUnixNano: nanosOf(time, fine),
        name,
        attributes: keyValues(attributes),
      })),
    }),
    ...(span.links.length > 0 && {
      links: span.links.map(({ attributes, ...place }) => ({
        ...place,
        attributes: keyValues(attributes),
      })),
    }),
    status: {
      ...(span.status === "ok" && { code: 1 }),
      ...(isFailedStatus(span.status) && { code: 2 }),
      ...(typeof message === "string" && { message }),
    },
  };
}
