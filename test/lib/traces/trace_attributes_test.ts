import assert from "node:assert/strict";
import type { TelemetryRecord } from "@/lib/records/mod.ts";
import { readTraceAttributes } from "@/lib/traces/api_trace.ts";
import { testDatabase } from "../../support/database.ts";
import { spanBatchRecord, spanRecord, transactionRecord } from "../../support/records.ts";
import { testWriter } from "../../support/writer.ts";

const TRACE = "5f2a1c3d4e5f60718293a4b5c6d7e8f9";
const ROOT = "00000000000000a1";
const CHILD = "00000000000000a2";

async function stored(...records: TelemetryRecord[]) {
  await using opened = new AsyncDisposableStack();
  const { sql } = opened.use(await testDatabase());
  const writer = opened.use(testWriter(sql));
  await writer.store("1", ...records);
  const stores = opened.move();
  return { sql, [Symbol.asyncDispose]: () => stores.disposeAsync() };
}

Deno.test("a span that is a transaction as well carries what its batch says", async () => {
  const span = spanRecord({ spanId: ROOT, isSegment: true, data: { "cart.items": 3 } });
  await using database = await stored(
    transactionRecord({ traceId: TRACE, spanId: ROOT, sentAs: "entry", tags: [["plan", "gold"]] }),
    spanBatchRecord({ traceId: TRACE, spans: [span] }),
  );
  const { spans } = await readTraceAttributes(database.sql, ["1"], TRACE);
  assert.deepEqual([...spans.keys()], [ROOT]);
  assert.deepEqual(spans.get(ROOT)?.attributes, { "cart.items": 3 });
});

Deno.test("spans of one process share its resource, those without one have none", async () => {
  const batch = (spanId: string, resource: Record<string, unknown>) =>
    spanBatchRecord({ traceId: TRACE, resource, spans: [spanRecord({ spanId })] });
  await using database = await stored(
    batch("00000000000000b1", { "host.name": "a" }),
    batch("00000000000000b2", { "host.name": "b" }),
    batch("00000000000000b3", { "host.name": "a" }),
    batch("00000000000000b4", {}),
  );
  const { spans, resources } = await readTraceAttributes(database.sql, ["1"], TRACE);
  assert.equal(resources.length, 2);
  const host = (digit: number) => {
    const place = spans.get(`00000000000000b${digit}`)?.resource ?? null;
    return place === null ? null : resources[place]?.["host.name"];
  };
  assert.deepEqual([1, 2, 3, 4].map(host), ["a", "b", "a", null]);
});

Deno.test("a trace that carries too much is cut, and says so", async () => {
  const big = { text: "x".repeat(8_000_000) };
  await using database = await stored(
    ...["c1", "c2", "c3"].map((end) =>
      spanBatchRecord({
        traceId: TRACE,
        spans: [spanRecord({ spanId: `00000000000000${end}`, data: big })],
      })
    ),
    transactionRecord({ traceId: TRACE, spanId: CHILD }),
  );
  const { spans, isCut } = await readTraceAttributes(database.sql, ["1"], TRACE);
  assert.deepEqual([spans.size, isCut], [2, true]);
});

Deno.test("nothing of another project or trace is read", async () => {
  await using database = await stored(spanBatchRecord({ traceId: TRACE }));
  const sizes = await Promise.all([
    readTraceAttributes(database.sql, ["2"], TRACE),
    readTraceAttributes(database.sql, ["1"], "a".repeat(32)),
  ]);
  assert.deepEqual(sizes.map(({ spans }) => spans.size), [0, 0]);
});
