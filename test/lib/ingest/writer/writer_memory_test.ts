import assert from "node:assert/strict";
import type { Sql } from "@/lib/store/database.ts";
import { foldStats } from "@/lib/store/stats/fold_stats.ts";
import { testDatabase } from "@/test/support/database.ts";
import { errorEvent } from "@/test/support/error_event.ts";
import { faultyLink } from "@/test/support/faulty_link.ts";
import { counterSeries, metricBatch } from "@/test/support/metric_series.ts";
import { spanBatchRecord, transactionRecord } from "@/test/support/records.ts";
import { testWriter } from "@/test/support/writer.ts";

/** What is written once, as long as it is known to be there. */
const TABLES = [
  ...["tag_sets", "issue_tags", "issue_users", "issue_texts", "releases"],
  ...["metric_series", "span_sources", "span_facts", "stat_series"],
];

async function rowCounts(sql: Sql): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of TABLES) {
    const [row] = await sql<{ n: number }[]>`select count(*)::int as n from ${sql(table)}`;
    counts[table] = row?.n ?? 0;
  }
  return counts;
}

const TAGS: [string, string][] = [
  ["os", "Linux 6.12"],
  ["runtime", "node v24.0.0"],
  ["server_name", "web-1.example.test"],
];

function records() {
  return [
    errorEvent({ user: "id:1", tags: TAGS, texts: ["0no cart"] }),
    transactionRecord(),
    spanBatchRecord(),
    metricBatch([counterSeries("orders", {}, [[Date.now(), 1]])]),
  ];
}

Deno.test("after a connection broke, what was known to be stored is written once more: the server that answers may lack it", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using link = faultyLink(sql);
  await using writer = testWriter(link.sql);
  await writer.store("1", ...records());
  await foldStats(link.sql);
  const before = await rowCounts(sql);
  assert.deepEqual(Object.entries(before).filter(([, rows]) => rows === 0), []);

  // As a replica does that had not heard of it.
  for (const table of TABLES) await sql`delete from ${sql(table)}`;
  await writer.store("1", ...records());
  assert.equal((await rowCounts(sql)).tag_sets, 0, "nothing tells of it while all goes well");
  link.cut();
  await writer.store("1", ...records());
  await foldStats(link.sql);

  assert.deepEqual(await rowCounts(sql), before);
});
