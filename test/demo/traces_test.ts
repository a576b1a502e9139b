import assert from "node:assert/strict";
import { serialize } from "../../demo/send.ts";
import { Random } from "../../demo/chance.ts";
import { history, telemetryOf } from "../../demo/traces.ts";
import { otlpLogs, otlpTraces } from "../../lib/ingest/protocols/otlp.ts";
import { sentryEnvelope } from "../../lib/ingest/protocols/sentry.ts";
import type {
  Batch,
  ErrorEvent,
  LogRecord,
  SpanBatch,
  Transaction,
} from "../../lib/records/mod.ts";
import { decodeContext } from "../support/decode_context.ts";

const DAY_MS = 86_400_000;
const encoder = new TextEncoder();
const now = new Date();
const traces = history(new Random(7), now);
const telemetry = telemetryOf(traces);

/** What the intake makes of all that is sent. */
const batches: Batch[] = [
  ...telemetry.envelopes.map((envelope) =>
    sentryEnvelope.decode(encoder.encode(serialize(envelope)), decodeContext())
  ),
  ...telemetry.requests.map(({ signal, body }) => {
    const protocol = signal === "traces" ? otlpTraces : otlpLogs;
    const bytes = encoder.encode(JSON.stringify(body));
    return protocol.decode(bytes, decodeContext({ contentType: "application/json" }));
  }),
];
const records = batches.flatMap((batch) => batch.records);
const transactions = records.filter((record): record is Transaction =>
  record.kind === "transaction"
);
const spanBatches = records.filter((record): record is SpanBatch => record.kind === "spans");

Deno.test("the intake drops nothing of the demo's traces, and changes no time", () => {
  assert.deepEqual(batches.flatMap(({ outcomes }) => outcomes), []);
  const oldest = now.getTime() - 14 * DAY_MS;
  for (const { timestamp } of records) {
    assert.ok(timestamp.getTime() >= oldest && timestamp <= now, String(timestamp));
  }
  const starts = new Set(traces.map(({ root }) => root.start.toFixed(3)));
  const roots = transactions.filter(({ parentSpanId }) => parentSpanId === null);
  assert.equal(roots.length, traces.length);
  for (const { startedAt } of roots) {
    assert.ok(starts.has((startedAt.getTime() / 1000).toFixed(3)), String(startedAt));
  }
});

Deno.test("every span hangs below another one of its trace, whichever service sent that", () => {
  const known = new Set(transactions.map(({ traceId, spanId }) => `${traceId}/${spanId}`));
  for (const { traceId, spans } of spanBatches) {
    for (const { spanId } of spans) known.add(`${traceId}/${spanId}`);
  }
  const all = [
    ...transactions.map(({ traceId, parentSpanId }) => ({ traceId, parentSpanId })),
    ...spanBatches.flatMap(({ traceId, spans }) =>
      spans.map(({ parentSpanId }) => ({ traceId, parentSpanId }))
    ),
  ];
  for (const { traceId, parentSpanId } of all) {
    assert.ok(parentSpanId === null || known.has(`${traceId}/${parentSpanId}`));
  }
});

Deno.test("a checkout crosses all four services, Sentry's and OpenTelemetry's", () => {
  const byTrace = Map.groupBy(transactions, ({ traceId }) => traceId);
  const checkouts = [...byTrace.values()].filter((own) =>
    own.some(({ op, name }) => op === "navigation" && name === "/checkout")
  );
  assert.ok(checkouts.length > 20);
  for (const own of checkouts) {
    const services = [...new Set(own.map(({ service }) => service))].sort();
    assert.deepEqual(services, ["orders", "payments", "storefront", "web"]);
  }
});

