import assert from "node:assert/strict";
import { issuesByProject, issuesOfProject, listIssues } from "@/lib/errors/issues.ts";
import { findIssue } from "@/lib/errors/issues.ts";
import { findIssueNamed } from "@/lib/errors/workflow/short_id.ts";
import { mergeIssues } from "@/lib/errors/issue_merge.ts";
import { finishMoves } from "@/lib/errors/issue_moves.ts";
import { unmergeIssue } from "@/lib/errors/issue_unmerge.ts";
import { parseIssueSearch } from "@/lib/errors/mod.ts";
import { deleteIssues } from "@/lib/errors/manage/delete_issues.ts";
import { listDiscards, takeAgain } from "@/lib/errors/manage/discards.ts";
import { LINGER_MS, purgeDeletedIssues } from "@/lib/errors/manage/purge.ts";
import type { Attachment, Feedback } from "@/lib/records/mod.ts";
import { databaseKind, testDatabase } from "@/test/support/database.ts";
import { errorEvent, hashOf, newEventId } from "@/test/support/error_event.ts";
import type { Sql } from "@/lib/store/database.ts";
import { WORKERS } from "@/test/support/throw_away_database.ts";
import { waitFor } from "@/test/support/wait_for.ts";
import { testObjects } from "@/test/support/objects.ts";
import { testWriter } from "@/test/support/writer.ts";
import { eventsOf, issueIdOf, never, NOON, PROJECT, rowsLeft } from "./issue_world.ts";

const by = "olga@example.com";
const later = new Date(Date.now() + 2 * LINGER_MS);

Deno.test("a deleted issue is nowhere any more, and another project's is left alone", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  await writer.store(
    PROJECT,
    ...eventsOf("gone", ["id:1", "id:2"]),
    ...eventsOf("stays", ["id:1"]),
  );
  await writer.store("8", ...eventsOf("gone", ["id:1"]));
  const gone = await issueIdOf(sql, "gone");
  const foreign = await issueIdOf(sql, "gone", "8");

  assert.deepEqual(
    await deleteIssues(sql, { projectId: PROJECT, issueIds: [gone, foreign, "0", "x"], by }),
    [gone],
  );

  assert.equal(await findIssue(sql, PROJECT, gone), null);
  assert.equal(await findIssueNamed(sql, gone, [{ id: PROJECT, slug: "shop" }]), null);
  assert.deepEqual(await issuesOfProject(sql, PROJECT, [gone]), []);
  assert.deepEqual((await issuesByProject(sql, [PROJECT], [gone])).size, 0);
  const page = await listIssues(sql, {
    projectId: PROJECT,
    filter: parseIssueSearch("").filter,
    environments: [],
    releases: [],
    start: new Date(0),
    end: later,
    sort: "events",
    cursor: null,
    limit: 10,
  });
  assert.deepEqual(page.rows.map(({ title }) => title), ["Error: stays"]);
  assert.notEqual(await findIssue(sql, "8", foreign), null);
  assert.equal(await unmergeIssue(sql, PROJECT, "0", gone), false);
});

Deno.test("nothing is left of a deleted issue and of what was merged into it", async () => {
  await using database = await testDatabase();
  await using stores = await testObjects();
  const { objects } = stores;
  const { sql } = database;
  await using writer = testWriter(sql);
  const [first] = eventsOf("big", ["id:1"]);
  assert.ok(first);
  await objects.put("attachments/7/2026-01-01/a", new Uint8Array([1]));
  await writer.store(
    PROJECT,
    first,
    ...eventsOf("big", ["id:2", "id:3"]),
    ...eventsOf("small", ["id:4"]),
    attachmentOf(first.eventId),
    feedbackOf(first.eventId),
  );
  const [big, small] = [await issueIdOf(sql, "big"), await issueIdOf(sql, "small")];
  await mergeIssues(sql, PROJECT, [big, small]);
  await finishMoves(sql, PROJECT, never);

  await deleteIssues(sql, { projectId: PROJECT, issueIds: [big], by });
  assert.equal(await purgeDeletedIssues({ sql, objects }, PROJECT, never), 4);

  assert.deepEqual(await rowsLeft(sql), { issues: 2, deleted_issues: 2 });
  assert.equal(await objects.get("attachments/7/2026-01-01/a"), null);
  const [feedback] = await sql`select event_id, message from feedback`;
  assert.deepEqual(feedback, { event_id: null, message: "It broke" });

  await purgeDeletedIssues({ sql, objects }, null, never, later);
  assert.deepEqual(await rowsLeft(sql), {});
});

