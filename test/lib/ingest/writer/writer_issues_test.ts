import { setIssueStatus } from "../../../support/issue_status.ts";
import assert from "node:assert/strict";
import type { Sql } from "@/lib/store/database.ts";
import { findEventOfIssue, listEventsOfIssue } from "@/lib/errors/events.ts";
import { errorEvent, hashOf } from "@/test/support/error_event.ts";
import { testDatabase } from "@/test/support/database.ts";
import { testWriter } from "@/test/support/writer.ts";

async function issueOf(sql: Sql, eventId: string): Promise<string | undefined> {
  const [row] = await sql<{ issueId: string }[]>`
    select issue_id as "issueId" from events where event_id = ${eventId}::uuid
  `;
  return row?.issueId;
}

Deno.test("events with the same group hash share an issue, within a project only", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const [a, b, other] = [
    errorEvent({ group: "a" }),
    errorEvent({ group: "b" }),
    errorEvent({ group: "a" }),
  ];
  const again = errorEvent({ group: "a" });

  await Promise.all([writer.store("1", a, b), writer.store("2", other)]);
  await writer.store("1", again);

  assert.equal(await issueOf(sql, again.eventId), await issueOf(sql, a.eventId));
  const issues = await sql`select project_id, title, times_seen from issues order by 1, 2`;
  assert.deepEqual([...issues], [
    { project_id: "1", title: "Error: a", times_seen: "2" },
    { project_id: "1", title: "Error: b", times_seen: "1" },
    { project_id: "2", title: "Error: a", times_seen: "1" },
  ]);
});

Deno.test("a hash of an older grouping version finds its issue, and binds the new one to it", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const [v1, v2] = [hashOf("version 1"), hashOf("version 2")];
  const old = errorEvent({ grouping: { version: 1, hashes: [v1] } });
  const both = errorEvent({ grouping: { version: 2, hashes: [v2, v1] } });
  const young = errorEvent({ grouping: { version: 2, hashes: [v2, hashOf("something else")] } });

  await writer.store("1", old);
  await writer.store("1", both);
  await writer.store("1", young);

  const issueId = await issueOf(sql, old.eventId);
  assert.equal(await issueOf(sql, both.eventId), issueId);
  assert.equal(await issueOf(sql, young.eventId), issueId);
  const hashes = await sql`select version, issue_id from issue_hashes order by version`;
  assert.deepEqual([...hashes], [
    { version: 1, issue_id: issueId },
    { version: 2, issue_id: issueId },
  ]);
});

Deno.test("a batch finds by an older hash the issue that it makes itself", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const [v1, v2] = [hashOf("version 1"), hashOf("version 2")];
  const events = [
    errorEvent({ grouping: { version: 1, hashes: [v1] } }),
    errorEvent({ grouping: { version: 2, hashes: [v2, v1] } }),
  ];

  await writer.store("1", ...events);

  const issues = await sql`select times_seen from issues`;
  assert.deepEqual([...issues], [{ times_seen: "2" }]);
});

Deno.test("an issue shows its newest event and counts from its oldest, in whatever order they come", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const at = (day: number, release: string) =>
    errorEvent({
      timestamp: new Date(Date.UTC(2026, 10, day)),
      release,
      title: `day ${day}`,
      culprit: `culprit ${day}`,
      level: day === 18 ? "fatal" : "warning",
      platform: `p${day}`,
      metadata: { value: `value ${day}` },
      user: `id:${day % 2}`,
    });

  await writer.store("1", at(15, "r15"));
  await writer.store("1", at(18, "r18"), at(17, "r17"));
  await writer.store("1", at(12, ""), at(19, ""), at(13, "r13"));
  await writer.store("1", at(16, "r16"));

  const [issue] = await sql`
    select title, culprit, level, platform, metadata, first_seen, last_seen, last_seen_on,
      first_release, last_release, times_seen, users_seen
    from issues
  `;
  assert.deepEqual(issue, {
    title: "day 19",
    culprit: "culprit 19",
    level: "warning",
    platform: "p19",
    metadata: { value: "value 19" },
    first_seen: new Date("2026-11-12"),
    last_seen: new Date("2026-11-19"),
    last_seen_on: new Date("2026-11-19"),
    first_release: "r15",
    last_release: "r18",
    times_seen: "7",
    users_seen: "2",
  });
});

