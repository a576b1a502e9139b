import assert from "node:assert/strict";
import type { Sql } from "@/lib/store/database.ts";
import { mergedInto, mergeIssues } from "@/lib/errors/issue_merge.ts";
import { finishMoves } from "@/lib/errors/issue_moves.ts";
import { unmergeIssue } from "@/lib/errors/issue_unmerge.ts";
import { findIssue } from "@/lib/errors/issues.ts";
import type { ErrorEvent } from "@/lib/records/mod.ts";
import { testDatabase } from "../../support/database.ts";
import { errorEvent } from "../../support/error_event.ts";
import { testWriter } from "../../support/writer.ts";

const PROJECT = "7";
const HOUR_MS = 3_600_000;
const NOON = new Date(Math.floor(Date.now() / (24 * HOUR_MS)) * 24 * HOUR_MS - 12 * HOUR_MS);

/** Events of a group: `users` one each, an hour apart. */
function eventsOf(group: string, users: string[], fields: Partial<ErrorEvent> = {}): ErrorEvent[] {
  return users.map((user, index) =>
    errorEvent({
      group,
      user,
      timestamp: new Date(NOON.getTime() - index * HOUR_MS),
      tags: [["group", group]],
      ...fields,
    })
  );
}

async function issueIdOf(sql: Sql, title: string): Promise<string> {
  const [row] = await sql<{ id: string }[]>`
    select id from issues where project_id = ${PROJECT} and title = ${`Error: ${title}`}
  `;
  return row?.id ?? "";
}

/** Everything that pages read of the issues, their events included, merge marks aside. */
async function figures(sql: Sql) {
  const issues = await sql`
    select id, times_seen, users_seen, first_seen, last_seen, last_seen_on, merged_into
    from issues order by id
  `;
  const hours = await sql`select * from issue_hours order by issue_id, hour, environment`;
  const days = await sql`select * from issue_days order by issue_id, day, environment`;
  const users = await sql`
    select issue_id, user_key from issue_users order by issue_id, user_key
  `;
  const tags = await sql`select issue_id, key, value from issue_tags order by 1, 2, 3`;
  const hashes = await sql`select hash, issue_id from issue_hashes order by hash`;
  const events = await sql`select event_id, issue_id from events order by event_id`;
  const ids = await sql`select event_id, issue_id from event_ids order by event_id`;
  return [issues, hours, days, users, tags, hashes, events, ids].map((rows) => [...rows]);
}

const never = new AbortController().signal;
const settle = (sql: Sql) => finishMoves(sql, PROJECT, never);

Deno.test("mergeIssues() makes one issue of several, with the sum of their figures", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  await writer.store(PROJECT, ...eventsOf("big", ["id:1", "id:2", "id:3"]));
  await writer.store(PROJECT, ...eventsOf("small", ["id:3", "id:4"], { release: "shop@2.0" }));
  const [big, small] = [await issueIdOf(sql, "big"), await issueIdOf(sql, "small")];

  const merged = await mergeIssues(sql, PROJECT, [small, big]);
  await settle(sql);

  assert.deepEqual(merged, {
    into: big,
    sources: [small],
    parts: new Map([[small, []]]),
    undo: merged?.undo,
  });
  const issue = await findIssue(sql, PROJECT, big);
  assert.equal(issue?.timesSeen, 5);
  assert.equal(issue?.usersSeen, 4);
  assert.equal((await findIssue(sql, PROJECT, small))?.mergedInto, big);
  const [hours] = await sql`
    select sum(times_seen)::int as count from issue_hours where issue_id = ${big}
  `;
  assert.equal(hours?.count, 5);
  const events = await sql`
    select issue_id, count(*)::int as count from events join event_ids using (project_id, event_id, issue_id)
    group by 1
  `;
  assert.deepEqual([...events], [{ issue_id: big, count: 5 }]);
  assert.deepEqual(
    (await mergedInto(sql, PROJECT, big)).map(({ id, timesSeen }) => [id, timesSeen]),
    [
      [small, 2],
    ],
  );
});

