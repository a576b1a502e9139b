import assert from "node:assert/strict";
import type { Sql } from "@/lib/store/database.ts";
import { readStats } from "@/lib/store/stats/read_stats.ts";
import { foldForReading, foldStats } from "@/lib/store/stats/fold_stats.ts";
import { seriesOf } from "@/lib/store/stats/series.ts";
import { Sketch } from "@/lib/store/stats/sketch.ts";
import { idOf } from "@/lib/store/stats/stat_tally.ts";
import { packText } from "@/lib/store/values.ts";
import { databaseKind, testDatabase } from "@/test/support/database.ts";
import { transactionRecord } from "@/test/support/records.ts";
import { waitFor } from "@/test/support/wait_for.ts";
import { testWriter } from "@/test/support/writer.ts";

const pendingIn = async (sql: Sql) => {
  const [row] = await sql<{ count: number }[]>`select count(*)::int as count from stat_journal`;
  return row?.count;
};
const storedIn = async (sql: Sql) => {
  const [row] = await sql<{ count: number | null }[]>`
    select sum(count)::int as count from stat_hours where kind = 1
  `;
  return row?.count;
};

/** Of `fold_stats.ts`. */
const FOLD_LOCK = 7_310_577_003;

Deno.test("a commit leaves what it counted in the journal, and folding adds each entry once", async () => {
  await using database = await testDatabase();
  await using writer = testWriter(database.sql);
  const { sql } = database;
  await writer.store("1", transactionRecord(), transactionRecord());
  await writer.store("1", transactionRecord());
  assert.deepEqual([await pendingIn(sql), await storedIn(sql)], [2, null]);
  await Promise.all([foldStats(sql), foldStats(sql), foldStats(sql)]);
  await foldStats(sql);
  assert.deepEqual([await pendingIn(sql), await storedIn(sql)], [0, 3]);
});

Deno.test("entries that an earlier version left are added with those of this one", async () => {
  await using database = await testDatabase();
  await using writer = testWriter(database.sql);
  const { sql } = database;
  const transaction = transactionRecord({ user: "id:7" });
  await writer.store("1", transaction);
  const series = seriesOf({ kind: "total", environment: "production", release: "", service: "" });
  const sketch = new Sketch();
  sketch.add(120, 2);
  const entry = {
    counts: [{
      series: { kind: "total", environment: "production", release: "", service: "" },
      seriesId: idOf(series),
      minute: Math.floor(transaction.timestamp.getTime() / 60_000) * 60_000,
      ...{ count: 2, failures: 1, weight: 2, sum: 240, statuses: [1, 0, 0, 1] },
      sketch: sketch.toBytes().toHex(),
      users: "",
      traceId: transaction.traceId,
    }],
    folded: [],
  };
  await sql`
    insert into stat_journal (project_id, entry_id, entry)
    values (1, gen_random_uuid(), decode(${packText(JSON.stringify(entry))}, 'hex'))
  `;
  await foldStats(sql);
  const [total] = await readStats(sql, {
    projectId: "1",
    kind: "total",
    environments: [],
    releases: [],
    services: [],
    start: new Date(Date.now() - 3_600_000),
    end: new Date(Date.now() + 60_000),
  }, []);
  assert.equal(total?.count, 3);
  assert.equal(total?.failures, 1);
  assert.equal(total?.sketch.count, 3);
  assert.equal(total?.users, 1);
});

Deno.test("whoever reads counts sees all that was committed before", async () => {
  await using database = await testDatabase();
  await using writer = testWriter(database.sql);
  const read = async () => {
    const [total] = await readStats(database.sql, {
      projectId: "1",
      kind: "total",
      environments: [],
      releases: [],
      services: [],
      start: new Date(Date.now() - 3_600_000),
      end: new Date(Date.now() + 60_000),
    }, []);
    return total?.count;
  };
  for (let round = 1; round <= 5; round++) {
    await writer.store("1", transactionRecord());
    assert.deepEqual(await Promise.all([read(), read()]), [round, round]);
  }
});

