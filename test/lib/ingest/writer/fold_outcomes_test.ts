import assert from "node:assert/strict";
import type { Sql } from "@/lib/store/database.ts";
import { outcomesOf, usageRows } from "@/lib/usage/counts.ts";
import type { Outcome } from "@/lib/records/mod.ts";
import { foldOutcomes, Tallies } from "@/lib/ingest/writer/counts.ts";
import { ofProject } from "@/lib/store/sharding.ts";
import { databaseKind, testDatabase } from "@/test/support/database.ts";
import { transactionRecord } from "@/test/support/records.ts";
import { waitFor } from "@/test/support/wait_for.ts";
import { testWriter } from "@/test/support/writer.ts";

/** Of `fold_outcomes.ts`. */
const OUTCOME_FOLD_LOCK = 7_310_577_004;
const NOVEMBER = { start: new Date("2026-11-01"), end: new Date("2026-12-01") };

/** How many items stand in each table. @param projectId of one project: Citus reads those of all at several moments */
async function placesOf(sql: Sql, projectId: string | null = null) {
  const of = ofProject(sql, projectId);
  const [row] = await sql`
    select
      (select coalesce(sum(quantity), 0)::int from outcome_journal where true ${of}) as journal,
      (select coalesce(sum(quantity), 0)::int from outcome_hours where true ${of}) as hours,
      (select coalesce(sum(quantity), 0)::int from outcome_days where true ${of}) as days
  `;
  return { ...row };
}

function invalid(quantity: number): Outcome {
  return { category: "error", kind: "invalid", reason: "no_json", quantity };
}

Deno.test("what commits append is counted at once, and the same when it is folded", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  // As a commit does, but without a writer, which folds as soon as a machine is slow.
  const send = async (at: string, quantity: number) => {
    const tallies = new Tallies();
    tallies.outcomes.add("1", invalid(quantity), Date.parse(at));
    await sql.begin((tx) => tallies.save(tx));
  };
  const read = async () => ({
    hours: (await outcomesOf(sql, "1", NOVEMBER)).map(({ hour, quantity }) => [
      hour.toISOString(),
      quantity,
    ]),
    days: (await usageRows(sql, ["1"], NOVEMBER)).map(({ day, quantity }) => [day, quantity]),
  });
  await send("2026-11-21T10:59:59.999Z", 1);
  await send("2026-11-21T11:00:00Z", 2);
  await foldOutcomes(sql);
  await send("2026-11-21T11:30:00Z", 4);
  await send("2026-11-22T00:00:00Z", 8);
  assert.deepEqual(await placesOf(sql), { journal: 12, hours: 3, days: 3 });
  const expected = {
    hours: [["2026-11-21T10:00:00.000Z", 1], ["2026-11-21T11:00:00.000Z", 6], [
      "2026-11-22T00:00:00.000Z",
      8,
    ]],
    days: [["2026-11-21", 7], ["2026-11-22", 8]],
  };
  assert.deepEqual(await read(), expected);
  await foldOutcomes(sql);
  assert.deepEqual(await placesOf(sql), { journal: 0, hours: 15, days: 15 });
  assert.deepEqual(await read(), expected);
});

Deno.test("outcomes are folded soon by themselves, and when the writer closes", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  {
    await using writer = testWriter(sql);
    await writer.commit("1", { records: [], outcomes: [invalid(1)] });
    await waitFor("the fold", async () => (await placesOf(sql)).hours === 1 || undefined);
    await writer.commit("1", { records: [], outcomes: [invalid(1)] });
  }
  assert.deepEqual(await placesOf(sql), { journal: 0, hours: 2, days: 2 });
});

Deno.test("folding beside writers and other folders loses and doubles nothing", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  {
    await using one = testWriter(sql);
    await using other = testWriter(sql);
    const send = async (writer: typeof one) => {
      for (let round = 0; round < 12; round++) {
        await writer.commit("1", { records: [transactionRecord()], outcomes: [invalid(1)] });
        await Promise.all([foldOutcomes(sql), foldOutcomes(sql)]);
        const { hours, days } = await placesOf(sql, "1");
        assert.equal(hours, days);
      }
    };
    await Promise.all([send(one), send(other)]);
  }
  assert.deepEqual(await placesOf(sql), { journal: 0, hours: 48, days: 48 });
});

Deno.test("more than one transaction takes is folded in several", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await sql`
    insert into outcome_journal (project_id, hour, category, kind, reason, quantity)
    select number % 3 + 1, date_trunc('hour', now()), 'error', 'accepted', '', 1
    from generate_series(1, 25000) as number
  `;
  await foldOutcomes(sql);
  assert.deepEqual(await placesOf(sql), { journal: 0, hours: 25_000, days: 25_000 });
});

Deno.test({
  name: "nobody waits for somebody else who folds",
  // The embedded one has a single session, which an open transaction keeps to itself.
  ignore: databaseKind !== "server",
  async fn() {
    await using database = await testDatabase();
    const { sql } = database;
    await using writer = testWriter(sql);
    await writer.commit("1", { records: [], outcomes: [invalid(1)] });
    await sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(${OUTCOME_FOLD_LOCK})`;
      await foldOutcomes(sql);
      assert.deepEqual(await placesOf(sql), { journal: 1, hours: 0, days: 0 });
    });
  },
});
