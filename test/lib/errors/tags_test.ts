import assert from "node:assert/strict";
import type { Sql } from "@/lib/store/database.ts";
import type { ErrorEvent } from "@/lib/records/mod.ts";
import { tagDistribution, tagKeys, tagValues } from "@/lib/errors/tags.ts";
import { environmentsOf, releasesOf } from "@/lib/store/stats/series_names.ts";
import { errorEvent } from "../../support/error_event.ts";
import { testDatabase } from "../../support/database.ts";
import { testWriter } from "../../support/writer.ts";

const DAY_MS = 86_400_000;
const SCOPE = {
  environments: [],
  releases: [],
  start: new Date(Date.now() - 5 * DAY_MS),
  end: new Date(Date.now() + DAY_MS),
};

async function store(sql: Sql, projectId: string, ...events: ErrorEvent[]): Promise<void> {
  await using writer = testWriter(sql);
  await writer.store(projectId, ...events);
}

async function issueId(sql: Sql): Promise<string> {
  const [row] = await sql<{ id: string }[]>`select id from issues order by id limit 1`;
  return row?.id ?? "";
}

Deno.test("tagDistribution() counts the values of each tag over an issue's events in scope", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const tagged = (os: string, environment = "production", agoMs = 0) =>
    errorEvent({
      tags: [["os", os]],
      environment,
      timestamp: new Date(Date.now() - agoMs),
    });
  await store(
    sql,
    "1",
    tagged("Linux"),
    tagged("macOS"),
    tagged("Linux", "staging"),
    errorEvent({ tags: [["plan", "team"]] }),
    tagged("Windows", "production", 9 * DAY_MS),
    errorEvent({ group: "other", tags: [["os", "Haiku"]] }),
  );
  const id = await issueId(sql);

  assert.deepEqual(await tagDistribution(sql, "1", id, SCOPE), [
    { key: "os", total: 3, values: [{ value: "Linux", count: 2 }, { value: "macOS", count: 1 }] },
    { key: "plan", total: 1, values: [{ value: "team", count: 1 }] },
  ]);
  const staging = { ...SCOPE, environments: ["staging"] };
  assert.deepEqual(await tagDistribution(sql, "1", id, staging), [
    { key: "os", total: 1, values: [{ value: "Linux", count: 1 }] },
  ]);
  assert.deepEqual(await tagDistribution(sql, "2", id, SCOPE), []);
});

Deno.test("tagKeys() and tagValues() complete what a project's events carry", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const old = new Date(Date.now() - 3 * DAY_MS);
  await store(
    sql,
    "1",
    errorEvent({ tags: [["os", "Linux"]], timestamp: old }),
    errorEvent({ tags: [["os", "Linux_2"], ["plan", "100%"]] }),
    errorEvent({ group: "b", tags: [["os", "Windows"]] }),
  );
  await store(sql, "2", errorEvent({ tags: [["secret", "x"]] }));

  assert.deepEqual(await tagKeys(sql, "1"), ["environment", "os", "plan", "release"]);
  assert.deepEqual(await tagValues(sql, "1", "os", "Li"), ["Linux_2", "Linux"]);
  assert.deepEqual(await tagValues(sql, "1", "os", "Linux_"), ["Linux_2"]);
  assert.deepEqual(await tagValues(sql, "1", "plan", "100%"), ["100%"]);
  assert.deepEqual(await tagValues(sql, "1", "secret", ""), []);
  assert.deepEqual(await tagValues(sql, "1", "o\0s", "\0Win"), ["Windows"]);
});

Deno.test("environmentsOf() and releasesOf() name what a project's events named", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const from = (environment: string, release: string, days: number) =>
    errorEvent({ environment, release, timestamp: new Date(Date.now() - days * DAY_MS) });
  await store(
    sql,
    "1",
    from("production", "1.0", 5),
    from("production", "1.1", 1),
    from("development", "", 0),
    from("", "0.9", 20),
  );
  await store(sql, "2", from("other", "9", 0));

  assert.deepEqual(await environmentsOf(sql, "1"), ["development", "production"]);
  assert.deepEqual(await releasesOf(sql, "1"), ["1.1", "1.0", "0.9"]);
});
