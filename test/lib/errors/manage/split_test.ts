import assert from "node:assert/strict";
import { findEventOfIssue } from "@/lib/errors/events.ts";
import { mergedInto, mergeIssues } from "@/lib/errors/issue_merge.ts";
import { unmergeIssue } from "@/lib/errors/issue_unmerge.ts";
import { finishMoves } from "@/lib/errors/issue_moves.ts";
import { findIssue } from "@/lib/errors/issues.ts";
import { finishSplits } from "@/lib/errors/manage/follow_splits.ts";
import { groupsOf, splitIssue } from "@/lib/errors/manage/split.ts";
import { toErrorEvent } from "@/lib/formats/sentry/error_event.ts";
import type { ErrorEvent } from "@/lib/records/mod.ts";
import { OF_ISSUES } from "@/lib/store/retention.ts";
import type { Sql } from "@/lib/store/database.ts";
import { testDatabase } from "@/test/support/database.ts";
import { decodeContext } from "@/test/support/decode_context.ts";
import { errorEvent, hashOf } from "@/test/support/error_event.ts";
import { testWriter } from "@/test/support/writer.ts";
import { idsFound } from "@/test/support/search_issues.ts";
import { eventsOf, HOUR_MS, issueIdOf, never, NOON, PROJECT } from "./issue_world.ts";

/** What pages read of issues, by title; those that are part of another left out. */
async function figures(sql: Sql) {
  const issues = await sql`
    select id, times_seen::int as times, users_seen::int as users, first_seen, last_seen from issues
    where merged_into is null order by id
  `;
  const of = async (rows: PromiseLike<readonly object[]>) => [...await rows];
  return {
    issues: [...issues],
    hours: await of(sql`
      select issue_id, hour, environment, release, times_seen from issue_hours h
      where exists (select from issues i where i.project_id = h.project_id and i.id = h.issue_id and merged_into is null) order by 1, 2
    `),
    days: await of(sql`
      select issue_id, day, environment, release, times_seen from issue_days d
      where exists (select from issues i where i.project_id = d.project_id and i.id = d.issue_id and merged_into is null) order by 1, 2
    `),
    users: await of(sql`
      select issue_id, user_key from issue_users u
      where exists (select from issues i where i.project_id = u.project_id and i.id = u.issue_id and merged_into is null) order by 1, 2
    `),
    tags: await of(sql`
      select issue_id, key, value from issue_tags t
      where exists (select from issues i where i.project_id = t.project_id and i.id = t.issue_id and merged_into is null) order by 1, 2, 3
    `),
    events: await of(sql`
      select e.event_id, e.issue_id, i.issue_id as id_issue, e.merged_from from events e
      join event_ids i using (project_id, event_id) order by 1
    `),
  };
}

/** An issue with the groups `one` and `two`, by a second hash that both have. */
async function twoGroups(sql: Sql): Promise<string> {
  await using writer = testWriter(sql);
  const of = (group: string) => ({
    grouping: { version: 2, hashes: [hashOf(group), hashOf("both")] as [string, ...string[]] },
  });
  await writer.store(PROJECT, ...eventsOf("both", ["id:1"]));
  await writer.store(PROJECT, ...eventsOf("one", ["id:1", "id:2", "id:3"], of("one")));
  await writer.store(
    PROJECT,
    ...eventsOf("two", ["id:3", "id:4"], {
      ...of("two"),
      release: "shop@2.0",
      timestamp: new Date(NOON.getTime() - 30 * HOUR_MS),
    }),
  );
  const [issue] = await sql<{ id: string }[]>`select id from issues`;
  return issue?.id ?? "";
}

