import assert from "node:assert/strict";
import {
  deleteRelease,
  ensureRelease,
  findRelease,
  newestRelease,
  releaseExists,
} from "@/lib/releases/releases.ts";
import { testDatabase } from "../../support/database.ts";
import { errorEvent } from "../../support/error_event.ts";
import { sessionRecord } from "../../support/records.ts";
import { testWriter } from "../../support/writer.ts";

Deno.test("events and sessions that name a release make it, with the hours they were in", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const at = (time: string) => new Date(`2026-11-20T${time}Z`);
  await writer.store("1", errorEvent({ release: "shop@1.2.0", timestamp: at("13:45:10") }));
  await writer.store("1", errorEvent({ release: "shop@1.2.0", timestamp: at("11:05:00") }));
  await writer.store("1", sessionRecord({ release: "shop@1.2.0", timestamp: at("15:00:00") }));
  const release = await findRelease(sql, "1", "shop@1.2.0");
  assert.deepEqual(
    [release?.madeBy, release?.firstEvent?.toISOString(), release?.lastEvent?.toISOString()],
    ["event", "2026-11-20T11:00:00.000Z", "2026-11-20T15:00:00.000Z"],
  );
  assert.equal(await releaseExists(sql, "2", "shop@1.2.0"), false);
});

Deno.test("a release was first heard of when the first of a write named it, not at the start of its hour", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const named = (seconds: number) =>
    errorEvent({
      release: "shop@1.3.0",
      timestamp: new Date(Date.UTC(2026, 10, 20, 17, 25, seconds)),
    });
  await writer.store("1", named(40), named(10));
  await writer.store("1", named(50));
  const release = await findRelease(sql, "1", "shop@1.3.0");
  assert.equal(release?.createdAt.toISOString(), "2026-11-20T17:25:10.000Z");
  assert.equal(release.firstEvent?.toISOString(), "2026-11-20T17:00:00.000Z");
});

Deno.test("steady traffic of a release does not write its row again within an hour", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const timestamp = new Date("2026-11-20T13:45:10Z");
  const version = async () => {
    const [row] = await sql`select xmin::text as xmin from releases where project_id = 1`;
    return row?.xmin;
  };
  await writer.store("1", errorEvent({ release: "a", timestamp }));
  const before = await version();
  await writer.store("1", errorEvent({ release: "a", timestamp: new Date(+timestamp + 60_000) }));
  assert.equal(await version(), before);
});

Deno.test("a release that an event made becomes a tool's, and stays it", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  await writer.store("1", errorEvent({ release: "1.0" }));
  assert.equal(await ensureRelease(sql, "1", "1.0", { url: "https://acme.example" }), false);
  await writer.store(
    "1",
    errorEvent({ release: "1.0", timestamp: new Date(Date.now() - 86_400_000) }),
  );
  const release = await findRelease(sql, "1", "1.0");
  assert.deepEqual([release?.madeBy, release?.url], ["tool", "https://acme.example"]);
  await deleteRelease(sql, "1", "1.0");
  assert.equal(await findRelease(sql, "1", "1.0"), null);
});

const NEWEST: [says: string, names: string[], newest: string | null][] = [
  ["there is none", [], null],
  ["versions: the highest, not the last", ["shop@1.10.0", "shop@1.9.1"], "shop@1.10.0"],
  ["bare versions as well", ["2.0", "1.0"], "2.0"],
  ["names of commits: the last", ["aaaaaaaaaaaa", "0bbbbbbbbbbb"], "0bbbbbbbbbbb"],
  ["a change to names of commits: the last", ["shop@1.0", "0bbbbbbbbbbb"], "0bbbbbbbbbbb"],
];
for (const [says, names, newest] of NEWEST) {
  Deno.test(`the newest release, ${says}`, async () => {
    await using database = await testDatabase();
    for (const name of names) await ensureRelease(database.sql, "1", name);
    assert.equal((await newestRelease(database.sql, "1"))?.version ?? null, newest);
  });
}

Deno.test("a version far above all others counts when a tool made it, and not when an event did", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  await writer.store("1", errorEvent({ release: "shop@999.9.9" }));
  await ensureRelease(sql, "1", "shop@1.4.0");
  assert.equal((await newestRelease(sql, "1"))?.version, "shop@1.4.0");
  await ensureRelease(sql, "1", "shop@999.9.9");
  assert.equal((await newestRelease(sql, "1"))?.version, "shop@999.9.9");
});
