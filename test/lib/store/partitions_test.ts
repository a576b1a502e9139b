import assert from "node:assert/strict";
import { createAhead, dropExpired, ensurePartitions } from "@/lib/store/partitions.ts";
import type { Sql } from "@/lib/store/database.ts";
import { databaseKind, testDatabase } from "../../support/database.ts";
import { faultyLink } from "../../support/faulty_link.ts";
import { waitFor } from "../../support/wait_for.ts";

const day = (text: string) => new Date(`${text}T00:00:00Z`);

async function partitions(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = 'events'::regclass order by 1
  `;
  return rows.map(({ name }) => name);
}

async function insertEvent(sql: Sql, timestamp: string): Promise<void> {
  await sql`
    insert into events (project_id, issue_id, "timestamp", event_id, received_at, level, platform, title, payload)
    values (1, 1, ${timestamp}, gen_random_uuid(), now(), 'error', 'node', 'Error', '{}')
  `;
}

Deno.test("ensurePartitions() makes what rows of a day need, from its first to its last moment, in UTC", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await ensurePartitions(sql, [new Date("2026-11-20T13:45:00Z")]);

  await insertEvent(sql, "2026-11-20T00:00:00.000Z");
  await insertEvent(sql, "2026-11-20T23:59:59.999999Z");

  assert.deepEqual(await partitions(sql), ["events_20261120"]);
  await assert.rejects(insertEvent(sql, "2026-11-21T00:00:00Z"), /no partition/);
  await assert.rejects(insertEvent(sql, "2026-11-19T23:59:59.999Z"), /no partition/);
});

Deno.test("ensurePartitions() gives partitions the indexes and the compression of their table", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await ensurePartitions(sql, [day("2026-11-20")]);

  const [indexes] = await sql<{ loose: number; attached: number }[]>`
    select
      count(*) filter (where inhparent is null)::int as loose,
      count(*) filter (where inhparent is not null)::int as attached
    from pg_index left join pg_inherits on inhrelid = indexrelid
    where indrelid = 'events_20261120'::regclass
  `;
  const [parent] = await sql<{ count: number }[]>`
    select count(*)::int as count from pg_index where indrelid = 'events'::regclass
  `;
  // Postgres shall not try to compress what is packed already.
  const storage = await sql<{ storage: string }[]>`
    select distinct attstorage as storage from pg_attribute
    where attname = 'payload' and attrelid in ('events'::regclass, 'events_20261120'::regclass)
  `;

  assert.deepEqual(indexes, { loose: 0, attached: parent?.count });
  assert.deepEqual([...storage], [{ storage: "e" }]);
});

Deno.test("ensurePartitions() is harmless when repeated and when many isolates call it at once", async () => {
  await using database = await testDatabase();
  const pools = [database.sql, database.connect(), database.connect(), database.connect()];
  const days = [day("2026-08-01"), day("2026-08-02"), day("2026-08-01"), day("2025-02-28")];

  await Promise.all(pools.flatMap((sql) => [
    ensurePartitions(sql, days),
    ensurePartitions(sql, [...days].reverse()),
  ]));
  await ensurePartitions(database.sql, days);

  assert.deepEqual(await partitions(database.sql), [
    "events_20250228",
    "events_20260801",
    "events_20260802",
  ]);
});

Deno.test("ensurePartitions() asks the database nothing about days it has just seen", async () => {
  await using database = await testDatabase();
  const sql = database.connect();
  await ensurePartitions(sql, [day("2026-11-20")]);
  await sql.end();

  await ensurePartitions(sql, [new Date("2026-11-20T23:00:00Z")]);
  await assert.rejects(ensurePartitions(sql, [day("2026-11-21")]), /CONNECTION_ENDED/);
});

Deno.test("ensurePartitions() looks for days that it has seen once more after a connection broke", async () => {
  await using database = await testDatabase();
  await using link = faultyLink(database.sql);
  await ensurePartitions(link.sql, [day("2026-11-20")]);
  // As on a replica that had not heard of it.
  await database.sql`drop table events_20261120`;
  link.cut();
  await waitFor("the pool to see it", async () => {
    await ensurePartitions(link.sql, [day("2026-11-20")]).catch(() => {});
    return (await partitions(database.sql)).length > 0 || null;
  });
});

Deno.test("createAhead() makes today's partition and those of the coming week", async () => {
  await using database = await testDatabase();
  await createAhead(database.sql, new Date("2026-12-29T18:00:00Z"));

  assert.deepEqual(await partitions(database.sql), [
    "events_20261229",
    "events_20261230",
    "events_20261231",
    "events_20270101",
    "events_20270102",
    "events_20270103",
    "events_20270104",
    "events_20270105",
  ]);
});

Deno.test("dropExpired() drops the days before the retention and a day of grace, no others", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const now = new Date("2026-11-20T15:00:00Z");
  await ensurePartitions(sql, [
    day("2026-11-20"),
    day("2026-11-10"),
    day("2026-11-09"),
    day("2026-11-08"),
    day("2025-01-01"),
  ]);
  await insertEvent(sql, "2026-11-08T12:00:00Z");
  await insertEvent(sql, "2026-11-09T12:00:00Z");

  const dropped = await dropExpired(sql, 10, now);

  const ofEvents = dropped.filter((name) => name.startsWith("events_"));
  assert.deepEqual(ofEvents, ["events_20250101", "events_20261108"]);
  // Receipts are kept for a week, whatever the retention.
  const ofReceipts = dropped.filter((name) => name.startsWith("receipts_"));
  assert.equal(ofReceipts.at(-1), "receipts_20261110");
  assert.deepEqual(await partitions(sql), [
    "events_20261109",
    "events_20261110",
    "events_20261120",
  ]);
  assert.deepEqual([...await sql`select count(*)::int as count from events`], [{ count: 1 }]);
});

Deno.test("a day that was dropped is made again when a row needs it", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await ensurePartitions(sql, [day("2026-01-01")]);
  await dropExpired(sql, 1, new Date("2026-11-20T15:00:00Z"));

  await ensurePartitions(sql, [day("2026-01-01")]);
  await insertEvent(sql, "2026-01-01T12:00:00Z");

  assert.deepEqual(await partitions(sql), ["events_20260101"]);
});

if (databaseKind === "server") {
  Deno.test("ensurePartitions() waits for no reader of the table", async () => {
    await using database = await testDatabase();
    const reader = database.connect();
    await ensurePartitions(database.sql, [day("2026-11-20")]);
    await reader.begin(async (tx) => {
      await tx`select count(*) from events`;
      await ensurePartitions(database.sql, [day("2026-11-21")]);
    });
    assert.deepEqual(await partitions(database.sql), ["events_20261120", "events_20261121"]);
  });
}