Deno.test("a purge that was cut short is finished by the next", async () => {
  await using database = await testDatabase();
  await using stores = await testObjects();
  const { objects } = stores;
  const { sql } = database;
  await using writer = testWriter(sql);
  await writer.store(PROJECT, ...eventsOf("gone", ["id:1", "id:2"]));
  await deleteIssues(sql, { projectId: PROJECT, issueIds: [await issueIdOf(sql, "gone")], by });

  await purgeDeletedIssues({ sql, objects }, null, AbortSignal.abort());
  assert.equal((await rowsLeft(sql)).events, 2);
  await purgeDeletedIssues({ sql, objects }, null, never);
  assert.equal((await rowsLeft(sql)).events, undefined);
});

Deno.test("an event of the same group opens a new issue after the deletion", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  await writer.store(PROJECT, ...eventsOf("again", ["id:1"]));
  const old = await issueIdOf(sql, "again");
  await deleteIssues(sql, { projectId: PROJECT, issueIds: [old], by });

  await writer.store(PROJECT, ...eventsOf("again", ["id:2"]));

  const fresh = await issueIdOf(sql, "again");
  assert.notEqual(fresh, "");
  assert.notEqual(fresh, old);
  assert.equal((await findIssue(sql, PROJECT, fresh))?.timesSeen, 1);
});

Deno.test({
  name: "a deletion between the look-up and the write of a writer leaves no orphan",
  // The embedded engine runs one transaction after the other.
  ignore: databaseKind === "embedded",
  fn: meetInTheMiddle,
});

async function meetInTheMiddle(): Promise<void> {
  await using database = await testDatabase();
  await using stores = await testObjects();
  const { objects } = stores;
  const { sql } = database;
  await using writer = testWriter(sql);
  const group = { group: "race" };
  await writer.store(PROJECT, errorEvent(group));
  const old = await issueIdOf(sql, "race");
  // Holds the writer up behind the row of the issue: it has found the issue by then.
  const held = Promise.withResolvers<void>();
  const isHeld = Promise.withResolvers<void>();
  const holding = sql.begin(async (tx) => {
    await tx`select from issues where project_id = ${PROJECT} and id = ${old} for update`;
    isHeld.resolve();
    await held.promise;
  });
  await isHeld.promise;
  const other = database.connect();
  const deleting = deleteIssues(other, { projectId: PROJECT, issueIds: [old], by });
  // An event with a hash more: it would bind that to the issue.
  const writing = writer.store(
    PROJECT,
    errorEvent({ ...group, grouping: { version: 2, hashes: [hashOf("new"), hashOf("race")] } }),
  );
  await waitForLocks(sql, 2);
  held.resolve();
  await Promise.all([holding, deleting, writing]);
  await writer.store(PROJECT, errorEvent(group));
  await purgeDeletedIssues({ sql, objects }, null, never, later);

  const rows = await sql<{ issueId: string }[]>`select issue_id as "issueId" from events`;
  const bound = await sql<{ issueId: string }[]>`select issue_id as "issueId" from issue_hashes`;
  const known = await sql<{ id: string }[]>`select id from issues`;
  const ids = new Set(known.map(({ id }) => id));
  for (const { issueId } of [...rows, ...bound]) assert.ok(ids.has(issueId), issueId);
}

Deno.test("writers and deletions at once never lose an event to an issue that is gone", async () => {
  await using database = await testDatabase();
  await using stores = await testObjects();
  const { objects } = stores;
  const { sql } = database;
  await using one = testWriter(sql, { batch: { maxRecords: 4, maxBytes: 1_000_000 }, inFlight: 2 });
  await using two = testWriter(database.connect(), {
    batch: { maxRecords: 4, maxBytes: 1_000_000 },
    inFlight: 2,
  });
  const events = Array.from({ length: 120 }, (_, i) => errorEvent({ group: `group ${i % 3}` }));
  let isWriting = true;
  const deleting = (async () => {
    while (isWriting) {
      const alive = await sql<{ id: string }[]>`select id from issues where merged_into is null`;
      await deleteIssues(sql, { projectId: PROJECT, issueIds: alive.map(({ id }) => id), by });
    }
  })();
  const results = await Promise.all(
    events.map((event, index) => (index % 2 === 0 ? one : two).store(PROJECT, event)),
  );
  isWriting = false;
  await deleting;
  assert.equal(results.filter(({ stored }) => stored === 1).length, 120);
  const alive = await sql<{ id: string }[]>`select id from issues where merged_into is null`;
  await deleteIssues(sql, { projectId: PROJECT, issueIds: alive.map(({ id }) => id), by });
  assert.equal(await purgeDeletedIssues({ sql, objects }, null, never), 120);
  const left = await rowsLeft(sql);
  assert.deepEqual([left.events, left.event_ids, left.issue_hashes], [
    undefined,
    undefined,
    undefined,
  ]);
});

