import assert from "node:assert/strict";
import { connectEmbedded } from "@/lib/store/database.ts";
import { openEmbeddedPostgres } from "@/lib/store/embedded/open.ts";
import { runChild } from "@/test/support/child.ts";
import { copyTemplate } from "@/test/support/postgres_template.ts";
import { silentLogger } from "@/test/support/silent_logger.ts";
import { tempDir } from "@/test/support/temp_dir.ts";
import { waitFor } from "@/test/support/wait_for.ts";

const writeUntilKilled = new URL("./write_until_killed.ts", import.meta.url);

Deno.test("kill -9 loses nothing that the embedded Postgres acknowledged, three times over", async () => {
  await using dir = await tempDir();
  await copyTemplate(dir.join("postgres"));
  let acknowledged = 0;
  for (let round = 1; round <= 3; round++) {
    await using child = runChild(writeUntilKilled, [dir.join("postgres")]);
    for (let i = 0; i < 50 * round; i++) {
      const line = await child.line();
      assert.notEqual(line, null);
      acknowledged = Number(line);
    }
    await child.kill();
  }

  const server = await openEmbeddedPostgres(dir.join("postgres"), silentLogger);
  const sql = connectEmbedded(server.address);
  const [row] = await sql<{ missing: number }[]>`
    select count(*)::int as missing from generate_series(1, ${acknowledged}::int) as number
    where number not in (select number from numbers)
  `;
  await sql.end();
  await server.close();

  assert.ok(acknowledged >= 300);
  assert.equal(row?.missing, 0);
});

Deno.test("an embedded Postgres that dies is started again, and the pool finds it", async () => {
  await using dir = await tempDir();
  await copyTemplate(dir.join("postgres"));
  const errors: string[] = [];
  const log = { ...silentLogger, error: (message: string) => errors.push(message) };
  const server = await openEmbeddedPostgres(dir.join("postgres"), log);
  const sql = connectEmbedded(server.address);
  await sql`create table numbers (number int not null)`;
  await sql`insert into numbers values (1)`;

  // Without the folder of its log, Postgres gives up at the next segment.
  await Deno.rename(dir.join("postgres", "pg_wal"), dir.join("pg_wal"));
  await assert.rejects(async () => {
    await sql`select pg_switch_wal()`;
    await sql`insert into numbers values (2)`;
  });
  await Deno.rename(dir.join("pg_wal"), dir.join("postgres", "pg_wal"));

  const rows = await waitFor("the restart", async () => {
    try {
      return [...await sql`select number from numbers`];
    } catch {
      return null;
    }
  });
  await sql.end({ timeout: 1 });
  await server.close();

  assert.deepEqual(rows, [{ number: 1 }]);
  assert.deepEqual(errors, ["the embedded Postgres died and is started again"]);
});

Deno.test("data that cannot be opened stops the start with the reason of Postgres", async () => {
  await using dir = await tempDir();
  await copyTemplate(dir.join("postgres"));
  await Deno.writeTextFile(dir.join("postgres", "PG_VERSION"), "12\n");

  await assert.rejects(
    openEmbeddedPostgres(dir.join("postgres"), silentLogger),
    /^ConfigError: Cannot start: the embedded Postgres in .*incompatible with server/,
  );
});

Deno.test("an initialisation that was interrupted is begun anew", async () => {
  await using dir = await tempDir();
  await Deno.mkdir(dir.join("postgres.unfinished"));
  await Deno.writeTextFile(dir.join("postgres.unfinished", "PG_VERSION"), "18\n");

  const server = await openEmbeddedPostgres(dir.join("postgres"), silentLogger);
  await server.close();

  const names = await Array.fromAsync(Deno.readDir(dir.path), ({ name }) => name);
  assert.deepEqual(names, ["postgres"]);
});

Deno.test("a folder with something else in it is refused and left as it is", async () => {
  await using dir = await tempDir();
  await copyTemplate(dir.join("postgres"));
  await Deno.remove(dir.join("postgres", "PG_VERSION"));

  await assert.rejects(
    openEmbeddedPostgres(dir.join("postgres"), silentLogger),
    /^ConfigError: Cannot start: .+ is not empty, but it has no PG_VERSION/,
  );
  await Deno.lstat(dir.join("postgres", "global", "pg_control"));
});
