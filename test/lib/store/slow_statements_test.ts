import assert from "node:assert/strict";
import { inScope } from "@/lib/core/request_scope.ts";
import { HOUR_MS } from "@/lib/core/time.ts";
import { noteStatement, SLOW_MS, slowStatements, worstOf } from "@/lib/store/slow_statements.ts";
import { testDatabase } from "../../support/database.ts";

const asker = {
  kind: "nobody",
  id: null,
  label: "",
  address: null,
  userAgent: null,
  requestId: null,
} as const;

Deno.test("a statement that takes more than a second is kept with its page and without its values", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const scope = {
    language: "en",
    timeZone: "UTC",
    asker,
    route: "/projects/:project/issues",
  } as const;
  await inScope(scope, async () => {
    await sql`select ${"a secret"}::text, pg_sleep(0)`;
    await sql`select ${"a secret"}::text as value, pg_sleep(1.1)`;
    await sql.begin(async (tx) => {
      await tx`select ${sql`${7}::int`} as inside, pg_sleep(1.1)`;
    });
    await assert.rejects(sql`select pg_sleep(1.1), 1 / (random() * ${0}::int)::int as broken`);
  });
  // Making the database may have been slow as well.
  const found = slowStatements().filter(({ route }) => route !== "")
    .map(({ text, route }) => `${route} ${text}`).sort();
  assert.deepEqual(found, [
    "/projects/:project/issues select $1::int as inside, pg_sleep(1.1)",
    "/projects/:project/issues select $1::text as value, pg_sleep(1.1)",
    "/projects/:project/issues select pg_sleep(1.1), 1 / (random() * $1::int)::int as broken",
  ]);
  assert.ok(slowStatements().every(({ ms }) => ms >= SLOW_MS));
});

Deno.test("of what is slow again and again the slowest is kept, for an hour, and twenty at most", () => {
  const now = Date.now();
  const one = (text: string, ms: number, at = now) => ({ text, route: "", ms, at });
  const kept = worstOf([one("a", 2_000), one("a", 3_000), one("b", 9_000, now - HOUR_MS)], now);
  assert.deepEqual(kept, [one("a", 3_000)]);
  const many = Array.from({ length: 30 }, (_, n) => one(`s${n}`, 1_000 + n));
  assert.deepEqual(worstOf(many, now).map(({ text }) => text).slice(0, 2), ["s29", "s28"]);
  assert.equal(worstOf(many, now).length, 20);
  noteStatement("select 1", "", SLOW_MS - 1, now);
  assert.ok(slowStatements(now).every(({ text }) => text !== "select 1"));
});
