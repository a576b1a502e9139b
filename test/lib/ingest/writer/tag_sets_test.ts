import assert from "node:assert/strict";
import { findEvent, listEventsOfIssue } from "@/lib/errors/events.ts";
import { toEventRow } from "@/lib/ingest/writer/rows.ts";
import { KnownTagSets } from "@/lib/ingest/writer/tag_sets.ts";
import type { Sql } from "@/lib/store/database.ts";
import { tagOf } from "@/lib/store/event_tags.ts";
import { deleteAged } from "@/lib/store/project_retention.ts";
import { deleteExpired } from "@/lib/store/retention.ts";
import { testDatabase } from "@/test/support/database.ts";
import { errorEvent } from "@/test/support/error_event.ts";
import { testObjects } from "@/test/support/objects.ts";
import { testWriter } from "@/test/support/writer.ts";

const DAY_MS = 86_400_000;
const never = new AbortController().signal;
const PROGRAM: [string, string][] = [
  ["os", "Linux 6.12"],
  ["runtime", "node v24.0.0"],
  ["server_name", 'web-"1"'],
  ["__proto__", "constructor"],
];

type Fields = Parameters<typeof errorEvent>[0];

function filed(fields: Fields, projectId = "1") {
  return { projectId, row: toEventRow(projectId, errorEvent(fields)), issueId: "1" };
}

async function sets(sql: Sql): Promise<unknown[]> {
  const rows = await sql<{ tags: unknown }[]>`select tags::text as tags from tag_sets order by 1`;
  return rows.map(({ tags }) => JSON.parse(String(tags)));
}

Deno.test("tags that events share are stored once, and each event is read with all of its own", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const events = Array.from({ length: 5 }, (_, index) =>
    errorEvent({
      user: `id:${index}`,
      tags: [...PROGRAM, ["user", `id:${index}`]],
    }));
  for (const event of events) await writer.store("1", event);
  await writer.store("2", ...events);
  const shared = Object.fromEntries(PROGRAM);
  assert.deepEqual(await sets(sql), [shared, shared], "one for each project");
  const [own] = await sql`select distinct tags::text as tags from events where user_key = 'id:3'`;
  assert.equal(own?.tags, '{"user": "id:3"}');
  for (const { eventId, user } of events) {
    const tags = (await findEvent(sql, "1", eventId))?.tags ?? [];
    assert.deepEqual(Object.fromEntries(tags), { ...shared, user });
  }
});

Deno.test("events are found by tags of their row and of their set, also where they were stored before there were sets", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const [one, two, old] = [1, 2, 3].map((index) =>
    errorEvent({ user: `id:${index}`, tags: [...PROGRAM, ["user", `id:${index}`]] })
  );
  assert.ok(one && two && old);
  await writer.store("1", one, two, old);
  await sql`
    update events set tags_id = null, tags = tags || (select tags from tag_sets where project_id = 1)
    where project_id = 1 and event_id = ${old.eventId}::uuid
  `;
  const [issue] = await sql<{ id: string }[]>`select id from issues`;
  const search = async (key: string, value: string) => {
    const page = await listEventsOfIssue(sql, {
      ...{ projectId: "1", issueId: issue?.id ?? "", cursor: null, limit: 10 },
      ...{ environments: [], releases: [] },
      start: new Date(Date.now() - DAY_MS),
      end: new Date(Date.now() + DAY_MS),
      matching: (by) => by`${tagOf(by, "t", key)} = ${value}::text`,
    });
    return page.rows.map(({ eventId }) => eventId).sort();
  };
  assert.deepEqual(await search("os", "Linux 6.12"), [one, two, old].map((e) => e.eventId).sort());
  assert.deepEqual(await search("user", "id:2"), [two.eventId]);
  assert.deepEqual(await search("user", "id:3"), [old.eventId]);
  assert.deepEqual(await search("os", "Windows"), []);
});

Deno.test("what names a user is in no set, whatever its tag is called", () => {
  const known = new KnownTagSets();
  const event = filed({
    user: "id:4711",
    facts: [["user.email", "ann@example.test"], ["user.name", "Ann"]],
    tags: [
      ...PROGRAM,
      ["account", "4711"],
      ["contact", "ann@example.test"],
      ["by", "Ann"],
      ["user.plan", "team"],
      ["user", "id:4711"],
    ],
  });
  const split = known.split([event]);
  assert.deepEqual(Object.keys(JSON.parse(split.tags.get(event)?.own ?? "")), [
    ...["account", "contact", "by", "user.plan", "user"],
  ]);
  assert.deepEqual(
    split.sets.map(({ known }) => JSON.parse(known.tags)),
    [JSON.parse(JSON.stringify(Object.fromEntries(PROGRAM)))],
  );
});

Deno.test("a tag with a value of its own in each event stays in the rows after a while, and the others are shared", () => {
  const known = new KnownTagSets();
  let written = 0;
  const eventOf = (index: number) =>
    filed({ tags: [...PROGRAM, ["request_id", `request ${index}`], ["shard", `${index % 7}`]] });
  for (let index = 0; index < 3_000; index++) {
    const split = known.split([eventOf(index)]);
    known.remember(split.sets);
    written += split.sets.length;
  }
  assert.ok(written < 600, `${written} sets`);
  const event = eventOf(9_999);
  assert.deepEqual(JSON.parse(known.split([event]).tags.get(event)?.own ?? ""), {
    request_id: "request 9999",
  });
});

Deno.test("a set is written until it is known to be stored, and again on the next day", () => {
  const known = new KnownTagSets();
  const event = filed({ tags: PROGRAM, timestamp: new Date("2026-11-18T10:00:00Z") });
  const days = (today: string) => known.split([event, event], today).sets.map(({ day }) => day);
  assert.deepEqual(days("2026-11-20"), ["2026-11-20"]);
  const { sets: failed } = known.split([event], "2026-11-20");
  assert.equal(failed.length, 1, "the transaction failed");
  known.remember(failed);
  assert.deepEqual(days("2026-11-20"), []);
  assert.deepEqual(days("2026-11-21"), ["2026-11-21"]);
  const ahead = filed({ tags: PROGRAM, timestamp: new Date("2026-11-22T00:00:01Z") });
  assert.deepEqual(known.split([event, ahead], "2026-11-21").sets.map(({ day }) => day), [
    "2026-11-22",
  ]);
});

Deno.test("few characters are no set", () => {
  const known = new KnownTagSets();
  const event = filed({ tags: [["os", "Linux"]] });
  const split = known.split([event]);
  assert.deepEqual(split.tags.get(event), { own: '{"os":"Linux"}', tagsId: null });
  assert.deepEqual(split.sets, []);
});

Deno.test("a set goes when all events that came with it have expired, and a project may ask for that sooner", async () => {
  await using database = await testDatabase();
  await using files = await testObjects();
  const { sql } = database;
  await using writer = testWriter(sql);
  for (const projectId of ["1", "2"]) await writer.store(projectId, errorEvent({ tags: PROGRAM }));
  const inDays = (days: number) => new Date(Date.now() + days * DAY_MS);
  const stores = { sql, objects: files.objects };
  const project = { projectId: "1", days: { errors: 7 } };
  await deleteAged(stores, project, never, inDays(7));
  assert.equal((await sets(sql)).length, 2);
  await deleteAged(stores, project, never, inDays(9));
  assert.equal((await sets(sql)).length, 1);
  assert.equal((await deleteExpired(sql, 30, never, inDays(30))).tag_sets, undefined);
  assert.equal((await deleteExpired(sql, 30, never, inDays(32))).tag_sets, 1);
});
