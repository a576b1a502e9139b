import assert from "node:assert/strict";
import { readOrganizationTrace } from "@/lib/traces/open_trace.ts";
import { testDatabase } from "../../support/database.ts";
import { errorEvent, newEventId } from "../../support/error_event.ts";
import {
  logRecord,
  spanBatchRecord,
  spanRecord,
  transactionRecord,
} from "../../support/records.ts";
import { testWriter } from "../../support/writer.ts";

const DAY_MS = 86_400_000;
const everything = () => Promise.resolve(true);
const nothing = () => Promise.resolve(false);

async function world() {
  const database = await testDatabase();
  const writer = testWriter(database.sql);
  return {
    sql: database.sql,
    store: writer.store.bind(writer),
    async [Symbol.asyncDispose]() {
      await writer.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

function batch(traceId: string, description: string, fields: { spanId?: string } = {}) {
  return spanBatchRecord({ traceId, spans: [spanRecord({ description, ...fields })] });
}

Deno.test("a trace has the parts of every project that may be read, and the others are counted", async () => {
  await using shop = await world();
  const traceId = newEventId();
  await shop.store("1", batch(traceId, "web"));
  await shop.store("2", batch(traceId, "api"), logRecord({ traceId, body: "hello" }));
  await shop.store("3", errorEvent({ traceId, title: "Boom" }));
  const hidden = transactionRecord({ traceId, payload: "{}" });
  await shop.store("4", hidden, spanBatchRecord({ traceId, spans: [spanRecord(), spanRecord()] }));
  await shop.store("5", batch(traceId, "another organization's"));
  await shop.store("6", batch(newEventId(), "another trace's"));
  const mayRead = (id: string) => Promise.resolve(id !== "4");
  const otherIds = ["2", "3", "4", "6"];
  for (const projectId of ["1", "2"]) {
    const ids = ["1", ...otherIds].filter((id) => id !== projectId);
    const trace = await readOrganizationTrace(
      shop.sql,
      { projectId, otherIds: ids, mayRead },
      traceId,
    );
    const spans = trace?.spans.map((span) => `${span.projectId} ${span.title}`).sort();
    assert.deepEqual(spans, ["1 web", "2 api"]);
    assert.deepEqual(trace?.logs.map((log) => [log.projectId, log.body]), [["2", "hello"]]);
    assert.deepEqual(trace?.errors.map((error) => [error.projectId, error.title]), [["3", "Boom"]]);
    assert.deepEqual(trace?.hidden, { projects: 1, spans: 3 });
  }
});

Deno.test("a trace of which only hidden projects know is none", async () => {
  await using shop = await world();
  const traceId = newEventId();
  await shop.store("2", batch(traceId, "secret"));
  const reader = { projectId: "1", otherIds: ["2"] };
  assert.equal(
    await readOrganizationTrace(shop.sql, { ...reader, mayRead: nothing }, traceId),
    null,
  );
  const seen = await readOrganizationTrace(shop.sql, { ...reader, mayRead: everything }, traceId);
  assert.deepEqual(seen?.spans.map(({ projectId }) => projectId), ["2"]);
});

Deno.test("of a span that two projects tell of, the one asked for holds", async () => {
  await using shop = await world();
  const [traceId, spanId] = [newEventId(), "00000000000000a1"];
  for (const id of ["1", "2", "3"]) {
    await shop.store(id, batch(traceId, `as ${id} says`, { spanId }));
  }
  for (const projectId of ["1", "2", "3"]) {
    const otherIds = ["1", "2", "3"].filter((id) => id !== projectId);
    const trace = await readOrganizationTrace(
      shop.sql,
      { projectId, otherIds, mayRead: everything },
      traceId,
    );
    assert.deepEqual(trace?.spans.map(({ title }) => title), [`as ${projectId} says`]);
  }
});

Deno.test("what another project stored under the same id days before is another trace", async () => {
  await using shop = await world();
  const traceId = newEventId();
  const before = Date.now() - 5 * DAY_MS;
  await shop.store("1", batch(traceId, "today"));
  await shop.store(
    "2",
    spanBatchRecord({
      traceId,
      timestamp: new Date(before),
      spans: [spanRecord({ start: before / 1_000, end: before / 1_000 + 1 })],
    }),
  );
  const trace = await readOrganizationTrace(
    shop.sql,
    { projectId: "1", otherIds: ["2"], mayRead: everything },
    traceId,
  );
  assert.deepEqual(trace?.spans.map(({ title }) => title), ["today"]);
});
