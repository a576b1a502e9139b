/**
 * Requests of a mixed load, each with ids of its own: 55 % errors, 20 % transactions of 20 spans, 10 % logs, 15 %
 * sessions and client reports, all as gzip. The median is 25 KB before compression.
 */
import { gzipSync } from "node:zlib";
import { envelopeRest, VARIANTS } from "../payloads.ts";

const SPANS = 20;
const LOGS = 80;

export type Encoding = "plain" | "gzip" | "snappy";

export interface MadeRequest {
  readonly body: Uint8Array;
  /** Before compression. */
  readonly bytes: number;
}

/** The request number `index` of the load. */
export function mixedRequest(index: number): MadeRequest {
  const text = envelopeOf(index % 20, index);
  return { body: gzipSync(text), bytes: text.length };
}

/** One error of about so many bytes. */
export function errorRequest(
  index: number,
  bytes: number,
  encoding: Encoding = "gzip",
): MadeRequest {
  const text = errorOf(index, bytes);
  const body = encoding === "gzip" ? gzipSync(text) : new TextEncoder().encode(text);
  return { body, bytes: text.length };
}

/** Of twenty requests eleven are errors, four transactions, two logs, three sessions or client reports. */
function envelopeOf(kind: number, index: number): string {
  if (kind < 11) return errorOf(index, 18_000 + (index * 7919) % 24_000);
  if (kind < 15) return transactionOf();
  if (kind < 17) return logsOf();
  return kind < 19 ? sessionOf() : clientReport();
}

function errorOf(index: number, bytes: number): string {
  const header = line({ event_id: id(), sent_at: new Date().toISOString() });
  return header + envelopeRest(index % VARIANTS, bytes);
}

function transactionOf(): string {
  const traceId = id();
  const root = id().slice(16);
  const end = Date.now() / 1000;
  const spans = Array.from({ length: SPANS }, (_, index) => ({
    span_id: id().slice(16),
    parent_span_id: root,
    trace_id: traceId,
    op: index % 3 === 0 ? "http.client" : "db.query",
    description: `SELECT * FROM orders WHERE shop_id = $1 AND step = $2 ORDER BY id LIMIT ${index}`,
    start_timestamp: end - 0.5 + index / 100,
    timestamp: end - 0.48 + index / 100,
    status: "ok",
    origin: "auto.db.otel.postgres",
    data: {
      "db.system": "postgresql",
      "db.name": "shop",
      "net.peer.name": "db.example.test",
      "net.peer.port": 5432,
      "code.function": `step${index}`,
    },
  }));
  return envelope({ type: "transaction" }, {
    event_id: id(),
    type: "transaction",
    transaction: `GET /orders/:id`,
    transaction_info: { source: "route" },
    platform: "node",
    environment: "production",
    release: "shop@1.4.0",
    start_timestamp: end - 0.6,
    timestamp: end,
    contexts: {
      trace: { trace_id: traceId, span_id: root, op: "http.server", status: "ok" },
      runtime: { name: "node", version: "v24.0.0" },
    },
    request: { method: "GET", url: "https://shop.example.test/orders/4711" },
    tags: { plan: "team", region: "eu-1" },
    spans,
  });
}

function logsOf(): string {
  const traceId = id();
  const items = Array.from({ length: LOGS }, (_, index) => ({
    timestamp: Date.now() / 1000,
    trace_id: traceId,
    level: index % 10 === 0 ? "warn" : "info",
    severity_number: index % 10 === 0 ? 13 : 9,
    body: `order ${index * 31} of shop ${index % 7} was packed in ${index} ms`,
    attributes: {
      "sentry.release": { value: "shop@1.4.0", type: "string" },
      "sentry.environment": { value: "production", type: "string" },
      order: { value: index * 31, type: "integer" },
    },
  }));
  const header = {
    type: "log",
    item_count: LOGS,
    content_type: "application/vnd.sentry.items.log+json",
  };
  return envelope(header, { items });
}

function sessionOf(): string {
  return envelope({ type: "session" }, {
    sid: id(),
    did: id(),
    init: true,
    started: new Date().toISOString(),
    status: "ok",
    errors: 0,
    attrs: { release: "shop@1.4.0", environment: "production" },
  });
}

function clientReport(): string {
  return envelope({ type: "client_report" }, {
    timestamp: Date.now() / 1000,
    discarded_events: [{ reason: "sample_rate", category: "transaction", quantity: 12 }],
  });
}

function envelope(item: Record<string, unknown>, payload: Record<string, unknown>): string {
  return line({ sent_at: new Date().toISOString() }) + line(item) + JSON.stringify(payload);
}

function line(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

function id(): string {
  return crypto.randomUUID().replaceAll("-", "");
}