Deno.test("a discarded group is dropped with its files, counted, and taken again on demand", async () => {
  await using database = await testDatabase();
  await using stores = await testObjects();
  const { objects } = stores;
  const { sql } = database;
  await using writer = testWriter(sql);
  await writer.store(PROJECT, ...eventsOf("noise", ["id:1"]), ...eventsOf("signal", ["id:1"]));
  const noise = await issueIdOf(sql, "noise");
  await deleteIssues(sql, { projectId: PROJECT, issueIds: [noise], by, isDiscard: true });
  await purgeDeletedIssues({ sql, objects }, null, never, later);

  const [dropped] = eventsOf("noise", ["id:2"]);
  assert.ok(dropped);
  await writer.store(
    PROJECT,
    dropped,
    attachmentOf(dropped.eventId),
    ...eventsOf("noise", ["id:3"]),
  );
  await writer.store("8", ...eventsOf("noise", ["id:3"]));
  await writer.close();

  const left = await rowsLeft(sql);
  assert.deepEqual([left.events, left.issues, left.attachments], [1, 1, undefined]);
  const outcomes = await sql`
    select category, sum(quantity)::int as quantity from outcomes
    where project_id = ${PROJECT} and kind = 'filtered' and reason = 'discarded'
    group by category order by category
  `;
  assert.deepEqual(outcomes.map((row) => [row.category, row.quantity]), [["attachment", 1], [
    "error",
    2,
  ]]);
  const [discard, ...others] = await listDiscards(sql, PROJECT);
  assert.deepEqual(others, []);
  assert.ok(discard);
  assert.deepEqual([discard.title, discard.discardedBy, discard.timesDropped], [
    "Error: noise",
    by,
    2,
  ]);
  assert.equal((await rowsLeft(sql, "8")).events, 1);

  assert.equal(await takeAgain(sql, "8", discard.id), null);
  assert.equal(await takeAgain(sql, PROJECT, discard.id), "Error: noise");
  assert.equal(await takeAgain(sql, PROJECT, discard.id), null);
  await using again = testWriter(sql);
  await again.store(PROJECT, ...eventsOf("noise", ["id:4"]));
  assert.notEqual(await issueIdOf(sql, "noise"), "");
});

Deno.test("an event that a writer binds to a discard at the moment of its end is taken", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  await writer.store(PROJECT, ...eventsOf("noise", ["id:1"]));
  await deleteIssues(sql, {
    projectId: PROJECT,
    issueIds: [await issueIdOf(sql, "noise")],
    by,
    isDiscard: true,
  });
  const [discard] = await listDiscards(sql, PROJECT);
  // What a writer under way would leave.
  await sql`delete from discards`;
  assert.ok(discard);
  await writer.store(PROJECT, ...eventsOf("noise", ["id:2"]));
  assert.equal((await findIssue(sql, PROJECT, await issueIdOf(sql, "noise")))?.timesSeen, 1);
});

/** Until so many sessions wait for a lock. */
async function waitForLocks(sql: Sql, count: number): Promise<void> {
  await waitFor("sessions that wait", async () => {
    // Those of Citus wait at its workers.
    const rows = WORKERS.length > 0 ? await sql`select 1 from citus_lock_waits` : await sql`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'
    `;
    return rows.length >= count ? true : null;
  });
}

function attachmentOf(eventId: string): Attachment {
  return {
    kind: "attachment",
    attachmentId: newEventId(),
    eventId,
    timestamp: NOON,
    receivedAt: NOON,
    filename: "a.txt",
    contentType: "text/plain",
    attachmentType: "event.attachment",
    blob: { key: "attachments/7/2026-01-01/a", bytes: new Uint8Array([1]) },
  };
}

function feedbackOf(eventId: string): Feedback {
  return {
    kind: "feedback",
    feedbackId: newEventId(),
    eventId,
    timestamp: NOON,
    receivedAt: NOON,
    message: "It broke",
    name: "",
    email: "",
    url: "",
    source: "api",
    platform: "other",
    environment: "",
    release: "",
    user: null,
    traceId: null,
    spanId: null,
    payload: "{}",
  };
}
