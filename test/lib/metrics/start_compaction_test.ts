import assert from "node:assert/strict";
import { takeLease } from "@/lib/accounts/kv.ts";
import { type Compaction, startCompaction } from "@/lib/metrics/start_compaction.ts";
import { HOUR_MS } from "@/lib/core/time.ts";
import { gaugeSeries, metricBatch } from "../../support/metric_series.ts";
import { testDatabase, testKv } from "../../support/stores.ts";
import { logLines } from "../../support/log_lines.ts";
import { changeTriggers } from "../../support/refusing_trigger.ts";
import { testWriter } from "../../support/writer.ts";

const MINUTE = 60_000;

function closing(compaction: Compaction): Compaction & AsyncDisposable {
  return { ...compaction, [Symbol.asyncDispose]: () => compaction.close() };
}

/** Points of one hour, a few hours ago, that have waited for some minutes: several a minute, so that minutes are stored. */
function oldBatch(name: string) {
  const ago = Date.now() - 5 * HOUR_MS;
  const time = ago - ago % HOUR_MS;
  const points = Array.from({ length: 8 }, (_, index): [number, number] => [
    time + index * MINUTE / 4,
    index,
  ]);
  return metricBatch(
    [gaugeSeries(name, {}, points)],
    new Date(Date.now() - 3 * MINUTE),
  );
}

Deno.test("a run packs and settles what is due, whatever one project's trouble is", async () => {
  await using kv = await testKv();
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  for (const project of ["1", "2", "3"]) await writer.store(project, oldBatch("memory"));
  // Of project 1 nothing can be packed.
  await changeTriggers(sql, [
    `create function refuse() returns trigger language plpgsql as
      $$ begin if old.project_id = 1 then raise exception 'no'; end if; return old; end $$`,
    "create trigger refuse before delete on metric_batches for each row execute function refuse()",
  ]);
  const { log, lines } = logLines();
  await using compaction = closing(startCompaction({ ...kv, sql, log }));

  await compaction.run();

  const blocks = await sql<{ project: string; tiers: string }[]>`
    select project_id as project, string_agg(tier || '/' || pack, ' ' order by tier) as tiers
    from metric_stored_blocks where tier < 2 group by 1 order by 1
  `;
  assert.deepEqual([...blocks], [
    { project: "2", tiers: "0/0 1/0" },
    { project: "3", tiers: "0/0 1/0" },
  ]);
  assert.deepEqual(lines.map(({ message, fields }) => [message, fields?.["projectId"]]), [
    ["cannot compact metrics", "1"],
  ]);
});

Deno.test("a project that another isolate is at is left to it", async () => {
  await using kv = await testKv();
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  await writer.store("1", oldBatch("memory"));
  await writer.store("2", oldBatch("memory"));
  assert.ok(await takeLease(kv.kv, "metrics_1", "somebody else", MINUTE));
  const { log, lines } = logLines();
  await using compaction = closing(startCompaction({ ...kv, sql, log }));

  await compaction.run();

  const waiting = await sql`select project_id as project from metric_batches`;
  assert.deepEqual([...waiting], [{ project: "1" }]);
  assert.deepEqual(lines, []);
});

Deno.test("a few points that have just come wait for more", async () => {
  await using kv = await testKv();
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  await writer.store("1", metricBatch([gaugeSeries("memory", {}, [[Date.now(), 1]])]));
  await using compaction = closing(startCompaction({ ...kv, sql, log: logLines().log }));

  await compaction.run();

  const [row] = await sql`select count(*)::int as count from metric_batches`;
  assert.deepEqual(row, { count: 1 });
});