Deno.test("splitIssue() makes an issue of a group, with its events and their figures", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const issueId = await twoGroups(sql);
  assert.deepEqual(
    (await groupsOf(sql, PROJECT, issueId)).map(({ hash, recentEvents }) => [hash, recentEvents])
      .sort(),
    [[hashOf("both"), 1], [hashOf("one"), 3], [hashOf("two"), 2]].sort(),
  );

  const made = await splitIssue(sql, PROJECT, issueId, [hashOf("two")]);
  assert.equal(made.isNew, true);
  assert.equal(await finishSplits(sql, PROJECT, never), 2);

  const [stays, split] = [
    await findIssue(sql, PROJECT, issueId),
    await findIssue(sql, PROJECT, made.issueId),
  ];
  assert.deepEqual([stays?.timesSeen, stays?.usersSeen], [4, 3]);
  assert.deepEqual([split?.timesSeen, split?.usersSeen], [2, 2]);
  assert.equal(split?.title, "Error: two");
  assert.equal(split?.firstRelease, "shop@2.0");
  assert.deepEqual(split?.lastSeen, new Date(NOON.getTime() - 30 * HOUR_MS));
  assert.deepEqual(stays?.firstSeen, new Date(NOON.getTime() - 2 * HOUR_MS));
  const { tags, hours } = await figures(sql);
  assert.deepEqual(
    tags.filter((row) => "key" in row && row.key === "group"),
    [
      { issue_id: issueId, key: "group", value: "both" },
      { issue_id: issueId, key: "group", value: "one" },
      { issue_id: made.issueId, key: "group", value: "two" },
    ],
  );
  const sum = (id: string) =>
    hours.reduce(
      (all, row) =>
        all + ("issue_id" in row && row.issue_id === id
          ? Number("times_seen" in row && row.times_seen)
          : 0),
      0,
    );
  assert.deepEqual([sum(issueId), sum(made.issueId)], [4, 2]);
  const numbers = await sql`select number::int from issues order by id`;
  assert.deepEqual(numbers.map(({ number }) => number), [1, 2]);

  await using writer = testWriter(sql);
  await writer.store(PROJECT, errorEvent({ group: "two" }));
  assert.equal((await findIssue(sql, PROJECT, made.issueId))?.timesSeen, 3);
});

Deno.test("merging what was split off into its issue again undoes the split", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const issueId = await twoGroups(sql);
  const before = await figures(sql);
  const { issueId: made } = await splitIssue(sql, PROJECT, issueId, [hashOf("two"), hashOf("one")]);
  await finishSplits(sql, PROJECT, never);

  await mergeIssues(sql, PROJECT, [made, issueId], new Date(), { into: issueId });
  await finishMoves(sql, PROJECT, never);

  const after = await figures(sql);
  assert.deepEqual(after.issues, before.issues);
  assert.deepEqual(after.hours, before.hours);
  assert.deepEqual(after.tags, before.tags);
  assert.deepEqual(after.users, before.users);
});

Deno.test("all groups of a merged issue become that issue again", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  await writer.store(PROJECT, ...eventsOf("big", ["id:1", "id:2"]), ...eventsOf("small", ["id:3"]));
  const [big, small] = [await issueIdOf(sql, "big"), await issueIdOf(sql, "small")];
  await mergeIssues(sql, PROJECT, [big, small]);
  await assert.rejects(splitIssue(sql, PROJECT, big, [hashOf("small")]), /still on their way/);
  await finishMoves(sql, PROJECT, never);

  const split = await splitIssue(sql, PROJECT, big, [hashOf("small")]);
  assert.deepEqual([split.issueId, split.isNew], [small, false]);
  await finishMoves(sql, PROJECT, never);
  assert.equal((await findIssue(sql, PROJECT, big))?.timesSeen, 2);
  assert.equal((await findEventOfIssue(sql, PROJECT, small, "latest"))?.issueId, small);
});

Deno.test("an issue that was merged and then split in part cannot be unmerged, and nothing is counted twice", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const source = await twoGroups(sql);
  await using writer = testWriter(sql);
  await writer.store(PROJECT, ...eventsOf("big", Array.from({ length: 9 }, (_, i) => `id:${i}`)));
  const big = await issueIdOf(sql, "big");
  await mergeIssues(sql, PROJECT, [source, big]);
  await finishMoves(sql, PROJECT, never);

  const { issueId: made } = await splitIssue(sql, PROJECT, big, [hashOf("two")]);
  await finishSplits(sql, PROJECT, never);

  assert.equal(await unmergeIssue(sql, PROJECT, big, source), false);
  assert.deepEqual(await mergedInto(sql, PROJECT, big), []);
  assert.equal((await findIssue(sql, PROJECT, big))?.timesSeen, 13);
  assert.equal((await findIssue(sql, PROJECT, made))?.timesSeen, 2);
  const marked = await sql`select from events where merged_from is not null`;
  assert.equal(marked.length, 0);
  // Merged on, it goes along whole, and its old address leads there.
  await writer.store(PROJECT, ...eventsOf("huge", Array.from({ length: 30 }, (_, i) => `id:${i}`)));
  const huge = await issueIdOf(sql, "huge");
  await mergeIssues(sql, PROJECT, [huge, big]);
  await finishMoves(sql, PROJECT, never);
  assert.equal((await findIssue(sql, PROJECT, huge))?.timesSeen, 43);
  assert.equal((await findIssue(sql, PROJECT, source))?.mergedInto, huge);
  assert.equal(await unmergeIssue(sql, PROJECT, huge, big), true);
  await finishMoves(sql, PROJECT, never);
  assert.equal((await findIssue(sql, PROJECT, huge))?.timesSeen, 30);
  const left = await sql`select count(*)::int as count from events where issue_id = ${big}`;
  assert.deepEqual([...left], [{ count: 13 }]);
});

