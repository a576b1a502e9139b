import assert from "node:assert/strict";
import { migrate } from "@/lib/store/migrate.ts";
import { testDatabase } from "../../support/database.ts";
import { silentLogger } from "../../support/silent_logger.ts";
import { type TempDir, tempDir } from "../../support/temp_dir.ts";
import type { Sql } from "@/lib/store/database.ts";

async function write(dir: TempDir, files: Record<string, string>): Promise<URL> {
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(dir.join(name), text);
  }
  return new URL(`file://${dir.path}/`);
}

async function tables(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables
    where table_schema = current_schema() and table_type = 'BASE TABLE' order by 1
  `;
  return rows.map(({ name }) => name);
}

async function applied(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`select name from schema_migrations order by version`;
  return rows.map(({ name }) => name);
}

Deno.test("migrate() applies each file once, in order, and later only what is new", async () => {
  await using database = await testDatabase({ isEmpty: true });
  await using dir = await tempDir();
  const { sql } = database;
  const first = await write(dir, {
    "0001_one.sql": "create table one (n int); insert into one values (1);",
    "0002_two.sql": "alter table one rename to two;",
  });
  await migrate(sql, silentLogger, first);
  await migrate(sql, silentLogger, first);
  const second = await write(dir, { "0003_three.sql": "create table three ();" });
  await migrate(sql, silentLogger, second);

  assert.deepEqual(await tables(sql), ["schema_migrations", "three", "two"]);
  assert.deepEqual([...await sql`select n from two`], [{ n: 1 }]);
  assert.deepEqual(await applied(sql), ["0001_one.sql", "0002_two.sql", "0003_three.sql"]);
});

Deno.test("migrate() in many processes at once applies each file once", async () => {
  await using database = await testDatabase({ isEmpty: true });
  await using dir = await tempDir();
  const url = await write(dir, {
    "0001_one.sql": "create table one (n int);",
    "0002_two.sql": "insert into one values (1);",
    "0003_three.sql": "insert into one values (2);",
  });
  const pools = [database.sql, database.connect(), database.connect(), database.connect()];
  const starts = pools.flatMap((sql) => [sql, sql, sql]);

  await Promise.all(starts.map((sql) => migrate(sql, silentLogger, url)));

  assert.deepEqual([...await database.sql`select n from one order by n`], [{ n: 1 }, { n: 2 }]);
});

Deno.test("migrate() leaves nothing of a file that fails, and keeps those before it", async () => {
  await using database = await testDatabase({ isEmpty: true });
  await using dir = await tempDir();
  const url = await write(dir, {
    "0001_good.sql": "create table good ();",
    "0002_bad.sql": "create table half ();\ninsert into nowhere values (1);",
    "0003_never.sql": "create table never ();",
  });

  await assert.rejects(
    migrate(database.sql, silentLogger, url),
    /^ConfigError: Cannot start: migration 0002_bad\.sql failed: .*nowhere/,
  );

  assert.deepEqual(await tables(database.sql), ["good", "schema_migrations"]);
  assert.deepEqual(await applied(database.sql), ["0001_good.sql"]);
});

Deno.test("migrate() refuses a database that is newer than the code", async () => {
  await using database = await testDatabase({ isEmpty: true });
  await using newer = await tempDir();
  await using older = await tempDir();
  const one = { "0001_one.sql": "create table one ();" };
  await migrate(
    database.sql,
    silentLogger,
    await write(newer, { ...one, "0002_two.sql": "create table two ();" }),
  );

  await assert.rejects(
    migrate(database.sql, silentLogger, await write(older, one)),
    /Cannot start: the database is at migration 2, this version of Watchpost knows 1;/,
  );
});

Deno.test("migrate() begins with the first file whatever its number, and takes a folder's files for one migration", async () => {
  await using database = await testDatabase({ isEmpty: true });
  await using dir = await tempDir();
  await Deno.mkdir(dir.join("0007_first"));
  const url = await write(dir, {
    "0007_first/apples.sql": "create table apples (n int);",
    "0007_first/pears.sql": "create table pears (n int); insert into apples values (1)",
    "0008_plums.sql": "alter table pears rename to plums;",
  });
  await migrate(database.sql, silentLogger, url);
  await migrate(database.sql, silentLogger, url);

  assert.deepEqual(await tables(database.sql), ["apples", "plums", "schema_migrations"]);
  assert.deepEqual(await applied(database.sql), ["0007_first", "0008_plums.sql"]);
});

Deno.test("migrate() goes on from the number of the first file, and refuses a database that is older", async () => {
  await using database = await testDatabase({ isEmpty: true });
  await using older = await tempDir();
  await using newer = await tempDir();
  const { sql } = database;
  const squashed = await write(newer, {
    "0002_all.sql": "create table one (); create table two ();",
    "0003_three.sql": "create table three ();",
  });
  await migrate(sql, silentLogger, await write(older, { "0001_one.sql": "create table one ();" }));
  await assert.rejects(
    migrate(sql, silentLogger, squashed),
    /Cannot start: the database is at migration 1, this version of Watchpost upgrades from 2 on;/,
  );
  assert.deepEqual(await tables(sql), ["one", "schema_migrations"]);

  await migrate(sql, silentLogger, await write(older, { "0002_two.sql": "create table two ();" }));
  await migrate(sql, silentLogger, squashed);
  assert.deepEqual(await applied(sql), ["0001_one.sql", "0002_two.sql", "0003_three.sql"]);
});

Deno.test("migrate() refuses a folder with a gap, a double or a stray file", async () => {
  await using database = await testDatabase({ isEmpty: true });
  const refuses = async (names: string[], culprit: string) => {
    await using dir = await tempDir();
    const url = await write(dir, Object.fromEntries(names.map((name) => [name, ""])));
    await assert.rejects(
      migrate(database.sql, silentLogger, url),
      new RegExp(`Migration ${culprit} is not number`),
    );
  };
  await refuses(["0001_one.sql", "0003_three.sql"], "0003_three.sql");
  await refuses(["0001_one.sql", "0001_other.sql"], "0001_other.sql");
  await refuses(["0001_one.sql", "notes.txt"], "notes.txt");
  await refuses(["0000_zero.sql"], "0000_zero.sql");
  await refuses(["readme.md"], "readme.md");
});

Deno.test("the migrations of this version make the tables that the rest of the code expects", async () => {
  await using database = await testDatabase();
  const names = await tables(database.sql);
  for (const name of ["events", "event_ids", "issues", "issue_hashes", "outcome_hours"]) {
    assert.ok(names.includes(name), name);
  }
});
