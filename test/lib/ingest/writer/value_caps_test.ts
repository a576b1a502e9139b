import assert from "node:assert/strict";
import { OTHER_ENVIRONMENTS, OTHER_RELEASES, ValueCaps } from "@/lib/ingest/writer/caps.ts";
import { testDatabase } from "@/test/support/database.ts";
import { errorEvent } from "@/test/support/error_event.ts";
import { logRecord, sessionRecord } from "@/test/support/records.ts";
import { waitFor } from "@/test/support/wait_for.ts";
import { testWriter } from "@/test/support/writer.ts";

const caps = { environment: 2, release: 2, tag_key: 100 };

const of = (environment: string, release: string) => logRecord({ environment, release });

Deno.test("environments and releases beyond their caps get common names, and each is counted", async () => {
  await using database = await testDatabase();
  const values = new ValueCaps(database.sql, caps);
  const records = [
    of("a", "1"),
    of("b", "2"),
    of("c", "3"),
    of("d", "4"),
    of("a", ""),
    of("", "5"),
  ];
  const capped = await values.cap("1", records);
  assert.deepEqual(
    capped.records.map((record) => "release" in record && [record.environment, record.release]),
    [
      ["a", "1"],
      ["b", "2"],
      [OTHER_ENVIRONMENTS, OTHER_RELEASES],
      [
        OTHER_ENVIRONMENTS,
        OTHER_RELEASES,
      ],
      ["a", ""],
      ["", OTHER_RELEASES],
    ],
  );
  assert.deepEqual(capped.outcomes, [
    { category: "environment", kind: "refused", reason: "too_many_environments", quantity: 2 },
    { category: "release", kind: "refused", reason: "too_many_releases", quantity: 3 },
  ]);
  const other = await values.cap("2", [of("d", "4")]);
  assert.deepEqual(other.outcomes, [], "each project has its own");
});

Deno.test("a process that starts knows the environments, releases and tag keys that are stored", async () => {
  await using database = await testDatabase();
  await using writer = testWriter(database.sql);
  await writer.store(
    "1",
    errorEvent({ environment: "a", release: "1", tags: [["shop", "x"]] }),
    sessionRecord({ environment: "b", release: "2" }),
  );
  const values = new ValueCaps(database.sql, caps);
  const known = await values.cap("1", [of("a", "2"), of("b", "1")]);
  assert.deepEqual(known.outcomes, []);
  const { records: [record] } = await values.cap("1", [of("c", "3")]);
  assert.ok(record?.kind === "log");
  assert.deepEqual([record.environment, record.release], [OTHER_ENVIRONMENTS, OTHER_RELEASES]);
});

Deno.test("tags of too many keys stay in the event and are not searchable, and Usage counts them", async () => {
  await using database = await testDatabase();
  await using writer = testWriter(database.sql);
  const keys = Array.from({ length: 1_010 }, (_, index) => `key${index}`);
  const events = Array.from({ length: 11 }, (_, index) =>
    errorEvent({
      tags: keys.slice(index * 100, index * 100 + 100).map((key) => [key, "x"] as const),
    }));
  await writer.store("1", ...events);
  const [stored] = await database.sql<{ keys: number }[]>`
    select count(distinct key)::int as keys from issue_tags where key like 'key%'
  `;
  assert.equal(stored?.keys, 1_000);
  const counted = await waitFor("the count", async () => {
    const rows = await database.sql`
      select category, kind, reason, sum(quantity)::int as quantity from outcomes
      where category = 'tag_key' group by category, kind, reason
    `;
    return rows.length > 0 ? rows.map((row) => ({ ...row })) : null;
  });
  assert.deepEqual(counted, [
    { category: "tag_key", kind: "refused", reason: "too_many_tag_keys", quantity: 10 },
  ]);
});
