import assert from "node:assert/strict";
import { concat, message, parse, startup } from "@/test/support/postgres_messages.ts";
import { databaseKind, type TestDatabase, testDatabase } from "@/test/support/database.ts";

const CONCURRENT = 500;

/** Several pools, so that connections meet; the tests hold for every Postgres. */
function pools(database: TestDatabase) {
  return [database.sql, database.connect(), database.connect()] as const;
}

/** Reads until a message of this type has arrived. Good enough for short answers. */
async function readUntil(connection: Deno.Conn, type: string): Promise<void> {
  const buffer = new Uint8Array(10_000);
  const wanted = type.charCodeAt(0);
  while (true) {
    const length = await connection.read(buffer);
    assert.notEqual(length, null);
    for (let start = 0; start < (length ?? 0);) {
      if (buffer[start] === wanted) return;
      start += 1 + new DataView(buffer.buffer).getUint32(start + 1);
    }
  }
}

Deno.test("connections that work at once get their own answers, prepared or not", async () => {
  await using database = await testDatabase({ isEmpty: true });
  const all = pools(database);
  const text = "x".repeat(20_000);

  await Promise.all(Array.from({ length: CONCURRENT }, async (_, i) => {
    const sql = all[i % all.length] ?? database.sql;
    const [prepared] = await sql`select ${i}::int as i, length(${text + i}) as length`;
    const [unprepared] = await sql.unsafe("select $1::int as i, $2::text as text", [i, text]);
    assert.deepEqual({ ...prepared }, { i, length: text.length + String(i).length });
    assert.deepEqual({ ...unprepared }, { i, text });
  }));
});

Deno.test("a failing statement of one connection disturbs no other", async () => {
  await using database = await testDatabase({ isEmpty: true });
  const all = pools(database);

  await Promise.all(Array.from({ length: CONCURRENT }, async (_, i) => {
    const sql = all[i % all.length] ?? database.sql;
    if (i % 5 === 0) {
      await assert.rejects(sql.unsafe(`select nothing_${i} from $1`, [i]), /syntax error/);
      await assert.rejects(sql`select 1 / ${0}::int`, /division by zero/);
    } else {
      assert.deepEqual([...await sql`select ${i}::int as i`], [{ i }]);
    }
  }));
});

Deno.test("a transaction is alone until it ends, and a failed one leaves nothing", async () => {
  await using database = await testDatabase({ isEmpty: true });
  const [sql, other] = pools(database);
  await sql`create table counters (value int not null)`;
  await sql`insert into counters values (0)`;

  await Promise.all(
    Array.from({ length: 50 }, (_, i) =>
      (i % 2 === 0 ? sql : other).begin(async (tx) => {
        const [row] = await tx<{ value: number }[]>`select value from counters for update`;
        await tx`update counters set value = ${(row?.value ?? 0) + 1}`;
        if (i % 10 === 0) throw new Error("roll back");
      }).catch((error: Error) => assert.equal(error.message, "roll back"))),
  );

  assert.deepEqual([...await other`select value from counters`], [{ value: 45 }]);
});

Deno.test("a connection that dies inside a transaction rolls it back and frees the others", async () => {
  await using database = await testDatabase({ isEmpty: true });
  const [sql, doomed] = pools(database);
  await sql`create table counters (value int not null)`;

  const inside = Promise.withResolvers<void>();
  const transaction = doomed.begin(async (tx) => {
    await tx`insert into counters values (1)`;
    inside.resolve();
    await tx`select pg_sleep(0.01)`;
    await new Promise(() => {});
  });
  transaction.catch(() => {});
  await inside.promise;
  await doomed.end({ timeout: 0 });

  assert.deepEqual([...await sql`select count(*)::int as count from counters`], [{ count: 0 }]);
});

Deno.test("a connection that dies after an error, before it has ended its exchange, disturbs no other", async () => {
  await using database = await testDatabase({ isEmpty: true });
  const { path, host, port, connection } = database.sql.options;
  {
    using doomed = path
      ? await Deno.connect({ transport: "unix", path })
      : await Deno.connect({ hostname: String(host[0]), port: Number(port[0]) });
    const searchPath = String(connection.search_path ?? "public");
    await doomed.write(
      startup({ user: "postgres", database: "postgres", search_path: searchPath }),
    );
    await readUntil(doomed, "Z");
    await doomed.write(concat([parse("selekt 1"), message("H")]));
    await readUntil(doomed, "E");
  }

  assert.deepEqual([...await database.sql`select ${1}::int as one`], [{ one: 1 }]);
});

Deno.test("pools on different schemas never see each other's tables", async () => {
  await using one = await testDatabase({ isEmpty: true });
  await using two = await testDatabase({ isEmpty: true });
  await one.sql`create table things (name text)`;
  await two.sql`create table things (name text)`;

  await Promise.all(Array.from({ length: 50 }, async (_, i) => {
    await one.sql`insert into things values (${`one ${i}`})`;
    await two.sql`insert into things values (${`two ${i}`})`;
  }));

  assert.deepEqual(
    [...await one.sql`select distinct left(name, 3) as name from things`],
    [{ name: "one" }],
  );
  assert.deepEqual(
    [...await two.sql`select distinct left(name, 3) as name from things`],
    [{ name: "two" }],
  );
});

if (databaseKind === "embedded") {
  Deno.test("the embedded Postgres waits for the disk at every commit", async () => {
    await using database = await testDatabase({ isEmpty: true });
    const settings = await database.sql<{ name: string; setting: string }[]>`
      select name, setting from pg_settings
      where name in ('fsync', 'synchronous_commit', 'wal_sync_method', 'full_page_writes') order by name
    `;
    assert.deepEqual(Object.fromEntries(settings.map(({ name, setting }) => [name, setting])), {
      fsync: "on",
      full_page_writes: "on",
      synchronous_commit: "on",
      wal_sync_method: "fsync",
    });
  });
}
