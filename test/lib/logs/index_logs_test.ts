import assert from "node:assert/strict";
import { INDEXED_LOGS } from "@/lib/logs/index_logs.ts";
import { parseLogParams } from "@/lib/logs/list_page.tsx";
import { countLogs, countSoon, listLogs } from "@/lib/logs/queries.ts";
import type { LogLevel } from "@/lib/records/mod.ts";
import type { Sql } from "@/lib/store/database.ts";
import { buildSegments } from "@/lib/store/search_index/build_segments.ts";
import { projectsIn } from "@/lib/store/sharding.ts";
import { testDatabase } from "../../support/database.ts";
import { logRecord } from "../../support/records.ts";
import { testWriter } from "../../support/writer.ts";

const HOUR_MS = 3_600_000;
const NOW = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS);
const PROJECT = "1";
const COUNT = 700;

const SEARCHES = [
  "",
  "query=placed",
  "query=customer-7",
  "query=CUSTOMER-77",
  "query=cust*-12",
  "query=заказ",
  "query=no+such+word",
  "query=of",
  "query=logger:shop.stock",
  "query=item:13",
  "query=!item:13",
  "query=item:1*",
  "query=note:NULL",
  "level=error",
  "level=fatal",
  "environment=staging&query=placed",
  "environment=staging",
  "release=none",
];

/** Logs of a day, the oldest first, and some of another project. */
async function world(sql: Sql) {
  const writer = testWriter(sql);
  const records = Array.from({ length: COUNT }, (_, place) =>
    logRecord({
      timestamp: new Date(NOW.getTime() - 30 * HOUR_MS + place * 24 * HOUR_MS / COUNT),
      body: `Order of customer-${place % 97} ${place % 2 === 0 ? "was placed" : "Заказ"} ${place}`,
      level: place % 50 === 0 ? "error" : "info",
      logger: place % 3 === 0 ? "shop.stock" : "shop.orders",
      environment: place % 10 === 0 ? "staging" : "production",
      release: "shop@1",
      attributes: JSON.stringify({ item: place % 200, note: place % 5 === 0 ? null : "Null" }),
    }));
  await writer.store(PROJECT, ...records);
  await writer.store("2", logRecord({ body: "customer-7 of another project", timestamp: NOW }));
  return writer;
}

function selectionOf(search: string) {
  const params = new URLSearchParams(search);
  return {
    projectId: PROJECT,
    start: new Date(NOW.getTime() - 29 * HOUR_MS),
    end: new Date(NOW.getTime() + HOUR_MS),
    environments: params.getAll("environment"),
    releases: params.getAll("release"),
    ...parseLogParams(params),
  };
}

/** What the page shows, page after page and back, and its chart. */
async function answers(sql: Sql) {
  const all: Record<string, unknown> = {};
  for (const search of SEARCHES) {
    const selection = selectionOf(search);
    const forth: string[] = [];
    let cursor: string | null = null;
    let last: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof listLogs>> = await listLogs(sql, {
        ...selection,
        cursor,
        limit: 40,
      });
      forth.push(...page.rows.map(({ body }) => body));
      last = page.previousCursor;
      cursor = page.nextCursor;
    } while (cursor !== null);
    const back = last === null
      ? null
      : await listLogs(sql, { ...selection, cursor: last, limit: 40 });
    const { counts, byLevel } = await countLogs(sql, selection, 1_800);
    all[search] = {
      forth,
      back: back?.rows.map(({ body }) => body),
      counts,
      byLevel: Object.fromEntries(byLevel),
    };
  }
  return all;
}

function build(sql: Sql) {
  const options = { now: NOW, stopping: new AbortController().signal, rowsABlock: 4 };
  return buildSegments(sql, INDEXED_LOGS, PROJECT, options);
}

async function segments(sql: Sql): Promise<number> {
  const rows = await sql`select 1 from log_segments where project_id = ${PROJECT}`;
  return rows.length;
}

Deno.test("searches and charts of logs are the same with segments as without, also after rows came late and went", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = await world(sql);
  const plain = await answers(sql);
  assert.deepEqual(await projectsIn(sql, INDEXED_LOGS.table), ["1", "2"]);
  assert.ok(await build(sql) >= 2);
  assert.ok(await segments(sql) >= 2);
  assert.deepEqual(await answers(sql), plain);

  const late = logRecord({
    body: "customer-7 was late",
    timestamp: new Date(NOW.getTime() - 20 * HOUR_MS),
  });
  await writer.store(PROJECT, late);
  const withLate = await answers(sql);
  assert.notDeepEqual(withLate, plain);
  const before = await segments(sql);
  assert.equal(await build(sql), 0);
  assert.ok(await segments(sql) < before);
  assert.deepEqual(await answers(sql), withLate);
  assert.ok(await build(sql) >= 1);
  assert.deepEqual(await answers(sql), withLate);
});

Deno.test("a search for a rare word reads few logs", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using _writer = await world(sql);
  assert.ok(await build(sql) >= 2);
  // Without its rows, what is known of blocks is all there is.
  const plain = await countLogs(sql, selectionOf(""), 3_600);
  await sql`update logs set body = 'nothing' where body like '%customer-13 %'`;
  assert.deepEqual(await countLogs(sql, selectionOf(""), 3_600), plain);
  await sql`update logs set body = 'nonesuch' where project_id = ${PROJECT}`;
  const { rows } = await listLogs(sql, {
    ...selectionOf("query=nonesuch"),
    cursor: null,
    limit: 900,
  });
  assert.ok(rows.length < COUNT / 2, `${rows.length} of ${COUNT} logs were read`);
});

Deno.test("logs are counted soon when few have to be looked at, whether they are all or rare", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using _writer = await world(sql);
  assert.ok(await build(sql) >= 2);
  const few = COUNT / 2;
  for (const search of ["", "query=customer-13+", "query=no+such+word", "environment=staging"]) {
    const selection = selectionOf(search);
    const counted = await countSoon(sql, selection, 3_600, 16_384 + few);
    assert.deepEqual(counted, await countLogs(sql, selection, 3_600), search);
    const levels = Object.values(counted?.countsOf ?? {});
    const added = counted?.counts.map((_, bucket) =>
      levels.reduce((sum, counts) => sum + (counts[bucket] ?? 0), 0)
    );
    assert.deepEqual(added, counted?.counts, "levels make up the whole");
    for (const [level, counts] of Object.entries(counted?.countsOf ?? {})) {
      const all = counts.reduce((sum, count) => sum + count, 0);
      assert.equal(all, counted?.byLevel.get(level as LogLevel), level);
    }
  }
  assert.equal(await countSoon(sql, selectionOf("query=placed"), 3_600, 16_384 + few), null);
});
