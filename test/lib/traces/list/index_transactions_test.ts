import assert from "node:assert/strict";
import type { Sql } from "@/lib/store/database.ts";
import { buildSegments } from "@/lib/store/search_index/build_segments.ts";
import { INDEXED_TRANSACTIONS } from "@/lib/traces/list/index_transactions.ts";
import { listTraces } from "@/lib/traces/list/trace_list.ts";
import { parseTraceSearch } from "@/lib/traces/list/trace_search.ts";
import { testDatabase } from "@/test/support/database.ts";
import { transactionRecord } from "@/test/support/records.ts";
import { traceQuery } from "@/test/support/trace_query.ts";
import { testWriter } from "@/test/support/writer.ts";

const HOUR_MS = 3_600_000;
const COUNT = 600;
const LIMIT = 40;

const SEARCHES = [
  "server_name:WEB-1",
  "server_name:web-9",
  "server_name:web*",
  "!server_name:web-1",
  "customer:c7",
  "has:customer",
  "!has:customer",
  "has:nothing",
  "platform:Ruby",
  "platform:cobol",
  "duration:>5s",
  "duration:>900s",
  "duration:<2ms",
  "duration:100ms..200ms",
  "duration:>5s platform:ruby",
  "status:internal_error customer:c7",
];

/** Two entries a trace, over a day, the oldest first. */
async function world(sql: Sql) {
  const writer = testWriter(sql);
  const now = Date.now();
  const records = Array.from({ length: COUNT }, (_, place) => {
    const timestamp = new Date(now - 28 * HOUR_MS + Math.floor(place * 24 * HOUR_MS / COUNT));
    const durationMs = place % 90 === 0 ? 6_000 : place % 77 === 0 ? 1 : 150;
    return transactionRecord({
      timestamp,
      startedAt: new Date(timestamp.getTime() - durationMs),
      durationMs,
      traceId: Math.floor(place / 2).toString(16).padStart(32, "0"),
      platform: place % 200 === 3 ? "ruby" : "node",
      status: place % 5 === 0 ? "internal_error" : "ok",
      isFailed: place % 5 === 0,
      tags: [
        ["server_name", `web-${place % 8}`],
        ...(place % 60 === 0 ? [["customer", `c${place % 8}`] as const] : []),
      ],
    });
  });
  await writer.store("1", ...records);
  return writer;
}

/** All pages, and the last but one as it is found from the last. */
async function answers(sql: Sql) {
  const all: Record<string, unknown> = {};
  for (const text of SEARCHES) {
    const { words, terms } = parseTraceSearch(text);
    const read = (cursor: string | null) =>
      listTraces(sql, traceQuery({ words, terms, cursor, limit: LIMIT }));
    const forth: string[] = [];
    let page = await read(null);
    for (;;) {
      forth.push(...page.rows.map(({ traceId }) => traceId));
      if (page.nextCursor === null) break;
      page = await read(page.nextCursor);
    }
    const back = page.previousCursor === null ? null : await read(page.previousCursor);
    all[text] = { forth, back: back?.rows.map(({ traceId }) => traceId) };
  }
  return all;
}

Deno.test("traces that a search finds are the same with segments as without, also after some came late", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = await world(sql);
  const build = () => {
    const options = { now: new Date(), stopping: new AbortController().signal, rowsABlock: 4 };
    return buildSegments(sql, INDEXED_TRANSACTIONS, "1", options);
  };
  const plain = await answers(sql);
  assert.ok(await build() >= 2);
  assert.deepEqual(await answers(sql), plain);
  const timestamp = new Date(Date.now() - 20 * HOUR_MS);
  await writer.store(
    "1",
    transactionRecord({ timestamp, startedAt: timestamp, tags: [["customer", "c7"]] }),
  );
  const withLate = await answers(sql);
  assert.notDeepEqual(withLate, plain);
  assert.equal(await build(), 0);
  assert.deepEqual(await answers(sql), withLate);
  assert.ok(await build() >= 1);
  assert.deepEqual(await answers(sql), withLate);
});

Deno.test("a search for a rare tag reads few entries", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using _writer = await world(sql);
  const options = { now: new Date(), stopping: new AbortController().signal, rowsABlock: 4 };
  assert.ok(await buildSegments(sql, INDEXED_TRANSACTIONS, "1", options) >= 2);
  // Of blocks that no such entry was in, nothing is read.
  await sql`update transactions set tags = '{"customer": "c4"}'`;
  const { words, terms } = parseTraceSearch("customer:c4");
  const { rows } = await listTraces(sql, traceQuery({ words, terms, limit: 500 }));
  assert.ok(rows.length > 0 && rows.length < COUNT / 4, `${rows.length} traces were read`);
});
