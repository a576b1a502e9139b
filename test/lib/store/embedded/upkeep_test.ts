import assert from "node:assert/strict";
import { PGlite } from "@electric-sql/pglite";
import { checkpointTask, vacuumTask } from "@/lib/store/embedded/session.ts";
import { copyTemplate } from "@/test/support/postgres_template.ts";
import { tempDir } from "@/test/support/temp_dir.ts";

const HOUR_MS = 3_600_000;

async function testEngine() {
  const dir = await tempDir();
  await copyTemplate(dir.join("postgres"));
  const db = await PGlite.create(dir.join("postgres"));
  await db.exec("create table things (name text)");
  return {
    db,
    async [Symbol.asyncDispose]() {
      await db.close();
      await dir[Symbol.asyncDispose]();
    },
  };
}

async function lastCheckpoint(db: PGlite): Promise<string | undefined> {
  const { rows: [row] } = await db.query<{ lsn: string }>(
    "select checkpoint_lsn::text as lsn from pg_control_checkpoint()",
  );
  return row?.lsn;
}

/** Postgres publishes its counters about once a second; tests do not wait for that. */
async function flushStatistics(db: PGlite): Promise<void> {
  await db.exec("select pg_stat_force_next_flush()");
}

Deno.test("checkpointTask() flushes once enough has been written, and then rests", async () => {
  await using engine = await testEngine();
  const task = checkpointTask({ walBytes: 100_000, intervalMs: HOUR_MS });
  await task(engine.db);
  const before = await lastCheckpoint(engine.db);

  await engine.db.exec("insert into things values ('few')");
  await task(engine.db);
  assert.equal(await lastCheckpoint(engine.db), before);

  await engine.db.exec("insert into things select repeat('x', 100) from generate_series(1, 2000)");
  await task(engine.db);
  const after = await lastCheckpoint(engine.db);
  assert.notEqual(after, before);

  await task(engine.db);
  assert.equal(await lastCheckpoint(engine.db), after);
});

Deno.test("checkpointTask() flushes a little too, after a while", async () => {
  await using engine = await testEngine();
  const task = checkpointTask({ walBytes: Infinity, intervalMs: -1 });
  await task(engine.db);
  const before = await lastCheckpoint(engine.db);

  await engine.db.exec("insert into things values ('few')");
  await task(engine.db);
  assert.notEqual(await lastCheckpoint(engine.db), before);
});

Deno.test("vacuumTask() cleans a table that lost many rows, and knows its size then", async () => {
  await using engine = await testEngine();
  await engine.db.exec("insert into things select 'x' from generate_series(1, 1000)");
  await engine.db.exec("delete from things where ctid < '(1,0)'");
  await flushStatistics(engine.db);

  await vacuumTask({ intervalMs: 0 })(engine.db);
  await flushStatistics(engine.db);

  const { rows: [row] } = await engine.db.query<{ vacuums: number; analyzes: number }>(
    `select vacuum_count::int as vacuums, analyze_count::int as analyzes
     from pg_stat_user_tables where relname = 'things'`,
  );
  assert.deepEqual(row, { vacuums: 1, analyzes: 1 });
});

Deno.test("vacuumTask() only counts the rows of a table that got many", async () => {
  await using engine = await testEngine();
  await engine.db.exec("insert into things select 'x' from generate_series(1, 1000)");
  await flushStatistics(engine.db);

  await vacuumTask({ intervalMs: 0 })(engine.db);
  await flushStatistics(engine.db);

  const { rows: [row] } = await engine.db.query<{ vacuums: number; analyzes: number }>(
    `select vacuum_count::int as vacuums, analyze_count::int as analyzes
     from pg_stat_user_tables where relname = 'things'`,
  );
  assert.deepEqual(row, { vacuums: 0, analyzes: 1 });
});

Deno.test("vacuumTask() leaves tables alone that hardly changed, and all of them before its time", async () => {
  await using engine = await testEngine();
  await engine.db.exec("insert into things values ('few')");
  await flushStatistics(engine.db);
  await vacuumTask({ intervalMs: 0 })(engine.db);
  await engine.db.exec("insert into things select 'x' from generate_series(1, 1000)");
  await flushStatistics(engine.db);
  await vacuumTask({ intervalMs: HOUR_MS })(engine.db);
  await flushStatistics(engine.db);

  const { rows: [row] } = await engine.db.query<{ vacuums: number }>(
    "select (vacuum_count + analyze_count)::int as vacuums from pg_stat_user_tables where relname = 'things'",
  );
  assert.deepEqual(row, { vacuums: 0 });
});
