import assert from "node:assert/strict";
import { connectServer, type Sql } from "@/lib/store/database.ts";
import { migrate } from "@/lib/store/migrate.ts";
import { errorEvent } from "@/test/support/error_event.ts";
import { faultyLink } from "@/test/support/faulty_link.ts";
import { ownPostgres, postgresBinDir } from "@/test/support/own_postgres.ts";
import { silentLogger } from "@/test/support/silent_logger.ts";
import { waitFor } from "@/test/support/wait_for.ts";
import { testWriter } from "@/test/support/writer.ts";

const binDir = await postgresBinDir();

Deno.test({
  name:
    "what a crash of Postgres takes away during COMMIT is not taken for what another commits under its transaction's id",
  ignore: binDir === null,
}, async () => {
  await using own = await ownPostgres(binDir ?? "");
  const sql = connectServer(own.url);
  await using _ = { [Symbol.asyncDispose]: () => sql.end({ timeout: 1 }) };
  await migrate(sql, silentLogger);
  // Nothing of a transaction is on the disk before it commits.
  await sql`alter system set wal_writer_delay = '10s'`;
  await sql`select pg_reload_conf()`;
  await using link = faultyLink(sql);
  await using writer = testWriter(link.sql, { inFlight: 1 });
  const store = (event = errorEvent()) =>
    writer.commit("1", { records: [event], outcomes: [] }, {
      requestId: crypto.randomUUID(),
      receivedAt: new Date(),
    });
  await store();

  // Only a new connection sends the statement's name.
  link.cut();
  const paused = link.pauseBefore("commit");
  const event = errorEvent();
  const committed = store(event);
  await Promise.race([paused, committed.then(() => assert.fail("COMMIT was not held back"))]);
  const lost = await idUnderWay(sql);
  await own.stop();
  await own.start();
  await waitFor("another with its id", async () => await commitAs(sql, lost).catch(() => null));
  link.cut();
  link.resume();

  assert.deepEqual(await committed, { stored: 1, duplicates: 0, refused: 0 });
  const rows = await sql`select from events where event_id = ${event.eventId}::uuid`;
  assert.equal(rows.length, 1);
  const [counted] = await sql`
    select sum(quantity)::int as quantity from outcomes where kind = 'accepted'
  `;
  assert.equal(counted?.quantity, 2);
});

/** Of the one transaction that has written and not committed. */
async function idUnderWay(sql: Sql): Promise<bigint> {
  const rows = await sql<{ id: string }[]>`
    select backend_xid::text as id from pg_stat_activity where backend_xid is not null
  `;
  assert.equal(rows.length, 1);
  return BigInt(rows[0]?.id ?? 0);
}

/** Commits something. @returns null while ids are below that one @throws {Error} when they are beyond */
async function commitAs(sql: Sql, wanted: bigint): Promise<true | null> {
  const [row] = await sql<{ id: string }[]>`select pg_current_xact_id()::text as id`;
  const id = BigInt(row?.id ?? 0);
  if (id > wanted) throw new Error(`The id ${wanted} was not given out again`);
  return id === wanted || null;
}
