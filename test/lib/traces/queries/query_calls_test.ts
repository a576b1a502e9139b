import assert from "node:assert/strict";
import { readGroupCalls } from "@/lib/traces/queries/query_calls.ts";
import { testDatabase } from "@/test/support/database.ts";
import { newEventId } from "@/test/support/error_event.ts";
import { spanBatchRecord, spanRecord } from "@/test/support/records.ts";
import { testWriter } from "@/test/support/writer.ts";

Deno.test("the spans of a group are read by transaction, in their order", async () => {
  await using database = await testDatabase();
  await using writer = testWriter(database.sql);
  const end = Date.now() / 1_000;
  const [one, two] = [newEventId(), newEventId()];
  const long = `select ${"a, ".repeat(100)}`;
  const query = (start: number, fields = {}) =>
    spanRecord({ category: "db", group: `${long}1`, start: end - start, end, ...fields });
  const segment = "00000000000000a1";
  await writer.store(
    "1",
    spanBatchRecord({
      traceId: one,
      transaction: "GET /a",
      service: "web",
      spans: [
        query(1),
        query(2),
        // Begins alike, and is another one.
        query(2.5, { group: `${long}2` }),
        query(3, { category: "cache" }),
        query(3, { group: "select b" }),
        query(4, { segmentId: segment }),
      ],
    }),
    spanBatchRecord({ traceId: one, transaction: "GET /b", platform: "go", spans: [query(5)] }),
    spanBatchRecord({ traceId: two, spans: [query(1)] }),
  );
  await writer.store("2", spanBatchRecord({ traceId: one, spans: [query(1)] }));
  const now = new Date();
  const selection = { projectId: "1", category: "db", group: `${long}1`, start: now, end: now };
  const calls = await readGroupCalls(database.sql, { ...selection, traceIds: [one] });
  assert.deepEqual(
    calls.map(({ transaction, service, spans }) => [
      transaction,
      service,
      spans.map(({ start }) => Math.round(end - start)),
    ]).sort(([a, , x], [b, , y]) => String([a, x]) < String([b, y]) ? -1 : 1),
    [["GET /a", "web", [2, 1]], ["GET /a", "web", [4]], ["GET /b", "go", [5]]],
  );
  assert.deepEqual(await readGroupCalls(database.sql, { ...selection, traceIds: [] }), []);
});
