import assert from "node:assert/strict";
import type { TraceQuery } from "@/lib/traces/list/find_latest.ts";
import { findRare } from "@/lib/traces/list/find_rare.ts";
import { listTraces } from "@/lib/traces/list/trace_list.ts";
import type { Transaction } from "@/lib/records/mod.ts";
import type { TraceTerm } from "@/lib/traces/list/trace_terms.ts";
import { testDatabase } from "@/test/support/database.ts";
import { transactionRecord } from "@/test/support/records.ts";
import { traceQuery } from "@/test/support/trace_query.ts";
import { testWriter } from "@/test/support/writer.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const id = (digit: string) => digit.repeat(32);

/** An entry that ended some time ago. */
function entry(agoMs: number, fields: Partial<Transaction>): Transaction {
  const timestamp = new Date(Date.now() - agoMs);
  return transactionRecord({
    timestamp,
    startedAt: new Date(timestamp.getTime() - 100),
    durationMs: 100,
    ...fields,
  });
}

async function world(...records: Transaction[]) {
  const database = await testDatabase();
  const writer = testWriter(database.sql);
  await writer.store("1", ...records);
  const rare = (fields: Partial<TraceQuery>) =>
    findRare(database.sql, traceQuery(fields), { cursor: null, limit: 51, timeoutMs: 8_000 });
  return {
    sql: database.sql,
    /** First digits of traces that indexes find; null when they are not asked. */
    async rare(fields: Partial<TraceQuery>) {
      const found = await rare(fields);
      return found?.map(({ traceId }) => traceId.charAt(0)).join("") ?? null;
    },
    rareTerm(term: TraceTerm, isNegated = false) {
      return this.rare({ terms: [{ ...term, isNegated }] });
    },
    async [Symbol.asyncDispose]() {
      await writer.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

Deno.test("what series tell of transactions is looked up, whenever they were", async () => {
  await using site = await world(
    entry(1_000, { traceId: id("a"), name: "GET /cart", service: "web", release: "1" }),
    entry(3 * DAY_MS, {
      traceId: id("b"),
      name: "pay É",
      op: "queue.task",
      route: "/Zahlung/Ü",
      httpMethod: "PURGE",
      service: "till",
      release: "2",
      environment: "qa",
    }),
    entry(2 * DAY_MS, { traceId: id("c"), name: "tidy", service: "", platform: "ruby" }),
  );
  const text = (column: Extract<TraceTerm, { kind: "text" }>["column"], value: string) =>
    site.rareTerm({ kind: "text", column, value });
  assert.equal(await site.rare({ words: ["PAY"] }), "b");
  assert.equal(await site.rare({ words: ["no-such"] }), "");
  assert.equal(await site.rare({ words: ["t*y"], services: ["web"] }), "");
  assert.equal(await text("name", "pay*"), "b");
  assert.equal(await text("name", "pay"), "");
  assert.equal(await text("op", "QUEUE.*"), "b");
  assert.equal(await text("route", "/zahlung/*"), "b");
  assert.equal(await text("httpMethod", "purge"), "b");
  assert.equal(await text("release", "2"), "b");
  assert.equal(await text("environment", "QA"), "b");
  assert.equal(await text("service", "till"), "b");
  assert.equal(await text("service", "ruby"), "c");
  assert.equal(await text("service", "*"), "acb");
});

Deno.test("the newest transactions are found before they are counted", async () => {
  await using site = await world(
    entry(MINUTE_MS, { traceId: id("a"), name: "rare" }),
    entry(2 * MINUTE_MS, { traceId: id("b"), name: "other" }),
  );
  assert.equal(await site.rare({ words: ["rare"] }), "a");
  await site.sql`delete from stat_series`;
  assert.equal(await site.rare({ words: ["rare"] }), "a");
  const end = new Date(Date.now() - DAY_MS);
  assert.equal(await site.rare({ words: ["rare"], end }), "");
});

Deno.test("users, statuses and HTTP's codes are looked up, whatever the case and the kind", async () => {
  await using site = await world(
    entry(DAY_MS, { traceId: id("a"), user: "id:Ann_1", status: "data_loss", httpStatus: 503 }),
    entry(2 * DAY_MS, { traceId: id("b"), user: "email:ann_1", httpStatus: 404 }),
    entry(3 * DAY_MS, { traceId: id("c"), user: "id:AnnX1", httpStatus: null }),
    entry(4 * DAY_MS, { traceId: id("d"), user: null }),
  );
  const user = (value: string) => site.rareTerm({ kind: "user", value });
  assert.equal(await user("ann_1"), "ab");
  assert.equal(await user("ID:ann_1"), "a");
  assert.equal(await user("id:ann*"), "ac");
  assert.equal(await user("a*1"), "abc");
  assert.equal(await user("nobody"), "");
  assert.equal(await user("*1"), null);
  const status = (value: string) => site.rareTerm({ kind: "text", column: "status", value });
  assert.equal(await status("DATA_LOSS"), "a");
  assert.equal(await status("unknown"), "");
  assert.equal(await status("OK"), null);
  assert.equal(await status("data_*"), null);
  const code = (...comparisons: [">=" | "<" | "=", number][]) =>
    site.rareTerm({ kind: "number", column: "httpStatus", comparisons });
  assert.equal(await code(["=", 404]), "b");
  assert.equal(await code([">=", 400], ["<", 600]), "ab");
  assert.equal(await code(["=", 99_999]), null);
  assert.equal(await code([">=", 200]), null);
  assert.equal(await site.rareTerm({ kind: "user", value: "nobody" }, true), null);
});

Deno.test("all conditions hold at once, of which one is looked up", async () => {
  await using site = await world(
    entry(DAY_MS, { traceId: id("a"), user: "id:1", tags: [["plan", "free"]], name: "GET /a" }),
    entry(2 * DAY_MS, { traceId: id("b"), user: "id:1", tags: [["plan", "paid"]], name: "GET /a" }),
    entry(3 * DAY_MS, { traceId: id("b"), user: "id:1", tags: [["plan", "paid"]], name: "GET /b" }),
  );
  const terms = [
    { kind: "user", value: "id:1", isNegated: false },
    { kind: "tag", key: "plan", value: "free", isNegated: true },
  ] as const;
  assert.equal(await site.rare({ terms }), "b");
  assert.equal(await site.rare({ terms, words: ["/a"] }), "b");
  assert.equal(await site.rare({ terms, words: ["/c"] }), "");
});

Deno.test("nothing is looked up for a search that indexes know nothing of", async () => {
  await using site = await world(entry(1_000, { traceId: id("a") }));
  assert.equal(await site.rare({}), null);
  assert.equal(await site.rareTerm({ kind: "tag", key: "server_name", value: "web-1" }), null);
  assert.equal(await site.rareTerm({ kind: "text", column: "name", value: "*" }, true), null);
});

Deno.test("pages of rare traces go on where the last one ended, each trace once", async () => {
  const digits = [..."0123456789ab"];
  await using site = await world(
    ...digits.flatMap((digit, place) => [
      entry(place * DAY_MS / 4, { traceId: id(digit), name: "rare" }),
      // The same trace again between its neighbours.
      entry((place + 1.5) * DAY_MS / 4, { traceId: id(digit), name: "rare" }),
    ]),
  );
  const read = async (cursor: string | null) => {
    const page = await listTraces(site.sql, traceQuery({ words: ["rare"], cursor, limit: 5 }));
    return { ...page, names: page.rows.map(({ traceId }) => traceId.charAt(0)).join("") };
  };
  const first = await read(null);
  const second = await read(first.nextCursor);
  const last = await read(second.nextCursor);
  assert.deepEqual([first, second, last].map(({ names }) => names), ["01234", "56789", "ab"]);
  assert.deepEqual([first.previousCursor, last.nextCursor], [null, null]);
  assert.equal((await read(last.previousCursor)).names, "56789");
  assert.equal((await read(second.previousCursor)).names, "01234");
});

Deno.test("what is frequent is left to reading along time", async () => {
  await using site = await world(
    ...Array.from({ length: 2_001 }, (_, place) => entry(place * 1_000, { name: "often" })),
    ...Array.from({ length: 201 }, (_, place) => entry(DAY_MS, { name: `page ${place}` })),
  );
  assert.equal(await site.rare({ words: ["often"] }), null);
  assert.equal(await site.rare({ words: ["page"] }), null);
  const { rows } = await listTraces(site.sql, traceQuery({ words: ["often"], limit: 10 }));
  assert.equal(rows.length, 10);
});
