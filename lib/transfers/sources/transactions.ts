/**
 * Transactions of Sentry's SDKs in the shape in which these send them, without their spans; and each as the span that it
 * is, beside the others. Those of OpenTelemetry are spans and nothing else.
 */
import { keyValues, nanosOf, senderAttributes } from "../../formats/otlp/write.ts";
import { unpackText } from "../../store/values.ts";
import { BATCH, behind, cursorBehind, type ExportSource, linesOf } from "./source.ts";

interface TransactionRow {
  readonly id: string;
  readonly at: string;
  readonly time: Date;
  readonly receivedAt: Date;
  readonly startedSec: number;
  readonly durationMs: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly op: string;
  readonly isFailed: boolean;
  readonly environment: string;
  readonly release: string;
  readonly service: string;
  readonly platform: string;
  readonly measurements: Readonly<Record<string, unknown>>;
  readonly clientSampleRate: number;
  readonly payload: Uint8Array;
}

/** Attribute of a span that stands in `transactions.jsonl` with all that it says. */
export const TRANSACTION_ID = "sentry.transaction.event_id";

export const transactions: ExportSource = {
  name: "transactions",
  async next({ sql }, { projectId, since, until }, cursor) {
    const rows = await sql<TransactionRow[]>`
      select event_id::text as id, "timestamp"::text as at, "timestamp" as time,
        received_at as "receivedAt", extract(epoch from started_at)::float8 as "startedSec",
        duration_ms as "durationMs", replace(trace_id::text, '-', '') as "traceId",
        span_id as "spanId", parent_span_id as "parentSpanId", name, op, is_failed as "isFailed",
        environment, release, service, platform, measurements,
        client_sample_rate as "clientSampleRate", payload
      from transactions
      where project_id = ${projectId} and "timestamp" >= ${since} and "timestamp" < ${until}
        ${behind(sql, cursor, "event_id")}
      order by "timestamp", event_id limit ${BATCH}
    `;
    const sent = rows.filter(({ payload }) => payload.length > 0);
    return {
      cursor: cursorBehind(rows, BATCH),
      counts: { transactions: sent.length },
      pieces: [
        ...linesOf("transactions.jsonl", sent.map(eventOf)),
        ...linesOf("spans.jsonl", sent.length === 0 ? [] : [{ resourceSpans: sent.map(spanOf) }]),
      ],
    };
  },
};

/** As an SDK sends it. What the payload lacks stands in columns. */
function eventOf(row: TransactionRow) {
  const event = JSON.parse(unpackText(row.payload));
  const trace = event.contexts?.trace;
  return {
    ...event,
    type: "transaction",
    start_timestamp: row.startedSec,
    measurements: row.measurements,
    contexts: {
      ...event.contexts,
      trace: row.clientSampleRate === 1 || trace?.client_sample_rate !== undefined
        ? trace
        : { ...trace, client_sample_rate: row.clientSampleRate },
    },
  };
}

/** `ResourceSpans` with the span that it is. */
function spanOf(row: TransactionRow) {
  return {
    resource: { attributes: keyValues(senderAttributes(row)) },
    scopeSpans: [{
      scope: {},
      spans: [{
        traceId: row.traceId,
        spanId: row.spanId,
        ...(row.parentSpanId !== null && { parentSpanId: row.parentSpanId }),
        name: row.name,
        kind: 2,
        startTimeUnixNano: nanosOf(row.startedSec),
        endTimeUnixNano: nanosOf(row.startedSec + row.durationMs / 1_000),
        attributes: keyValues({
          "sentry.op": row.op,
          [TRANSACTION_ID]: row.id.replaceAll("-", ""),
        }),
        status: row.isFailed ? { code: 2 } : {},
      }],
    }],
  };
}
