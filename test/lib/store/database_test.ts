import assert from "node:assert/strict";
import { readConfig } from "@/lib/core/config.ts";
import { openDatabase, type Sql } from "@/lib/store/database.ts";
import { databaseKind, testDatabase } from "../../support/database.ts";
import { faultyLink } from "../../support/faulty_link.ts";
import { logLines } from "../../support/log_lines.ts";
import { copyTemplate } from "../../support/postgres_template.ts";
import { freePort } from "../../support/server.ts";
import { silentLogger } from "../../support/silent_logger.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { waitFor } from "../../support/wait_for.ts";

async function works(sql: Sql): Promise<true | null> {
  return await sql`select 1`.then(() => true as const, () => null);
}

Deno.test("large numbers arrive as text, exactly", async () => {
  await using database = await testDatabase({ isEmpty: true });
  assert.deepEqual(
    [...await database.sql`select 9007199254740993 as id, count(*) from generate_series(1, 3)`],
    [{ id: "9007199254740993", count: "3" }],
  );
});

Deno.test("a transaction that goes on long after its connection broke fails, and nothing else", async () => {
  await using database = await testDatabase({ isEmpty: true });
  await using link = faultyLink(database.sql);
  const { promise: read, resolve: whenRead } = Promise.withResolvers<void>();
  const { promise: failed, reject: whenFailed } = Promise.withResolvers<void>();
  const begun = link.sql.begin(async (tx) => {
    await tx`select 1`;
    link.cut();
    // Something that takes longer than the end of a connection, such as a file.
    await read;
    await tx.savepoint((inner) => inner`select 2`).catch(whenFailed);
  });
  await assert.rejects(begun, { code: "CONNECTION_CLOSED" });
  whenRead();
  await assert.rejects(failed, { code: "CONNECTION_CLOSED" });
  // The driver would send into the missing socket from a timer, which comes before this does.
  await waitFor("the pool to heal", () => works(link.sql));
});

Deno.test("a pool whose connections break fails what was under way, and then works again", async () => {
  await using database = await testDatabase({ isEmpty: true });
  await using link = faultyLink(database.sql);
  for (let round = 0; round < 3; round++) {
    const results = Promise.allSettled([
      ...Array.from({ length: 20 }, () => link.sql`select pg_sleep(0.02)`),
      link.sql.begin(async (tx) => {
        await tx`select 1`;
        await tx`select pg_sleep(0.02)`;
      }),
    ]);
    await link.sql`select 1`.catch(() => {});
    link.cut();
    await results;
    await waitFor("the pool to heal", () => works(link.sql));
  }
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => link.sql`select ${i}::int as i`),
  );
  assert.deepEqual(answers.map(([row]) => row), answers.map((_, i) => ({ i })));
});

if (databaseKind === "embedded") {
  Deno.test("the embedded database keeps what was written until it is opened again", async () => {
    await using dir = await tempDir();
    await copyTemplate(dir.join("postgres"));
    const config = readConfig({ SERVICE_DATA_DIR: dir.path });

    const first = await openDatabase(config, silentLogger);
    await first.sql`create table things (name text)`;
    await first.sql`insert into things values ('kept')`;
    await first.close();
    const second = await openDatabase(config, silentLogger);
    const rows = [...await second.sql`select name from things`];
    await second.close();

    assert.deepEqual(rows, [{ name: "kept" }]);
  });
}

if (databaseKind === "server") {
  const serverUrl = new URL(Deno.env.get("TEST_DATABASE_URL") ?? "");

  Deno.test("a server that comes up late is waited for", async () => {
    const { log, lines } = logLines();
    const port = freePort();
    const late = new URL(serverUrl);
    late.host = `127.0.0.1:${port}`;
    const opening = openDatabase(readConfig({ DATABASE_URL: late.href }), log);
    await waitFor("the first attempt", () => lines[0]);

    await using _proxy = forward(port, serverUrl);
    const database = await opening;
    const [row] = await database.sql`select 1 as one`;
    await database.close();

    assert.deepEqual(row, { one: 1 });
    // That of tests may be set to lose commits.
    const messages = lines.map(({ message }) => message)
      .filter((message) => !message.includes("newest commits"));
    assert.deepEqual(messages, [
      `waiting for Postgres at 127.0.0.1:${port}${serverUrl.pathname} (DATABASE_URL)`,
    ]);
  });

  Deno.test("a server that refuses us stops the start at once, without telling the password", async () => {
    const url = new URL(serverUrl);
    url.password = "very-secret";
    url.pathname = "/no_such_database";
    await assert.rejects(
      openDatabase(readConfig({ DATABASE_URL: url.href }), silentLogger),
      {
        name: "ConfigError",
        message: `Cannot start: Postgres at ${url.host}/no_such_database (DATABASE_URL) ` +
          'cannot be used: database "no_such_database" does not exist',
      },
    );
  });

  Deno.test("a server that is set to lose commits is pointed out", async () => {
    await using database = await testDatabase({ isEmpty: true });
    const { log, lines } = logLines();
    const name = database.sql.options.database;
    await database.sql.unsafe(`alter database ${name} set synchronous_commit = off`);
    const [set] = await database.sql<{ fsync: string }[]>`show fsync`;
    const url = new URL(serverUrl);
    url.pathname = `/${name}`;

    const opened = await openDatabase(readConfig({ DATABASE_URL: url.href }), log);
    await opened.close();

    assert.deepEqual(lines, [{
      level: "warn",
      message: "Postgres is set to lose the newest commits in a crash",
      fields: { ...set, synchronousCommit: "off" },
    }]);
  });
}

/** A port that leads to the server. */
function forward(port: number, { hostname, port: serverPort }: URL): AsyncDisposable {
  const listener = Deno.listen({ hostname: "127.0.0.1", port });
  const connections: Promise<void>[] = [];
  const accepting = (async () => {
    for await (const client of listener) connections.push(serve(client));
  })();
  async function serve(client: Deno.TcpConn): Promise<void> {
    const server = await Deno.connect({ hostname, port: Number(serverPort) });
    await Promise.allSettled([
      client.readable.pipeTo(server.writable),
      server.readable.pipeTo(client.writable),
    ]);
  }
  return {
    async [Symbol.asyncDispose]() {
      listener.close();
      await accepting;
      await Promise.all(connections);
    },
  };
}
