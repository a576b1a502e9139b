import assert from "node:assert/strict";
import { checkStores } from "@/lib/server/health.ts";
import { openFolder } from "@/lib/store/objects/open.ts";
import { faultyLink } from "../../support/faulty_link.ts";
import { testDatabase, testKv, testObjects } from "../../support/stores.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { timeBudget } from "../../support/time_budget.ts";

Deno.test("all is well when all three stores answer", async () => {
  await using kv = await testKv();
  await using database = await testDatabase({ isEmpty: true });
  await using objects = await testObjects();

  assert.deepEqual(await checkStores({ ...kv, ...database, ...objects }), { ok: true });
});

Deno.test("each store that fails is named", async () => {
  await using kv = await testKv();
  await using database = await testDatabase({ isEmpty: true });
  await using dir = await tempDir();
  const closedKv = await Deno.openKv(dir.join("kv.sqlite3"));
  closedKv.close();
  const closedSql = database.connect();
  await closedSql.end();
  const gone = await openFolder(dir.join("blobs"));
  await Deno.remove(dir.join("blobs"), { recursive: true });

  assert.deepEqual(
    await checkStores({ kv: kv.kv, sql: database.sql, objects: gone }),
    { ok: false, failing: ["objects"] },
  );
  assert.deepEqual(
    await checkStores({ kv: closedKv, sql: closedSql, objects: gone }),
    { ok: false, failing: ["kv", "postgres", "objects"] },
  );
});

Deno.test("a store that does not answer counts as failing after two seconds", async () => {
  await using kv = await testKv();
  await using database = await testDatabase({ isEmpty: true });
  await using objects = await testObjects();
  await using link = faultyLink(database.sql);
  link.pause();

  const began = performance.now();
  const health = await checkStores({ ...kv, sql: link.sql, ...objects });

  assert.deepEqual(health, { ok: false, failing: ["postgres"] });
  assert.ok(performance.now() - began < timeBudget(3_000));
});
