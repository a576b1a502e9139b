import assert from "node:assert/strict";
import type { Transaction } from "@/lib/records/mod.ts";
import type { TraceQuery } from "@/lib/traces/list/find_latest.ts";
import { traceKeys } from "@/lib/traces/list/tag_sources.ts";
import { listTraces } from "@/lib/traces/list/trace_list.ts";
import { testDatabase } from "@/test/support/database.ts";
import { errorEvent } from "@/test/support/error_event.ts";
import { spanBatchRecord, spanRecord, transactionRecord } from "@/test/support/records.ts";
import { traceQuery } from "@/test/support/trace_query.ts";
import { testWriter } from "@/test/support/writer.ts";

const HOUR_MS = 3_600_000;
const id = (digit: string) => digit.repeat(32);

/** An entry that ended some seconds ago. */
function entry(ago: number, fields: Partial<Transaction> = {}): Transaction {
  const { durationMs = 100 } = fields;
  const end = Date.now() - ago * 1_000;
  return transactionRecord({
    timestamp: new Date(end),
    startedAt: new Date(end - durationMs),
    ...fields,
    durationMs,
  });
}

async function world(...records: (Transaction | ReturnType<typeof errorEvent>)[]) {
  const database = await testDatabase();
  const writer = testWriter(database.sql);
  if (records.length > 0) await writer.store("1", ...records);
  return {
    sql: database.sql,
    writer,
    async found(fields: Partial<TraceQuery> = {}) {
      const { rows } = await listTraces(database.sql, traceQuery(fields));
      return rows.map(({ traceId }) => traceId.charAt(0)).join("");
    },
    async [Symbol.asyncDispose]() {
      await writer.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

Deno.test("a trace of several services is one row, with the whole of it", async () => {
  const root = entry(1, {
    traceId: id("a"),
    name: "POST /orders",
    op: "http.server",
    service: "web",
    durationMs: 2_000,
    status: "internal_error",
    httpStatus: 500,
    isFailed: true,
  });
  await using site = await world(
    entry(0, {
      traceId: id("a"),
      parentSpanId: root.spanId,
      service: "mail",
      name: "send",
      environment: "staging",
    }),
    root,
    entry(2, { traceId: id("a"), parentSpanId: root.spanId, name: "stock", platform: "go" }),
    entry(5, { traceId: id("b"), name: "GET /" }),
    errorEvent({ traceId: id("a") }),
    errorEvent({ traceId: id("a") }),
  );
  const { rows } = await listTraces(site.sql, traceQuery());
  assert.deepEqual(rows.map(({ traceId }) => traceId), [id("a"), id("b")]);
  const { startedAt, durationMs, ...facts } = rows[0] ?? assert.fail();
  assert.deepEqual(facts, {
    traceId: id("a"),
    name: "POST /orders",
    op: "http.server",
    status: "internal_error",
    httpStatus: 500,
    entries: 3,
    failures: 1,
    errors: 2,
    services: ["go", "mail", "web"],
    environments: ["production", "staging"],
  });
  assert.deepEqual(startedAt, root.startedAt);
  assert.ok(Math.abs(durationMs - 3_000) < 100);
});

Deno.test("without its root a trace has the name of its earliest entry", async () => {
  await using site = await world(
    entry(0, { traceId: id("a"), parentSpanId: "1".repeat(16), name: "late" }),
    entry(3, { traceId: id("a"), parentSpanId: "2".repeat(16), name: "early" }),
  );
  const { rows } = await listTraces(site.sql, traceQuery());
  assert.deepEqual(rows.map(({ name }) => name), ["early"]);
});

Deno.test("a search finds a trace once and shows all of it, whichever entry is meant", async () => {
  await using site = await world(
    entry(0, { traceId: id("a"), name: "GET /cart", service: "web" }),
    entry(1, { traceId: id("a"), name: "charge", service: "pay", parentSpanId: "1".repeat(16) }),
    entry(2, { traceId: id("a"), name: "charge", service: "pay", parentSpanId: "1".repeat(16) }),
    entry(3, { traceId: id("b"), name: "GET /cart", service: "web" }),
  );
  const { rows } = await listTraces(site.sql, traceQuery({ words: ["CHAR"] }));
  assert.deepEqual(rows.map(({ name, entries }) => [name, entries]), [["GET /cart", 3]]);
  assert.equal(await site.found({ services: ["web"] }), "ab");
  assert.equal(await site.found({ services: ["pay"] }), "a");
  assert.equal(await site.found({ services: ["pay"], words: ["cart"] }), "");
});

Deno.test("terms compare texts, numbers, failures, users and tags; negated ones leave out", async () => {
  await using site = await world(
    entry(1, { traceId: id("a"), durationMs: 900, httpStatus: 503, isFailed: true, user: "id:7" }),
    entry(2, { traceId: id("b"), durationMs: 50, tags: [["browser", "Firefox 150"]], op: "task" }),
    entry(3, { traceId: id("c"), durationMs: 400, httpStatus: null, release: "100%_a" }),
  );
  const found = (term: TraceQuery["terms"][number]) => site.found({ terms: [term] });
  const text = (column: "op" | "release" | "service", value: string, isNegated = false) =>
    found({ kind: "text", column, value, isNegated });
  assert.equal(await text("op", "TASK"), "b");
  assert.equal(await text("op", "http.*"), "ac");
  assert.equal(await text("op", "http.*", true), "b");
  assert.equal(await text("release", "100%_*"), "c");
  assert.equal(await text("release", "1__%_a"), "");
  assert.equal(await text("service", "node"), "abc");
  const number = (
    column: "duration" | "httpStatus",
    isNegated: boolean,
    ...comparisons: [">=" | "<" | "=", number][]
  ) => found({ kind: "number", column, comparisons, isNegated });
  assert.equal(await number("duration", false, [">=", 400]), "ac");
  assert.equal(await number("duration", false, [">=", 60], ["<", 800]), "c");
  assert.equal(await number("httpStatus", false, ["=", 503]), "a");
  assert.equal(await number("httpStatus", true, [">=", 500]), "bc");
  assert.equal(await found({ kind: "failed", isNegated: false }), "a");
  assert.equal(await found({ kind: "failed", isNegated: true }), "bc");
  assert.equal(await found({ kind: "user", value: "7", isNegated: false }), "a");
  assert.equal(await found({ kind: "user", value: "id:7", isNegated: false }), "a");
  assert.equal(await found({ kind: "user", value: "*", isNegated: true }), "bc");
  const tag = (key: string, value: string | null, isNegated = false) =>
    found({ kind: "tag", key, value, isNegated });
  assert.equal(await tag("browser", "firefox*"), "b");
  assert.equal(await tag("browser", null), "b");
  assert.equal(await tag("browser", "firefox*", true), "ac");
  assert.equal(await tag("no\0such", "x"), "");
});

Deno.test("a trace is found by what its spans work with, stored by this version or before", async () => {
  const ofSpans = (traceId: string, data: Record<string, unknown>) =>
    spanBatchRecord({ traceId, spans: [spanRecord({ data })] });
  await using site = await world(
    entry(1, { traceId: id("a") }),
    entry(2, { traceId: id("b") }),
    entry(3, { traceId: id("c") }),
  );
  await site.writer.store(
    "1",
    ofSpans(id("a"), { "db.system.name": "redis" }),
    ofSpans(id("b"), { "db.system.name": "postgresql" }),
    ofSpans(id("c"), { "db.namespace": "shop" }),
  );
  const found = (value: string | null, isNegated = false) =>
    site.found({ terms: [{ kind: "tag", key: "db.system.name", value, isNegated }] });
  const all = async () => [
    await found("redis"),
    await found("post*"),
    await found("mysql"),
    await found(null),
    await found(null, true),
  ];
  const expected = ["a", "b", "", "ab", "c"];
  assert.deepEqual(await all(), expected);
  const keys = await traceKeys(site.sql, traceQuery());
  assert.deepEqual(keys.filter((key) => key.startsWith("db.")), ["db.namespace", "db.system.name"]);

  // A version of before kept them in the batch.
  await site.sql`
    update span_batches as batch set facts_id = null, facts = said.facts
    from span_facts as said where said.project_id = batch.project_id and said.facts_id = batch.facts_id
  `;
  await site.sql`delete from span_facts`;
  assert.deepEqual(await all(), expected);
  await site.sql`update schema_migrations set applied_at = applied_at - interval '90 days'`;
  assert.deepEqual(await all(), ["", "", "", "", "abc"], "nobody stores so any longer");
});

Deno.test("scope and time narrow the list; another project has its own", async () => {
  await using site = await world(
    entry(1, { traceId: id("a"), environment: "staging" }),
    entry(7_200, { traceId: id("b"), release: "shop@2" }),
  );
  await site.writer.store("2", entry(1, { traceId: id("c") }));
  const hourAgo = new Date(Date.now() - HOUR_MS);
  assert.equal(await site.found(), "ab");
  assert.equal(await site.found({ environments: ["staging"] }), "a");
  assert.equal(await site.found({ releases: ["shop@2"] }), "b");
  assert.equal(await site.found({ start: hourAgo }), "a");
  assert.equal(await site.found({ end: hourAgo }), "b");
  assert.equal(await site.found({ projectId: "2" }), "c");
});

Deno.test("pages go on where the last one ended, forwards and back, each trace once", async () => {
  const digits = [..."0123456789abcdef"];
  await using site = await world(
    ...digits.flatMap((digit, place) => [
      entry(2 * place, { traceId: id(digit) }),
      // The same trace again between its neighbours, and at the very end.
      entry(2 * place + 3, { traceId: id(digit), parentSpanId: "1".repeat(16) }),
      entry(500, { traceId: id(digit), parentSpanId: "1".repeat(16) }),
    ]),
  );
  const read = (cursor: string | null) => listTraces(site.sql, traceQuery({ cursor, limit: 5 }));
  const names = ({ rows }: { rows: { traceId: string }[] }) =>
    rows.map(({ traceId }) => traceId.charAt(0)).join("");
  const first = await read(null);
  const second = await read(first.nextCursor);
  const third = await read(second.nextCursor);
  const last = await read(third.nextCursor);
  assert.deepEqual([first, second, third, last].map(names), ["01234", "56789", "abcde", "f"]);
  assert.equal(last.nextCursor, null);
  assert.equal(first.previousCursor, null);
  assert.equal(names(await read(last.previousCursor)), "abcde");
  assert.equal(names(await read(second.previousCursor)), "01234");
  assert.equal(names(await read("nonsense")), "01234");
});

Deno.test("pages go on across days without traces", async () => {
  const DAY_SEC = 86_400;
  await using site = await world(
    ...[0, 3, 3.1, 9, 13].map((days, place) =>
      entry(days * DAY_SEC, { traceId: id(String(place)) })
    ),
  );
  const start = new Date(Date.now() - 14 * 24 * HOUR_MS);
  const read = (cursor: string | null) =>
    listTraces(site.sql, traceQuery({ start, cursor, limit: 2 }));
  const names = ({ rows }: { rows: { traceId: string }[] }) =>
    rows.map(({ traceId }) => traceId.charAt(0)).join("");
  const first = await read(null);
  const second = await read(first.nextCursor);
  const last = await read(second.nextCursor);
  assert.deepEqual([first, second, last].map(names), ["01", "23", "4"]);
  assert.equal(last.nextCursor, null);
  assert.equal(names(await read(last.previousCursor)), "23");
  assert.equal(names(await read(second.previousCursor)), "01");
});
