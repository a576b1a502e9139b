import assert from "node:assert/strict";
import { connectServer, type Sql } from "@/lib/store/database.ts";
import { databaseKind, testDatabase } from "../../support/database.ts";
import { faultyLink } from "../../support/faulty_link.ts";
import { timeBudget } from "../../support/time_budget.ts";
import { waitFor } from "../../support/wait_for.ts";

/** Twenty answers at once. The last break may be noticed only now, and fail queries once more. */
function answers(sql: Sql): Promise<number[]> {
  return waitFor("answers", async () => {
    const queries = Array.from(
      { length: 20 },
      (_, i) => sql<{ i: number }[]>`select ${i}::int as i`,
    );
    const results = await Promise.allSettled(queries);
    if (results.some(({ status }) => status === "rejected")) return null;
    return results.flatMap((result) =>
      result.status === "fulfilled" ? result.value.map(({ i }) => i) : []
    );
  });
}

Deno.test("a connection that breaks fails its queries, and the pool works on", async () => {
  await using database = await testDatabase({ isEmpty: true });
  await using link = faultyLink(database.sql);
  const { sql } = link;
  const big = "x".repeat(5_000);
  let failed = 0;

  for (let round = 0; round < 30; round++) {
    const cuts = [
      sql.begin(async (tx) => {
        await tx`select 1`;
        link.cut();
        await tx`select 2`;
      }),
      sql.begin(async (tx) => await Promise.all([tx`select 1`, tx`select ${big}`, tx`select 2`])),
      sql`select ${big}::text`,
    ];
    const results = await Promise.allSettled(cuts);
    failed += results.filter(({ status }) => status === "rejected").length;
  }

  assert.ok(failed >= 30, `${failed} failed`);
  assert.deepEqual(await answers(sql), Array.from({ length: 20 }, (_, i) => i));
});

Deno.test("a connection that breaks while it is made fails its query", async () => {
  await using database = await testDatabase({ isEmpty: true });
  await using link = faultyLink(database.sql);
  const { sql } = link;

  for (let round = 0; round < 30; round++) {
    const queries = Array.from({ length: 4 }, () => sql`select 1`.then(() => true, () => false));
    for (let i = 0; i < round % 5; i++) await new Promise((resolve) => setTimeout(resolve));
    link.cut();
    await Promise.all(queries);
  }

  assert.deepEqual(await answers(sql), Array.from({ length: 20 }, (_, i) => i));
});

Deno.test("queries that wait behind connections that break go on, however busy the machine is then", async () => {
  await using database = await testDatabase({ isEmpty: true });
  await using link = faultyLink(database.sql);
  const { sql } = link;
  await Promise.all(Array.from({ length: 12 }, () => sql`select 1`));
  const broken = Array.from({ length: sql.options.max }, () =>
    sql.begin(async (tx) => {
      await tx`select 1`;
      link.cut();
      await tx`select 2`.catch((error: unknown) => {
        // All that is due happens late, and then at once.
        const until = performance.now() + 40;
        while (performance.now() < until);
        throw error;
      });
    }));
  const waiting = broken.map((_, i) => sql<{ i: number }[]>`select ${i}::int as i`);
  const began = performance.now();

  const results = await Promise.allSettled(broken);
  const answered = (await Promise.all(waiting)).map(([row]) => row?.i);

  assert.deepEqual(answered, broken.map((_, i) => i));
  assert.ok(results.every(({ status }) => status === "rejected"));
  assert.ok(performance.now() - began < timeBudget(5_000));
});

Deno.test({
  name: "a connection that Postgres refuses fails its query, and those that it has taken go on",
  // The embedded one has nobody to refuse.
  ignore: databaseKind === "embedded",
}, async () => {
  await using database = await testDatabase({ isEmpty: true });
  const { host, port, database: name } = database.sql.options;
  const role = `limited_${crypto.randomUUID().replaceAll("-", "")}`;
  await database.sql.unsafe(`create role ${role} login connection limit 2`);
  const sql = connectServer(`postgres://${role}@${host[0]}:${port[0]}/${name}`);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();

  const taken = [1, 2].map(() => Promise.withResolvers<void>());
  const held = taken.map(({ resolve }) =>
    sql.begin(async (tx) => {
      await tx`select 1`;
      resolve();
      await released;
    })
  );
  await Promise.all(taken.map(({ promise }) => promise));
  await assert.rejects(sql`select 2`, { code: "53300" });
  release();
  await Promise.all(held);

  assert.deepEqual([...await sql`select 3 as i`], [{ i: 3 }]);
  await sql.end();
  await database.sql.unsafe(`drop role ${role}`);
});

Deno.test("a pool whose connection breaks while it ends is not made anew", async () => {
  await using database = await testDatabase({ isEmpty: true });
  await using link = faultyLink(database.sql);
  const { sql } = link;
  await sql`select 1`;
  link.pause();
  const query = sql`select 2`.then(() => "answered", () => "failed");
  await new Promise((resolve) => setTimeout(resolve));

  const ended = sql.end({ timeout: 0.1 });
  link.cut();
  await ended;
  link.resume();

  assert.equal(await query, "failed");
  await assert.rejects(sql`select 3`, { code: "CONNECTION_ENDED" });
});

Deno.test("a pool that ends right after a break leaves no timer of it", async () => {
  await using database = await testDatabase({ isEmpty: true });
  await using link = faultyLink(database.sql);
  const { sql } = link;
  await sql`select 1`;
  link.pause();
  const failed = assert.rejects(sql`select 2`, { code: "CONNECTION_CLOSED" });
  await new Promise((resolve) => setTimeout(resolve));
  link.cut();
  await failed;
  await sql.end({ timeout: 0 });
});

/** Somebody at the other end, who answers what comes first, and closes then or stays silent. */
function someone(sslMode: string, answer: string, closes: boolean) {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  const connections: Deno.Conn[] = [];
  const accepting = (async () => {
    for await (const connection of listener) {
      connections.push(connection);
      await connection.read(new Uint8Array(64));
      await connection.write(new TextEncoder().encode(answer));
      if (closes) connections.pop()?.close();
      resolve();
    }
  })();
  const { port } = listener.addr;
  return {
    url: `postgres://ann@127.0.0.1:${port}/shop?sslmode=${sslMode}`,
    asked,
    async [Symbol.asyncDispose]() {
      listener.close();
      for (const connection of connections) connection.close();
      await accepting;
    },
  };
}

for (const [sslMode, answer] of [["disable", ""], ["require", ""], ["require", "S"]] as const) {
  Deno.test(`a pool that ends while it connects has let go of who says no more (sslmode=${sslMode}, ${answer})`, async () => {
    await using other = someone(sslMode, answer, false);
    const sql = connectServer(other.url);
    const failed = assert.rejects(sql`select 1`, { code: "CONNECTION_DESTROYED" });
    await other.asked;
    // The sanitizers blame this test for whatever is left then.
    await sql.end({ timeout: 0 });
    await failed;
  });

  Deno.test(`queries whose connections are closed while they are made fail, each of them (sslmode=${sslMode}, ${answer})`, async () => {
    await using other = someone(sslMode, answer, true);
    const sql = connectServer(other.url, { max: 1 });
    for (let tried = 0; tried < 3; tried++) await assert.rejects(sql`select 1`);
    await sql.end();
  });
}