Deno.test("with equal times an issue shows the event that its lists have first", async () => {
  const timestamp = new Date("2026-11-20T12:00:00.000Z");
  const [low, high] = ["1".repeat(32), "e".repeat(32)];
  const at = (eventId: string) =>
    errorEvent({ eventId, timestamp, title: eventId, culprit: eventId, release: eventId });
  for (const batches of [[[low, high]], [[high, low]], [[low], [high]], [[high], [low]]]) {
    await using database = await testDatabase();
    const { sql } = database;
    await using writer = testWriter(sql);
    for (const ids of batches) await writer.store("1", ...ids.map(at));
    const [issue] = await sql`select id, title, culprit, last_release from issues`;
    assert.deepEqual([issue?.title, issue?.culprit, issue?.last_release], [high, high, high]);
    assert.equal((await findEventOfIssue(sql, "1", issue?.id, "latest"))?.eventId, high);
    const scope = { environments: [], releases: [], start: timestamp, end: new Date("2026-11-21") };
    const query = { ...scope, projectId: "1", issueId: issue?.id, cursor: null, limit: 2 };
    const { rows: [first] } = await listEventsOfIssue(sql, query);
    assert.equal(first?.eventId, high);
  }
});

Deno.test("a user counts once an issue", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const seen = (group: string, user: string | null) => errorEvent({ group, user });

  await writer.store("1", seen("a", "id:1"), seen("a", "id:1"), seen("a", null), seen("b", "id:1"));
  await writer.store("1", seen("a", "id:1"), seen("a", "id:2"));
  await using forgetful = testWriter(sql);
  await forgetful.store("1", seen("a", "id:2"), seen("a", "id:3"));

  const rows = await sql`select title, users_seen from issues order by title`;
  assert.deepEqual([...rows], [
    { title: "Error: a", users_seen: "3" },
    { title: "Error: b", users_seen: "1" },
  ]);
});

Deno.test("a tag value is written once a day and issue", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const on = (day: string) => errorEvent({ timestamp: new Date(day), tags: [["os", "Linux"]] });
  const written = async () => {
    const [row] = await sql`
      select last_seen, xmin::text as xmin from issue_tags where key = 'os' and value = 'Linux'
    `;
    return { day: row?.last_seen.toISOString().slice(0, 10), xmin: row?.xmin };
  };

  await writer.store("1", on("2026-11-18"), on("2026-11-17"));
  const first = await written();
  await writer.store("1", on("2026-11-18"), on("2026-11-16"));
  const second = await written();
  await writer.store("1", on("2026-11-19"));
  const third = await written();

  assert.equal(first.day, "2026-11-18");
  assert.deepEqual(second, first);
  assert.equal(third.day, "2026-11-19");
});

Deno.test("a tag with a new value in every event does not cost a row for each", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);

  for (let batch = 0; batch < 10; batch++) {
    const events = Array.from(
      { length: 200 },
      (_, i) => errorEvent({ tags: [["request", `${batch}-${i}`]] }),
    );
    await writer.store("1", ...events);
  }

  const [row] = await sql`select count(*)::int as count from issue_tags where key = 'request'`;
  assert.ok(row?.count >= 500 && row?.count < 1_000, `${row?.count} rows`);
});

Deno.test("a resolved issue that happens again is unresolved and regressed", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const resolvedAt = new Date("2026-11-20T12:00:00Z");
  const receivedAt = (time: string) =>
    errorEvent({ timestamp: new Date("2026-11-20T00:00:00Z"), receivedAt: new Date(time) });
  const state = async () => {
    const [row] = await sql`
      select id, status, substatus, status_changed_at from issues
    `;
    return row;
  };
  await writer.store("1", receivedAt("2026-11-20T11:00:00Z"));
  const id = (await state())?.id;
  await setIssueStatus(sql, "1", [id], "resolved", resolvedAt);

  await writer.store("1", receivedAt("2026-11-20T11:59:59Z"));
  const resolved = { id, status: "resolved", substatus: null, status_changed_at: resolvedAt };
  assert.deepEqual(await state(), resolved, "received before the resolution");

  await writer.store("1", receivedAt("2026-11-20T12:00:01Z"));
  const regressed = {
    id,
    status: "unresolved",
    substatus: "regressed",
    status_changed_at: new Date("2026-11-20T12:00:01Z"),
  };
  assert.deepEqual(await state(), regressed);
  await writer.store("1", receivedAt("2026-11-20T12:00:02Z"));
  assert.deepEqual(await state(), regressed, "happens once more");
});

Deno.test("an ignored issue that happens again stays ignored", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  await writer.store("1", errorEvent());
  const [issue] = await sql`select id from issues`;
  await setIssueStatus(sql, "1", [issue?.id], "ignored", new Date(Date.now() - 1_000));

  await writer.store("1", errorEvent());

  const [row] = await sql`select status, substatus, times_seen from issues`;
  assert.deepEqual(row, { status: "ignored", substatus: "archived_forever", times_seen: "2" });
});
