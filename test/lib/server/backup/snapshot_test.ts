/** How a server is read while others write to it. */
import assert from "node:assert/strict";
import { copyTables } from "@/lib/server/backup/copy_tables.ts";
import { PartWriter } from "@/lib/server/backup/parts.ts";
import { type Snapshot, withSnapshot } from "@/lib/server/backup/snapshot.ts";
import type { Sql } from "@/lib/store/database.ts";
import { addRow, backupWorld, placeIn } from "@/test/support/backup_world.ts";
import { databaseKind, testDatabase } from "@/test/support/database.ts";

const ignore = databaseKind !== "server";
if (ignore) console.warn("skipped: no Postgres server is named here");
const GONE_MS = 2_000;

function rowsIn(snapshot: Snapshot): Promise<number | undefined> {
  return snapshot.read(async (tx) => {
    const [row] = await tx<{ rows: number }[]>`select count(*)::int as rows from audit_outbox`;
    return row?.rows;
  });
}

async function heldTransactions(sql: Sql): Promise<number> {
  const rows = await sql`
    select from pg_stat_activity
    where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()
      and application_name like 'watchpost%'
  `;
  return rows.length;
}

Deno.test({
  name: "all readings of a snapshot are of one moment, and nothing is held when they have ended",
  ignore,
  async fn() {
    await using database = await testDatabase();
    const { sql } = database;
    await addRow(sql, 1);
    await withSnapshot(sql, async (snapshot) => {
      assert.equal(await rowsIn(snapshot), 1);
      await addRow(database.connect(), 2);
      assert.equal(await rowsIn(snapshot), 1);
    });
    assert.equal(await heldTransactions(sql), 0);
    const failing = () => Promise.reject(new Error("The disk is full"));
    await assert.rejects(withSnapshot(sql, failing), /full/);
    assert.equal(await heldTransactions(sql), 0);
  },
});

Deno.test({
  name: "the server forgets the snapshot of a reader that gives no sign of life, which fails then",
  ignore,
  async fn() {
    await using database = await testDatabase();
    const { sql } = database;
    const hanging = withSnapshot(sql, async (snapshot) => {
      assert.equal(await rowsIn(snapshot), 0);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * GONE_MS);
      return await rowsIn(snapshot);
    }, GONE_MS);
    await assert.rejects(hanging);
    assert.equal(await heldTransactions(sql), 0);
  },
});

Deno.test({
  name: "a reader that takes longer than the server waits keeps its snapshot by signs of life",
  ignore,
  async fn() {
    await using database = await testDatabase();
    const { sql } = database;
    await withSnapshot(sql, async (snapshot) => {
      await snapshot.read((tx) => tx`select pg_sleep(${2 * GONE_MS / 1_000})`);
      assert.equal(await rowsIn(snapshot), 0);
    }, GONE_MS);
  },
});

Deno.test({
  name:
    "a backup says to try again when a table is rewritten before it is copied: the snapshot sees none of its rows",
  ignore,
  async fn() {
    await using world = await backupWorld();
    using place = await placeIn(world);
    const { sql } = world.stores;
    await addRow(sql, 2);
    const rowsAfter = async (meanwhile: () => Promise<unknown>) => {
      const copied = await withSnapshot(sql, async (snapshot) => {
        await meanwhile();
        const writer = new PartWriter(place.parts, new Map());
        return await copyTables({ snapshot, writer, before: null, say() {} });
      });
      return copied.tables.find(({ name }) => name === "audit_outbox")?.rows;
    };
    const rows = await rowsAfter(() => Promise.resolve());
    assert.ok(rows && rows > 0);
    await assert.rejects(
      rowsAfter(() =>
        sql`alter table audit_outbox add column draft double precision default random()`
      ),
      /audit_outbox was written anew .* try again/,
    );
    assert.equal(await rowsAfter(() => sql`truncate audit_outbox`), 0);
  },
});