Deno.test("what arrives for a merged issue counts for the one it was merged into", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  await writer.store(PROJECT, ...eventsOf("big", ["id:1", "id:2"]));
  await writer.store(PROJECT, ...eventsOf("small", ["id:3"]));
  const [big, small] = [await issueIdOf(sql, "big"), await issueIdOf(sql, "small")];
  await mergeIssues(sql, PROJECT, [small, big]);

  await writer.store(PROJECT, ...eventsOf("small", ["id:9"]));

  assert.equal((await findIssue(sql, PROJECT, big))?.timesSeen, 4);
  assert.equal((await findIssue(sql, PROJECT, small))?.timesSeen, 1);
});

Deno.test("unmergeIssue() gives back everything as it was before", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  await writer.store(PROJECT, ...eventsOf("big", ["id:1", "id:2", "id:3"]));
  await writer.store(PROJECT, ...eventsOf("small", ["id:3", "id:4"], { environment: "staging" }));
  const before = await figures(sql);
  const [big, small] = [await issueIdOf(sql, "big"), await issueIdOf(sql, "small")];

  await mergeIssues(sql, PROJECT, [big, small]);
  await settle(sql);
  assert.equal(await unmergeIssue(sql, PROJECT, big, small), true);
  await settle(sql);

  assert.deepEqual(await figures(sql), before);
});

Deno.test("a merge of merged issues can be undone one by one, moved or not yet", async () => {
  for (const isSettled of [true, false]) {
    await using database = await testDatabase();
    const { sql } = database;
    await using writer = testWriter(sql);
    await writer.store(PROJECT, ...eventsOf("a", ["id:1"]));
    await writer.store(PROJECT, ...eventsOf("b", ["id:2", "id:3"]));
    await writer.store(PROJECT, ...eventsOf("c", ["id:4", "id:5", "id:6", "id:7"]));
    const before = await figures(sql);
    const [a, b, c] = [
      await issueIdOf(sql, "a"),
      await issueIdOf(sql, "b"),
      await issueIdOf(sql, "c"),
    ];

    await mergeIssues(sql, PROJECT, [a, b]);
    if (isSettled) await settle(sql);
    await mergeIssues(sql, PROJECT, [b, c]);
    if (isSettled) await settle(sql);
    assert.equal((await findIssue(sql, PROJECT, c))?.timesSeen, 7);
    assert.deepEqual((await mergedInto(sql, PROJECT, c)).map(({ id }) => id).sort(), [a, b].sort());

    assert.equal(await unmergeIssue(sql, PROJECT, c, a), true);
    assert.equal(await unmergeIssue(sql, PROJECT, c, b), true);
    await settle(sql);
    assert.deepEqual(await figures(sql), before);
  }
});

Deno.test("mergeIssues() passes over issues of other projects and those merged already", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  await writer.store("8", ...eventsOf("foreign", ["id:1"]));
  await writer.store(PROJECT, ...eventsOf("big", ["id:1", "id:2"]));
  await writer.store(PROJECT, ...eventsOf("small", ["id:3"]));
  const [big, small] = [await issueIdOf(sql, "big"), await issueIdOf(sql, "small")];
  const [foreign] = await sql<{ id: string }[]>`select id from issues where project_id = 8`;

  assert.equal(await mergeIssues(sql, PROJECT, [big, foreign?.id ?? ""]), null);
  await mergeIssues(sql, PROJECT, [big, small]);
  assert.equal(await mergeIssues(sql, PROJECT, [big, small]), null);
  assert.equal(await unmergeIssue(sql, "8", big, small), false);
  assert.equal(await unmergeIssue(sql, PROJECT, small, big), false);
});

Deno.test("merging while events arrive loses none of them", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  await writer.store(PROJECT, ...eventsOf("big", ["id:1", "id:2"]));
  await writer.store(PROJECT, ...eventsOf("small", ["id:3"]));
  const [big, small] = [await issueIdOf(sql, "big"), await issueIdOf(sql, "small")];

  const arriving = Array.from(
    { length: 20 },
    (_, index) => writer.store(PROJECT, ...eventsOf(index % 2 ? "big" : "small", [`id:${index}`])),
  );
  await Promise.all([...arriving, mergeIssues(sql, PROJECT, [big, small])]);
  await settle(sql);

  const [row] = await sql`select count(*)::int as count from events`;
  assert.equal(row?.count, 23);
});
