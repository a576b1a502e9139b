import assert from "node:assert/strict";
import { readFolded } from "@/lib/store/stats/series_names.ts";
import { readStats } from "@/lib/store/stats/read_stats.ts";
import { foldStats } from "@/lib/store/stats/fold_stats.ts";
import { NameCaps, OTHER_TRANSACTIONS } from "@/lib/store/stats/name_caps.ts";
import { testDatabase } from "@/test/support/database.ts";
import { transactionRecord } from "@/test/support/records.ts";
import { testWriter } from "@/test/support/writer.ts";

const caps = { transaction: 2, span: 1, caller: 1 };
const HOUR_MS = 3_600_000;

Deno.test("names beyond the cap of an hour are not admitted, known ones always are", async () => {
  await using database = await testDatabase();
  const names = new NameCaps(database.sql, caps);
  await names.ready("1");
  const admitted = ["a", "b", "c", "a"].map((name) => names.admit("1", "transaction", name));
  assert.deepEqual(admitted, [true, true, false, true]);
  await names.ready("2");
  assert.equal(names.admit("2", "transaction", "c"), true, "another project has its own cap");
  await names.ready("1", Date.now() + HOUR_MS);
  assert.equal(names.admit("1", "transaction", "c"), true, "the next hour begins anew");
});

Deno.test("a process that starts knows the names of the hour", async () => {
  await using database = await testDatabase();
  await using writer = testWriter(database.sql);
  await writer.store("1", transactionRecord({ name: "a" }), transactionRecord({ name: "b" }));
  const names = new NameCaps(database.sql, caps);
  await names.ready("1");
  assert.deepEqual(
    ["c", "a", "b"].map((name) => names.admit("1", "transaction", name)),
    [false, true, true],
  );
});

Deno.test("transactions beyond the cap get the common name, and what they were called is told", async () => {
  await using database = await testDatabase();
  await using writer = testWriter(database.sql);
  await writer.store(
    "1",
    ...Array.from({ length: 2_050 }, (_, i) => transactionRecord({ name: `/user/${i}` })),
  );
  // So many take longer than whoever reads waits.
  await foldStats(database.sql);
  const scope = {
    projectId: "1",
    environments: [],
    releases: [],
    services: [],
    start: new Date(Date.now() - HOUR_MS),
    end: new Date(Date.now() + 60_000),
  };
  const named = await readStats(database.sql, { ...scope, kind: "transaction" }, ["name"]);
  assert.equal(named.length, 2_001);
  assert.equal(named.find(({ name }) => name === OTHER_TRANSACTIONS)?.count, 50);
  const folded = await readFolded(database.sql, "1", scope);
  assert.deepEqual([folded?.transactions, folded?.names], [50, 50]);
  assert.match(folded?.example ?? "", /^\/user\/20\d\d$/);
  assert.equal(await readFolded(database.sql, "2", scope), null);
});