Deno.test("counts are added soon by themselves, and when the writer closes", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  {
    await using writer = testWriter(sql);
    await writer.store("1", transactionRecord());
    await waitFor("the counts", async () => (await storedIn(sql)) === 1 || undefined);
    await writer.store("1", transactionRecord());
  }
  assert.deepEqual([await pendingIn(sql), await storedIn(sql)], [0, 2]);
});

Deno.test("writers that commit side by side while others fold lose and double nothing", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using one = testWriter(sql);
  await using other = testWriter(sql);
  const send = async (writer: typeof one, name: string) => {
    for (let round = 0; round < 15; round++) {
      await writer.store("1", transactionRecord({ name }), transactionRecord());
      if (round % 3 === 0) await foldStats(sql);
    }
  };
  await Promise.all([send(one, "a"), send(other, "b"), send(one, "c")]);
  await foldStats(sql);
  assert.deepEqual([await pendingIn(sql), await storedIn(sql)], [0, 90]);
});

Deno.test("whoever reads waits a moment at most while another process folds, once a second", {
  // The embedded one has a single session: nobody else can fold.
  ignore: databaseKind === "embedded",
}, async () => {
  await using database = await testDatabase();
  await using writer = testWriter(database.sql);
  const { sql } = database;
  const beside = database.connect();
  await inOneOfSome(async (round) => {
    await writer.store("1", transactionRecord());
    const [locked, read] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const other = beside.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(${FOLD_LOCK})`;
      locked.resolve();
      await read.promise;
    });
    await locked.promise;
    const first = await millisecondsOf(foldForReading(sql));
    const second = await millisecondsOf(foldForReading(sql));
    read.resolve();
    await other;
    await foldStats(sql);
    assert.deepEqual([await pendingIn(sql), await storedIn(sql)], [0, round]);
    return { isFine: first >= 90 && first < 400 && second < 50, seen: [first, second] };
  });
});

Deno.test("whoever reads sees what another process was folding meanwhile, when that is quick", {
  ignore: databaseKind === "embedded",
}, async () => {
  await using database = await testDatabase();
  await using writer = testWriter(database.sql);
  const { sql } = database;
  const beside = database.connect();
  await inOneOfSome(async (round) => {
    await writer.store("1", transactionRecord());
    const locked = Promise.withResolvers<void>();
    const other = beside.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(${FOLD_LOCK})`;
      locked.resolve();
      await new Promise((resolve) => setTimeout(resolve, 30));
    });
    await locked.promise;
    await foldForReading(sql);
    const seen = [await pendingIn(sql), await storedIn(sql)];
    await other;
    return { isFine: seen[0] === 0 && seen[1] === round, seen };
  });
});

/** A reader who has waited in vain does not wait again before. */
const BEHIND_MS = 1_000;
const ROUNDS = 5;

/** Whatever takes too long for a moment because the machine has other work is seen in time by and by, a fault is not. */
async function inOneOfSome(
  look: (round: number) => Promise<{ readonly isFine: boolean; readonly seen: unknown }>,
): Promise<void> {
  const all: unknown[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    const { isFine, seen } = await look(round);
    if (isFine) return;
    all.push(seen);
    await new Promise((resolve) => setTimeout(resolve, BEHIND_MS));
  }
  assert.fail(JSON.stringify(all));
}

Deno.test("whoever reads does without the newest counts when they cannot be folded", async () => {
  await using database = await testDatabase();
  await using writer = testWriter(database.sql);
  const { sql } = database;
  await writer.store("1", transactionRecord());
  const [bad] = await sql<{ entry_id: string }[]>`
    insert into stat_journal values (1, gen_random_uuid(), '\\x00') returning entry_id
  `;
  await foldForReading(sql);
  await assert.rejects(foldStats(sql));
  await sql`delete from stat_journal where entry_id = ${bad?.entry_id ?? ""}`;
  await foldForReading(sql);
  assert.deepEqual([await pendingIn(sql), await storedIn(sql)], [0, 1]);
});

async function millisecondsOf(work: Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work;
  return performance.now() - began;
}
