/** Envelopes as Sentry's SDKs send them: a transaction of a web server with its spans. */
import { gzipSync } from "node:zlib";
import type { MadeRequest } from "../../mixed/requests.ts";
import { Random } from "../world/random.ts";
import { ENDPOINTS, RELEASES, type Work } from "../world/shop.ts";

export const SPANS_PER_TRANSACTION = 20;

/** The envelope number `index`, its ids its own; what it holds happened just now. */
export function transactionRequest(index: number): MadeRequest {
  const random = new Random(crypto.getRandomValues(new Uint32Array(1))[0] ?? index);
  const text = [{ sent_at: new Date().toISOString() }, { type: "transaction" }, event(random)]
    .map((part) => JSON.stringify(part)).join("\n");
  return { body: gzipSync(text), bytes: text.length };
}

function event(random: Random): Record<string, unknown> {
  const endpoint = random.pickRanked(ENDPOINTS.api);
  const seconds = random.around(endpoint.medianMs) / 1000;
  const start = Date.now() / 1000 - seconds - random.below(5);
  const place = { trace_id: random.hex(32), span_id: random.hex(16) };
  const step = seconds / SPANS_PER_TRANSACTION;
  return {
    event_id: random.hex(32),
    type: "transaction",
    transaction: endpoint.name,
    transaction_info: { source: "route" },
    platform: "node",
    environment: "production",
    release: RELEASES[9],
    server_name: `web-${random.below(8)}`,
    start_timestamp: start,
    timestamp: start + seconds,
    contexts: {
      trace: {
        ...place,
        op: "http.server",
        status: random.chance(0.02) ? "internal_error" : "ok",
        origin: "auto.http.otel.http",
        data: { "http.response.status_code": 200, "http.route": endpoint.route },
      },
      runtime: { name: "node", version: "v24.0.0" },
      os: { name: "Linux", version: "6.1.0" },
    },
    request: { method: endpoint.httpMethod, url: `https://shop.example${endpoint.route}` },
    user: { id: String(random.below(20_000)) },
    tags: { plan: "team", region: "eu-1" },
    sdk: { name: "sentry.javascript.node", version: "10.0.0" },
    spans: Array.from({ length: SPANS_PER_TRANSACTION }, (_, at) => {
      const work = endpoint.works[at % endpoint.works.length];
      return work === undefined ? {} : spanOf(work, place, start + at * step, step, random);
    }),
  };
}

function spanOf(
  { op, description, category }: Work,
  parent: { readonly trace_id: string; readonly span_id: string },
  start: number,
  seconds: number,
  random: Random,
): Record<string, unknown> {
  return {
    span_id: random.hex(16),
    parent_span_id: parent.span_id,
    trace_id: parent.trace_id,
    op,
    description: description.replace("?", String(random.below(10_000))),
    start_timestamp: start,
    timestamp: start + seconds * random.share(),
    status: "ok",
    origin: category === "db" ? "auto.db.otel.postgres" : "auto.http.otel.http",
    data: category === "db"
      ? {
        "db.system": "postgresql",
        "db.name": "shop",
        "db.statement": description,
        "net.peer.name": "db.internal",
        "net.peer.port": 5432,
        "sentry.op": op,
        "sentry.origin": "auto.db.otel.postgres",
        "thread.id": String(random.below(64)),
      }
      : { "sentry.op": op, "sentry.origin": "manual" },
  };
}