Deno.test("about three of a hundred transactions fail, and tell why by errors and logs", () => {
  const failed = transactions.filter(({ isFailed }) => isFailed);
  const share = failed.length / transactions.length;
  assert.ok(share > 0.013 && share < 0.047, `${share} failed`);

  const errors = records.filter((record): record is ErrorEvent => record.kind === "error");
  const erring = new Set([
    ...errors.map(({ traceId }) => traceId),
    ...telemetry.errors.map(({ contexts }) => traceIdIn(contexts)),
  ]);
  const logs = records.filter((record): record is LogRecord => record.kind === "log");
  const logged = new Set(logs.map(({ traceId }) => traceId));
  for (const { traceId, httpStatus } of failed) {
    assert.ok(logged.has(traceId));
    // A mail that is tried again is no error.
    assert.ok(httpStatus === null || erring.has(traceId));
  }
});

function traceIdIn(contexts: unknown): string {
  return (contexts as { trace: { trace_id: string } }).trace.trace_id;
}

Deno.test("the newest of three releases made reading the cart slow", () => {
  const carts = transactions.filter(({ name, isFailed }) => name === "GET /api/cart" && !isFailed);
  const byRelease = Map.groupBy(carts, ({ release }) => release);
  const median = (release: string) => {
    const sorted = (byRelease.get(release) ?? []).map(({ durationMs }) => durationMs)
      .sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? NaN;
  };
  assert.equal(byRelease.size, 3);
  assert.ok(median("storefront@5.3.0") > 5 * median("storefront@5.2.1"));
});

Deno.test("a product's page asks for the author of every review, one after the other", () => {
  const product = spanBatches.find(({ transaction, spans }) =>
    transaction === "GET /api/products/:id" && spans.length > 2
  );
  const authors = product?.spans.filter(({ group }) => group.includes("FROM users")) ?? [];
  assert.ok(authors.length > 5);
  assert.equal(new Set(authors.map(({ group }) => group)).size, 1);
  for (const [index, author] of authors.entries()) {
    assert.ok(index === 0 || author.start >= (authors[index - 1]?.end ?? 0));
  }
});

Deno.test("one trace has about two thousand spans, in several requests", () => {
  const byTrace = Map.groupBy(spanBatches, ({ traceId }) => traceId);
  const sizes = [...byTrace.values()].map((own) => ({
    requests: own.length,
    spans: own.reduce((sum, { spans }) => sum + spans.length, 0),
  })).sort((a, b) => b.spans - a.spans);
  assert.ok(sizes[0] && sizes[0].spans > 1_800 && sizes[0].spans < 2_200, String(sizes[0]?.spans));
  assert.ok(sizes[0].requests > 1);
  assert.ok((sizes[1]?.spans ?? 0) < 60);
});

Deno.test("spans are of every kind of work that the pages tell apart", () => {
  const categories = new Set(spanBatches.flatMap(({ spans }) => spans.map((s) => s.category)));
  for (const category of ["db", "http", "cache", "queue", "resource", "render"] as const) {
    assert.ok(categories.has(category), category);
  }
});

Deno.test("pages that are loaded have all five Web Vitals", () => {
  const loads = transactions.filter(({ op }) => op === "pageload");
  for (const { measurements } of loads) {
    assert.deepEqual(measurements.map(({ name }) => name).sort(), ["cls", "fcp", "lcp", "ttfb"]);
  }
  const interactions = spanBatches.filter(({ spans }) =>
    spans.some(({ measurements }) => measurements.some(({ name }) => name === "inp"))
  );
  const pages = new Set(loads.map(({ name }) => name));
  assert.ok(interactions.length > loads.length / 2);
  for (const { transaction } of interactions) assert.ok(pages.has(transaction), transaction);
});

Deno.test("clients say which share of the traces they kept, both protocols alike", () => {
  const rates = Map.groupBy(transactions, ({ sentAs }) => sentAs);
  for (const own of [rates.get("transaction"), rates.get("entry")]) {
    const seen = new Set(own?.map(({ clientSampleRate }) => clientSampleRate));
    assert.ok(seen.has(1 / 2) && seen.has(1 / 16));
  }
});
