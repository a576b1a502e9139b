import type { Span, Transaction } from "@/lib/records/mod.ts";
import type { Random } from "./random.ts";
import type { Work } from "./shop.ts";

const FAILING = 0.02;

/** What a transaction does, one thing after the other. */
export function makeSpans(random: Random, entry: Transaction, works: readonly Work[]): Span[] {
  const from = entry.startedAt.getTime() / 1000;
  const length = entry.durationMs / 1000;
  return works.map((work, place) => {
    const start = from + (length * place) / works.length;
    const end = Math.min(start + random.around(work.medianMs) / 1000, from + length);
    return {
      spanId: random.hex(16),
      parentSpanId: entry.spanId,
      segmentId: entry.spanId,
      isSegment: false,
      start,
      end,
      name: "",
      kind: entry.sentAs === "entry" ? "client" : "",
      op: work.op,
      description: work.description.replace("?", String(random.below(10_000))),
      category: work.category,
      group: work.group,
      status: random.chance(FAILING) ? "internal_error" : "ok",
      origin: work.category === "db" ? "auto.db.otel.postgres" : "auto.http.otel.http",
      data: dataOf(work, random),
      measurements: [],
      events: [],
      links: [],
    };
  });
}

function dataOf({ category, op, description }: Work, random: Random): Span["data"] {
  if (category === "db") {
    return {
      "db.system.name": "postgresql",
      "db.namespace": "shop",
      "db.query.text": description,
      "server.address": "db.internal",
      "server.port": 5432,
      "thread.id": String(random.below(64)),
    };
  }
  return {
    "http.request.method": "GET",
    "http.response.status_code": 200,
    "http.response.body.size": random.below(50_000),
    "server.address": "cdn.shop.example",
    "sentry.op": op,
  };
}

/** The entry span itself, as OTLP has it beside the transaction. */
export function entrySpan(entry: Transaction): Span {
  const start = entry.startedAt.getTime() / 1000;
  return {
    spanId: entry.spanId,
    parentSpanId: entry.parentSpanId,
    segmentId: entry.spanId,
    isSegment: true,
    start,
    end: start + entry.durationMs / 1000,
    name: entry.name,
    kind: "server",
    op: entry.op,
    description: "",
    category: "",
    group: "",
    status: entry.status,
    origin: "",
    data: {
      "http.request.method": entry.httpMethod,
      "http.route": entry.route,
      "http.response.status_code": entry.httpStatus,
      "url.scheme": "https",
      "server.address": "checkout.internal",
      "network.protocol.version": "1.1",
    },
    measurements: [],
    events: [],
    links: [],
  };
}