Deno.test("events from before groups were noted follow by what their payload says", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const [one, two] = [await decoded("CartError"), await decoded("MailError")];
  await writer.store(PROJECT, one, two);
  const ids = (await sql<{ id: string }[]>`select id from issues order by id`).map(({ id }) => id);
  const { into } = await mergeIssues(sql, PROJECT, ids) ?? { into: "" };
  await finishMoves(sql, PROJECT, never);
  // As if both had always been one issue of an older version.
  await sql`update issue_hashes set merged_from = null`;
  await sql`update events set group_hash = null, merged_from = null`;

  const { issueId } = await splitIssue(sql, PROJECT, into, [two.grouping.hashes[0]]);
  await finishSplits(sql, PROJECT, never);

  assert.equal((await findEventOfIssue(sql, PROJECT, issueId, "latest"))?.eventId, two.eventId);
  const issue = await findIssue(sql, PROJECT, issueId);
  assert.deepEqual([issue?.title, issue?.metadata.type], ["MailError: broken", "MailError"]);
});

Deno.test("an issue that was split off is found by what stands in its stacks", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const [one, two] = [decoded("CartError"), decoded("MailError")];
  await writer.store(PROJECT, one, two);
  const ids = (await sql<{ id: string }[]>`select id from issues order by id`).map(({ id }) => id);
  const { into } = await mergeIssues(sql, PROJECT, ids) ?? { into: "" };
  await finishMoves(sql, PROJECT, never);
  await sql`update issue_hashes set merged_from = null`;

  const { issueId } = await splitIssue(sql, PROJECT, into, [two.grouping.hashes[0]]);
  await finishSplits(sql, PROJECT, never);

  const found = await idsFound(sql, PROJECT, "stack.filename:MailError.js");
  assert.ok(found.includes(issueId), `${issueId} among ${found}`);
  assert.deepEqual(await idsFound(sql, PROJECT, "stack.filename:CartError.js"), [into]);
});

Deno.test("splitIssue() refuses no group, all groups, and those of other issues and projects", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const issueId = await twoGroups(sql);
  await using writer = testWriter(sql);
  await writer.store("8", ...eventsOf("two", ["id:1"]));
  await assert.rejects(splitIssue(sql, PROJECT, issueId, []), /at least one group first/);
  await assert.rejects(splitIssue(sql, PROJECT, issueId, ["x", hashOf("other")]), /at least one/);
  await assert.rejects(
    splitIssue(sql, PROJECT, issueId, [hashOf("one"), hashOf("two"), hashOf("both")]),
    /Leave at least one/,
  );
  await assert.rejects(splitIssue(sql, "8", issueId, [hashOf("two")]), /none of these groups/);
});

Deno.test("an event that was under way at the split follows a little later", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const issueId = await twoGroups(sql);
  const { issueId: made } = await splitIssue(sql, PROJECT, issueId, [hashOf("two")]);
  await finishSplits(sql, PROJECT, never);
  // As a writer does that looked the group up before.
  await using writer = testWriter(sql);
  await writer.store(PROJECT, errorEvent({ group: "both", user: "id:9" }));
  await sql`update events set group_hash = ${hashOf("two")} where user_key = 'id:9'`;

  await finishSplits(sql, PROJECT, never, new Date(Date.now() + 10 * 60_000));

  const [event] = await sql`select issue_id from events where user_key = 'id:9'`;
  assert.deepEqual(event, { issue_id: made });
  assert.equal((await sql`select from issue_splits`).length, 0);
});

Deno.test("every table with an issue's rows is cleared when the issue goes", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const rows = await sql<{ table: string }[]>`
    select table_name as "table" from information_schema.columns
    where table_schema = current_schema() and column_name = 'issue_id'
      and table_name not like 'events\_%' order by 1
  `;
  const known = new Set<string>([
    ...OF_ISSUES,
    // By the purge, event by event, or by time.
    ...["events", "event_ids", "issue_hours", "issue_days"],
    // Their rows stay, without the issue; the note that it is deleted goes last.
    ...["monitor_incidents", "deleted_issues"],
    // Goes with its import, which asks for issues that are there.
    "transfer_issues",
  ]);
  assert.deepEqual(rows.map(({ table }) => table).filter((table) => !known.has(table)), []);
});

function decoded(type: string): ErrorEvent {
  const result = toErrorEvent({
    exception: { values: [{ type, value: "broken", stacktrace: { frames: [frame(type)] } }] },
  }, { ...decodeContext(), sentAt: null });
  if ("dropped" in result) throw new Error("Not an event");
  return result;
}

function frame(name: string) {
  return { function: name, filename: `${name}.js`, lineno: 7, in_app: true };
}
