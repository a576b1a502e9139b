import assert from "node:assert/strict";
import { changeIssues, type IssueChange } from "@/lib/errors/workflow/change.ts";
import { undoChange } from "@/lib/errors/workflow/undo_change.ts";
import { listActivity } from "@/lib/errors/workflow/activity.ts";
import { passTime } from "@/lib/errors/workflow/clock.ts";
import { peopleOf } from "@/lib/errors/workflow/people.ts";
import { type IssueActor, SYSTEM } from "@/lib/errors/workflow/state.ts";
import { DAY_MS, HOUR_MS } from "@/lib/core/time.ts";
import { testDatabase } from "../../../support/database.ts";
import { errorEvent } from "../../../support/error_event.ts";
import { roomIn } from "../../../support/room_in.ts";
import { testWriter } from "../../../support/writer.ts";

const ANN: IssueActor = { kind: "user", id: "7" };
const BOB: IssueActor = { kind: "user", id: "8" };

/** A project with one issue, seen in `release`. */
async function world(release = "shop@1.0") {
  const database = await testDatabase();
  const { sql } = database;
  const writer = testWriter(sql);
  const happen = (fields: Parameters<typeof errorEvent>[0] = {}) =>
    writer.store("1", errorEvent({ release, ...fields }));
  await happen({ receivedAt: new Date(Date.now() - 1_000) });
  const [issue] = await sql<{ id: string }[]>`select id from issues`;
  const id = issue?.id ?? "";
  return {
    sql,
    id,
    happen,
    change: (change: IssueChange, actor = ANN, now = new Date()) =>
      changeIssues({ sql }, "1", [id], change, actor, now),
    async state() {
      const [row] = await sql`
        select status, substatus, resolution, snooze, priority, assignee_kind, assignee_id, assigned_by,
          status_changed_at, substatus_since, priority_locked_at
        from issues where id = ${id}
      `;
      return { ...row } as Record<string, unknown>;
    },
    types: async () => (await listActivity(sql, "1", id)).map(({ type }) => type),
    async [Symbol.asyncDispose]() {
      await writer[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

const CHANGES: Readonly<Record<string, readonly [IssueChange, string]>> = {
  "resolving it": [{ status: { to: "resolved" } }, "set_resolved"],
  "resolving it in the next release": [
    { status: { to: "resolved", in: { kind: "next" } } },
    "set_resolved_in_release",
  ],
  "resolving it in a release": [
    { status: { to: "resolved", in: { kind: "release", version: "shop@1.0" } } },
    "set_resolved_in_release",
  ],
  "resolving it in a commit": [
    { status: { to: "resolved", in: { kind: "commit", commit: "abc", repository: "shop" } } },
    "set_resolved_in_commit",
  ],
  "archiving it": [{ status: { to: "ignored" } }, "set_ignored"],
  "archiving it for a time": [{ status: { to: "ignored", until: { minutes: 5 } } }, "set_ignored"],
  "archiving it until it escalates": [
    { status: { to: "ignored", until: { escalating: true } } },
    "set_ignored",
  ],
  "setting its substatus": [
    { status: { to: "unresolved", substatus: "escalating" } },
    "set_unresolved",
  ],
  "its priority": [{ priority: "low" }, "set_priority"],
  "assigning it to a person": [{ assignee: { kind: "user", id: "9" } }, "assigned"],
  "assigning it to a team": [{ assignee: { kind: "team", id: "3" } }, "assigned"],
};

for (const [name, [change, type]] of Object.entries(CHANGES)) {
  Deno.test(`a change of an issue is written with its actor, and can be undone: ${name}`, async () => {
    await using it = await world();
    const before = await it.state();
    const { changed, undo } = await it.change(change);
    assert.deepEqual(changed, [it.id]);
    assert.notDeepEqual(await it.state(), before);
    const [entry] = await listActivity(it.sql, "1", it.id);
    assert.deepEqual([entry?.type, entry?.actor], [type, ANN]);
    assert.equal(await undoChange(it, "1", undo ?? "", BOB), 0, "of somebody else");
    assert.equal(await undoChange(it, "2", undo ?? "", ANN), 0, "in another project");

    assert.equal(await undoChange(it, "1", undo ?? "", ANN), 1);
    assert.deepEqual(await it.state(), before);
    assert.deepEqual(await it.types(), []);
    assert.equal(await undoChange(it, "1", undo ?? "", ANN), 0, "twice");
  });
}

Deno.test("what somebody else has changed since is not undone", async () => {
  await using it = await world();
  const { undo } = await it.change({ status: { to: "resolved" }, priority: "low" });
  await it.change({ status: { to: "ignored" } }, BOB);
  assert.equal(await undoChange(it, "1", undo ?? "", ANN), 1);
  const { status, priority } = await it.state();
  assert.deepEqual([status, priority], ["ignored", "high"]);
});

Deno.test("a change to what is so already changes and writes nothing", async () => {
  await using it = await world();
  await it.change({ status: { to: "resolved" } });
  assert.deepEqual(await it.change({ status: { to: "resolved" } }), { changed: [], undo: null });
  assert.deepEqual(await it.types(), ["set_resolved"]);
});

Deno.test("no rule changes what a person has assigned", async () => {
  await using it = await world();
  const rule: IssueActor = { kind: "rule", id: "1" };
  await it.change({ assignee: { kind: "user", id: "9" } }, rule);
  await it.change({ assignee: { kind: "user", id: "10" } }, rule);
  assert.equal((await it.state()).assignee_id, "10");
  await it.change({ assignee: { kind: "user", id: "11" } });
  assert.deepEqual((await it.change({ assignee: { kind: "user", id: "9" } }, rule)).changed, []);
  assert.equal((await it.state()).assignee_id, "11");
});

Deno.test("who changes a status and who is assigned hears of the issue", async () => {
  await using it = await world();
  await it.change({ status: { to: "resolved" }, assignee: { kind: "user", id: "9" } });
  const people = await peopleOf(it.sql, "1", [it.id]);
  assert.deepEqual(people.map(({ userId, subscription }) => [userId, subscription]), [
    ["7", "changed_status"],
    ["9", "assigned"],
  ]);
});

Deno.test("an old client does not reopen what the next release resolved, and a new release does", async () => {
  await using it = await world("shop@1.5");
  await it.change(
    { status: { to: "resolved", in: { kind: "next" } } },
    ANN,
    new Date(Date.now() - 500),
  );
  for (const release of ["shop@1.4", "shop@1.5", ""]) {
    await it.happen({ release });
    assert.equal((await it.state()).status, "resolved", release);
  }
  await it.happen({ release: "shop@1.6" });
  const { status, substatus, resolution } = await it.state();
  assert.deepEqual([status, substatus, resolution], ["unresolved", "regressed", null]);
  assert.deepEqual(await it.types(), ["set_regression", "set_resolved_in_release"]);
});

Deno.test("the next release is that of the program in which the issue was seen", async () => {
  await using it = await world("worker@1.5");
  await it.happen({ release: "backoffice@5.3", group: "other" });
  await it.change(
    { status: { to: "resolved", in: { kind: "next" } } },
    ANN,
    new Date(Date.now() - 500),
  );
  const { resolution } = await it.state();
  assert.equal((resolution as { after: string }).after, "worker@1.5");
  await it.happen({ release: "worker@1.5" });
  assert.equal((await it.state()).status, "resolved");
  await it.happen({ release: "worker@1.6" });
  assert.equal((await it.state()).status, "unresolved");
});

Deno.test("of releases without versions the time at which they began decides", async () => {
  await using it = await world("a1b2c3d4e5f6");
  const before = new Date(Date.now() - 3 * HOUR_MS);
  await it.sql`update releases set created_at = ${before}`;
  await it.happen({
    release: "ffffffffffff",
    group: "other",
    timestamp: new Date(before.getTime() - 5 * HOUR_MS),
  });
  const latest = { kind: "release", version: "latest" } as const;
  await it.change({ status: { to: "resolved", in: latest } }, ANN, new Date(Date.now() - 500));
  await it.happen({ release: "ffffffffffff" });
  assert.equal((await it.state()).status, "resolved");
  await it.happen({ release: "b1b2c3d4e5f6" });
  assert.equal((await it.state()).status, "unresolved");
});

Deno.test("an archived issue wakes after so many more events", async () => {
  await using it = await world();
  await it.change({ status: { to: "ignored", until: { count: 2 } }, priority: "low" });
  await it.sql`update issues set priority_locked_at = null`;
  await it.happen();
  assert.equal((await it.state()).substatus, "archived_until_condition_met");
  await it.happen();
  const { status, substatus, snooze, priority } = await it.state();
  assert.deepEqual([status, substatus, snooze, priority], [
    "unresolved",
    "escalating",
    null,
    "medium",
  ]);
});

Deno.test("an archived issue wakes after so many more users, and within a window only", async () => {
  await using it = await world();
  await it.change({ status: { to: "ignored", until: { userCount: 2, count: 3, window: 60 } } });
  await it.happen({ user: "id:1" });
  await it.happen({ user: "id:1" });
  assert.equal((await it.state()).status, "ignored");
  await it.happen({ user: "id:2" });
  assert.equal((await it.state()).substatus, "escalating");
});

const go = new AbortController().signal;

Deno.test("an archived issue wakes when its time is over, without an event", async () => {
  await using it = await world();
  await it.change({ status: { to: "ignored", until: { minutes: 60 } } });
  await passTime(it.sql, new Date(Date.now() + HOUR_MS / 2), go);
  assert.equal((await it.state()).status, "ignored");
  await passTime(it.sql, new Date(Date.now() + 2 * HOUR_MS), go);
  const { status, substatus, snooze } = await it.state();
  assert.deepEqual([status, substatus, snooze], ["unresolved", "ongoing", null]);
});

Deno.test("what was new for a week is ongoing, with the priority that it had at first", async () => {
  await using it = await world();
  await it.sql`update issues set priority = 'low'`;
  await passTime(it.sql, new Date(Date.now() + 6 * DAY_MS), go);
  assert.equal((await it.state()).substatus, "new");
  await passTime(it.sql, new Date(Date.now() + 8 * DAY_MS), go);
  const { substatus, priority } = await it.state();
  assert.deepEqual([substatus, priority], ["ongoing", "high"]);
  assert.deepEqual(await it.types(), ["auto_set_ongoing"]);
});

Deno.test("an issue archived until it escalates wakes when it happens more than was expected", async () => {
  await roomIn(HOUR_MS, 15_000);
  await using it = await world();
  await it.change({ status: { to: "ignored", until: { escalating: true } } });
  const soon = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS + HOUR_MS - 1);
  for (let i = 0; i < 9; i++) await it.happen();
  await passTime(it.sql, soon, go);
  assert.equal((await it.state()).substatus, "archived_until_escalating", "ten times as often");
  await it.happen();
  await passTime(it.sql, soon, go);
  assert.equal((await it.state()).substatus, "escalating");
});

Deno.test("an issue is resolved by its age when it is old, and not when it came again after somebody found it old", async () => {
  await using test = await world();
  const change: IssueChange = { status: { to: "resolved", ageHours: 24 } };
  await test.change(change, SYSTEM);
  assert.equal((await test.state()).status, "unresolved");
  await test.change(change, SYSTEM, new Date(Date.now() + 2 * DAY_MS));
  assert.equal((await test.state()).status, "resolved");
});
