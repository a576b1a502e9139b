import assert from "node:assert/strict";
import { type Maintenance, startMaintenance } from "../../lib/maintenance.ts";
import { ensurePartitions } from "../../lib/telemetry/partitions.ts";
import { logLines } from "../support/log_lines.ts";
import { testDatabase, testKv } from "../support/stores.ts";

const LONG_AGO = new Date("2024-02-29T12:00:00Z");

function closing(maintenance: Maintenance): Maintenance & AsyncDisposable {
  return { ...maintenance, [Symbol.asyncDispose]: () => maintenance.close() };
}

Deno.test("a run makes partitions ahead, and removes and tells what has expired", async () => {
  await using kv = await testKv();
  await using database = await testDatabase();
  const { sql } = database;
  const { log, lines } = logLines();
  await ensurePartitions(sql, [LONG_AGO]);
  await sql`insert into event_ids values (1, gen_random_uuid(), 1, ${LONG_AGO})`;
  await using maintenance = closing(startMaintenance({ ...kv, sql, log, retentionDays: 90 }));

  await maintenance.run();

  const [partitions] = await sql`
    select count(*)::int as count from pg_inherits where inhparent = 'events'::regclass
  `;
  assert.deepEqual(partitions, { count: 8 });
  assert.deepEqual(lines, [
    {
      level: "info",
      message: "dropped expired partitions",
      fields: { partitions: ["events_20240229"] },
    },
    { level: "info", message: "deleted expired rows", fields: { event_ids: 1 } },
  ]);
});

Deno.test("of several isolates one has the work, and another takes over when it ends", async () => {
  await using kv = await testKv();
  await using database = await testDatabase();
  const other = database.connect();
  const { log, lines } = logLines();
  const options = { kv: kv.kv, retentionDays: 90 };
  const first = startMaintenance({ ...options, sql: database.sql, log });
  await using second = closing(startMaintenance({ ...options, sql: other, log }));

  await first.run();
  await ensurePartitions(database.sql, [LONG_AGO]);
  await second.run();
  assert.deepEqual(lines, []);

  await first.close();
  await second.run();
  assert.deepEqual(lines.map(({ message }) => message), ["dropped expired partitions"]);
});

Deno.test("a run that fails is logged, and the next one works", async () => {
  await using kv = await testKv();
  await using database = await testDatabase({ isEmpty: true });
  const { log, lines } = logLines();
  await using maintenance = closing(
    startMaintenance({ ...kv, sql: database.sql, log, retentionDays: 90 }),
  );

  await maintenance.run();
  assert.deepEqual(lines.map(({ message }) => message), ["maintenance failed"]);
});
