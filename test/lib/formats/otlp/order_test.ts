import assert from "node:assert/strict";
import fc from "fast-check";
import { readStats } from "@/lib/store/stats/read_stats.ts";
import type { SeriesKind } from "@/lib/store/stats/series.ts";
import { readTrace } from "@/lib/traces/read_trace.ts";
import { testIntake } from "@/test/support/test_intake.ts";
import { attributes, serverSpan, traces } from "./otlp_samples.ts";

const nanos = (ms: number) => String(BigInt(Math.round(ms * 1_000)) * 1_000n);

/** Two services' spans of one trace: a root, a client span, the other's server span, and queries of both. */
function storyOf(traceId: string, start: number) {
  const at = (spanId: string, parentSpanId: string, from: number, to: number, kind: number) => ({
    traceId,
    spanId: spanId.repeat(8),
    parentSpanId: parentSpanId.repeat(8),
    startTimeUnixNano: nanos(start + from),
    endTimeUnixNano: nanos(start + to),
    kind,
  });
  const query = { "db.system.name": "postgresql", "db.query.text": "SELECT 1" };
  return [
    serverSpan(at("a1", "", 0, 900, 2)),
    serverSpan({
      ...at("a2", "a1", 10, 800, 3),
      name: "POST",
      attributes: attributes({
        "http.request.method": "POST",
        "url.full": "https://orders.example.com/orders",
        "server.address": "orders.example.com",
      }),
    }),
    serverSpan({
      ...at("b1", "a2", 20, 700, 2),
      name: "POST /orders",
      attributes: attributes({
        "http.request.method": "POST",
        "http.route": "/orders",
        "http.response.status_code": 500,
      }),
    }),
    serverSpan({ ...at("b2", "b1", 30, 300, 3), name: "SELECT", attributes: attributes(query) }),
    serverSpan({ ...at("b3", "b1", 310, 600, 3), name: "SELECT", attributes: attributes(query) }),
    serverSpan({ ...at("a3", "a1", 820, 890, 3), name: "SELECT", attributes: attributes(query) }),
  ];
}

Deno.test("late, shuffled, divided and repeated spans end in the same trace and the same counts", async () => {
  await using intake = await testIntake();
  const { services: { sql }, send, serverKey, project } = intake;
  const headers = { authorization: `Bearer ${serverKey}`, "content-type": "application/json" };
  const start = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 1_800_000;
  const counts = async (kind: SeriesKind) => {
    const rows = await readStats(sql, {
      projectId: project.id,
      kind,
      environments: [],
      releases: [],
      services: [],
      start: new Date(start - 3_600_000),
      end: new Date(start + 3_600_000),
    }, ["name", "route"]);
    return rows.map(({ name, count, failures, sum }) => [name, count, failures, Math.round(sum)]);
  };
  // In one request, all at once: what every other way must end in.
  let sent = 0;
  const requests = fc.array(fc.array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 6 }), {
    maxLength: 5,
  });
  await fc.assert(
    fc.asyncProperty(requests, async (divided) => {
      const traceId = (++sent).toString(16).padStart(32, "0");
      const story = storyOf(traceId, start);
      for (const places of [...divided, [5, 4, 3, 2, 1, 0]]) {
        const spans = places.map((place) => story[place] ?? serverSpan());
        const { status } = await send("/v1/traces", {
          method: "POST",
          headers,
          body: JSON.stringify(traces(spans)),
        });
        assert.equal(status, 200);
      }
      const trace = await readTrace(sql, project.id, traceId);
      assert.deepEqual(
        trace?.spans.map((
          { spanId, parentSpanId, title, isFailed },
        ) => [spanId.slice(0, 2), parentSpanId?.slice(0, 2) ?? null, title, isFailed]),
        [
          ["a1", null, "GET /api/users/:id", false],
          ["a2", "a1", "POST https://orders.example.com/orders", false],
          ["b1", "a2", "POST /orders", true],
          ["b2", "b1", "SELECT 1", false],
          ["b3", "b1", "SELECT 1", false],
          ["a3", "a1", "SELECT 1", false],
        ],
      );
      assert.deepEqual(await counts("transaction"), [
        ["GET /api/users/:id", sent, 0, 900 * sent],
        ["POST /orders", sent, sent, 680 * sent],
      ]);
      assert.deepEqual(await counts("span"), [
        ["POST orders.example.com", sent, 0, 790 * sent],
        ["SELECT ?", 3 * sent, 0, 630 * sent],
      ]);
    }),
    { numRuns: 25, endOnFailure: true },
  );
});
