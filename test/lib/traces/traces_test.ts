import assert from "node:assert/strict";
import fc from "fast-check";
import type { Span } from "@/lib/records/mod.ts";
import { readStats } from "@/lib/store/stats/read_stats.ts";
import { readTrace, readTraceSpan } from "@/lib/traces/read_trace.ts";
import { testDatabase } from "../../support/database.ts";
import { errorEvent, newEventId } from "../../support/error_event.ts";
import {
  logRecord,
  profileRecord,
  spanBatchRecord,
  spanRecord,
  transactionRecord,
} from "../../support/records.ts";
import { testWriter } from "../../support/writer.ts";

async function traceWorld() {
  const database = await testDatabase();
  const writer = testWriter(database.sql);
  return {
    sql: database.sql,
    writer,
    async [Symbol.asyncDispose]() {
      await writer.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

Deno.test("a trace has the spans of all senders, and the errors, logs and profiles of the same id", async () => {
  await using world = await traceWorld();
  const traceId = newEventId();
  const root = transactionRecord({ traceId, name: "GET /cart", service: "web", payload: "" });
  const child = spanRecord({ parentSpanId: root.spanId, start: root.startedAt.getTime() / 1000 });
  await world.writer.store(
    "1",
    root,
    spanBatchRecord({ traceId, spans: [child] }),
    errorEvent({ traceId, spanId: child.spanId, title: "Boom" }),
    logRecord({ traceId, spanId: child.spanId, body: "hello" }),
    profileRecord({ traceId, spanId: null, transactionId: root.eventId }),
  );
  const trace = await readTrace(world.sql, "1", traceId);
  assert.ok(trace);
  assert.deepEqual(
    trace.spans.map(({ title, service, isEntry }) => [title, service, isEntry]).sort(),
    [
      ["GET /cart", "web", true],
      ["select 1", "node", false],
    ],
  );
  assert.deepEqual(trace.errors.map(({ title, spanId }) => [title, spanId]), [[
    "Boom",
    child.spanId,
  ]]);
  assert.deepEqual(trace.logs.map(({ body, spanId }) => [body, spanId]), [["hello", child.spanId]]);
  assert.deepEqual(trace.profiles.map(({ spanId }) => spanId), [root.spanId]);
  assert.equal(trace.isCut, false);
});

Deno.test("nothing is found of a trace that is not stored, or of another project", async () => {
  await using world = await traceWorld();
  const batch = spanBatchRecord();
  await world.writer.store("1", batch);
  assert.equal(await readTrace(world.sql, "2", batch.traceId), null);
  assert.equal(await readTrace(world.sql, "1", newEventId()), null);
  const [span] = batch.spans;
  assert.equal(await readTraceSpan(world.sql, "2", batch.traceId, span?.spanId ?? ""), null);
});

Deno.test("no span begins before its parent or ends after it, down to the nanosecond", async () => {
  await using world = await traceWorld();
  const traceId = newEventId();
  const seconds = (micros: number) => micros / 1e6;
  const micros = Math.floor(Date.now() / 1000) * 1_000_000 + 123_456;
  const [start, end] = [seconds(micros), seconds(micros + 1_500)];
  // Of OpenTelemetry, a span as well; of Sentry's SDKs, without one.
  const entry = spanRecord({ isSegment: true, parentSpanId: null, start, end, fine: [250, 750] });
  const child = spanRecord({ parentSpanId: entry.spanId, start, end, fine: [251, 749] });
  const times = { startedAt: new Date(Math.floor(micros / 1000)), startedMicros: 456 };
  const root = transactionRecord({ traceId, ...times, durationMs: 1.5 });
  const below = spanRecord({ parentSpanId: root.spanId, start, end });
  await world.writer.store(
    "1",
    transactionRecord({
      traceId,
      spanId: entry.spanId,
      ...times,
      durationMs: 1.5005,
      payload: "",
      sentAs: "entry",
    }),
    root,
    spanBatchRecord({ traceId, spans: [entry, child, below] }),
  );
  const trace = await readTrace(world.sql, "1", traceId);
  const timesOf = (spanId: string) => {
    const span = trace?.spans.find((each) => each.spanId === spanId);
    return [span?.startNanos, span?.endNanos];
  };
  assert.deepEqual(timesOf(entry.spanId), [`${micros}250`, `${micros + 1_500}750`]);
  assert.deepEqual(timesOf(child.spanId), [`${micros}251`, `${micros + 1_500}749`]);
  assert.deepEqual(timesOf(root.spanId), [`${micros}000`, `${micros + 1_500}000`]);
  assert.deepEqual(timesOf(below.spanId), timesOf(root.spanId));
});

Deno.test("an entry span keeps the kind that it was sent with", async () => {
  await using world = await traceWorld();
  const traceId = newEventId();
  const entry = spanRecord({ kind: "consumer", isSegment: true });
  await world.writer.store(
    "1",
    transactionRecord({ traceId, spanId: entry.spanId, op: "queue.process", payload: "" }),
    spanBatchRecord({ traceId, spans: [entry] }),
  );
  const trace = await readTrace(world.sql, "1", traceId);
  assert.deepEqual(trace?.spans.map(({ kind, isEntry }) => [kind, isEntry]), [["consumer", true]]);
});

Deno.test("a span is read with its attributes and those of its sender", async () => {
  await using world = await traceWorld();
  const span = spanRecord({ data: { "db.query.text": "SELECT 1" }, origin: "auto.db" });
  const batch = spanBatchRecord({
    spans: [spanRecord(), span, spanRecord()],
    service: "orders",
    resource: { "host.name": "web-1" },
  });
  await world.writer.store("1", batch);
  const detail = await readTraceSpan(world.sql, "1", batch.traceId, span.spanId);
  assert.deepEqual(detail?.attributes, { "db.query.text": "SELECT 1" });
  assert.deepEqual(detail?.resource, { "host.name": "web-1" });
  assert.deepEqual([detail?.service, detail?.origin], ["orders", "auto.db"]);
});

Deno.test("a span is found by its id, whichever bytes the ids before it end and begin with", async () => {
  await using world = await traceWorld();
  const ids = ["00000000000000ab", "00000000000000ac", "000000000000ab00", "0000000000ab0000"];
  const batch = spanBatchRecord({ spans: ids.map((spanId) => spanRecord({ spanId })) });
  await world.writer.store("1", batch);
  for (const spanId of ids) {
    assert.equal((await readTraceSpan(world.sql, "1", batch.traceId, spanId))?.spanId, spanId);
  }
});

Deno.test("a trace of more spans than are read at once says so, wherever its batches end", async () => {
  await using world = await traceWorld();
  const store = async (traceId: string, sizes: readonly number[]) => {
    for (const size of sizes) {
      const spans = Array.from({ length: size }, () => spanRecord());
      await world.writer.store("1", spanBatchRecord({ traceId, spans }));
    }
    const trace = await readTrace(world.sql, "1", traceId);
    return [trace?.spans.length, trace?.isCut];
  };
  assert.deepEqual(await store(newEventId(), [5_000, 5_000]), [10_000, false]);
  assert.deepEqual(await store(newEventId(), [5_000, 5_000, 1]), [10_000, true]);
  assert.deepEqual(await store(newEventId(), [6_000, 6_000]), [10_000, true]);
});

Deno.test("a transaction is a span whose attributes are those of its event", async () => {
  await using world = await traceWorld();
  const transaction = transactionRecord({
    payload: JSON.stringify({
      contexts: { trace: { data: { "thread.id": "7" }, origin: "manual" } },
      request: { url: "https://shop.example.com/orders/7", method: "GET" },
      sdk: { name: "sentry.python", version: "2.0" },
    }),
  });
  await world.writer.store("1", transaction);
  const detail = await readTraceSpan(world.sql, "1", transaction.traceId, transaction.spanId);
  assert.equal(detail?.attributes["thread.id"], "7");
  assert.equal(detail?.attributes["url.full"], "https://shop.example.com/orders/7");
  assert.deepEqual([detail?.sdk, detail?.origin], ["sentry.python/2.0", "manual"]);
  assert.deepEqual(detail?.measurements, [{ name: "lcp", value: 1200, unit: "millisecond" }]);
});

Deno.test("spans may come in any order, in any number of requests, and again: the result is the same", async () => {
  await using world = await traceWorld();
  const start = Date.now() / 1000 - 10;
  const spans: Span[] = Array.from(
    { length: 12 },
    (_, i) =>
      spanRecord({ start: start + i / 10, end: start + i / 10 + 0.05, description: `query ${i}` }),
  );
  const places = fc.array(fc.nat({ max: 11 }), { minLength: 1, maxLength: 12 });
  const requests = fc.array(places, { minLength: 1, maxLength: 6 });
  let round = 0;
  await fc.assert(
    fc.asyncProperty(requests, async (sent) => {
      const projectId = String(++round);
      const traceId = newEventId();
      for (const places of [...sent, spans.map((_, i) => i)]) {
        const some = [...new Set(places)].flatMap((place) => spans[place] ?? []);
        await world.writer.store(
          projectId,
          spanBatchRecord({
            traceId,
            timestamp: new Date(Math.min(...some.map((span) => span.start)) * 1000),
            spans: some,
          }),
        );
      }
      const trace = await readTrace(world.sql, projectId, traceId);
      assert.deepEqual(trace?.spans.map(({ title }) => title), spans.map((s) => s.description));
      const [counted] = await readStats(world.sql, {
        projectId,
        kind: "span",
        environments: [],
        releases: [],
        services: [],
        start: new Date(Date.now() - 3_600_000),
        end: new Date(Date.now() + 60_000),
      }, []);
      assert.equal(counted?.count, spans.length);
    }),
    { numRuns: 20 },
  );
});
