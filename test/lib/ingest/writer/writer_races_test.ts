import { setIssueStatus } from "../../../support/issue_status.ts";
import assert from "node:assert/strict";
import type { Sql } from "@/lib/store/database.ts";
import { errorEvent } from "@/test/support/error_event.ts";
import { databaseKind, testDatabase } from "@/test/support/database.ts";
import { logRecord } from "@/test/support/records.ts";
import { WORKERS } from "../../../support/throw_away_database.ts";
import { waitFor } from "@/test/support/wait_for.ts";
import { testWriter } from "@/test/support/writer.ts";

/** Small transactions, many of them: more chances to meet. */
const SMALL = { batch: { maxRecords: 8, maxBytes: 1_000_000 }, inFlight: 2 };

interface Totals {
  events: number;
  issues: number;
  timesSeen: number;
  usersSeen: number;
  users: number;
  hours: number;
  days: number;
  projectHours: number;
  accepted: number;
}

async function totals(sql: Sql): Promise<Totals | undefined> {
  const [row] = await sql<Totals[]>`
    select (select count(*) from events)::int as events,
      (select count(*) from issues)::int as issues,
      (select sum(times_seen) from issues)::int as "timesSeen",
      (select sum(users_seen) from issues)::int as "usersSeen",
      (select count(*) from issue_users)::int as users,
      (select sum(times_seen) from issue_hours)::int as hours,
      (select sum(times_seen) from issue_days)::int as days,
      (select sum(times_seen) from project_hours)::int as "projectHours",
      (select sum(quantity) from outcomes where kind = 'accepted')::int as accepted
  `;
  return row;
}

Deno.test("two writers store an event id once when both get it at the same time", async () => {
  await using database = await testDatabase();
  await using one = testWriter(database.sql, SMALL);
  await using two = testWriter(database.connect(), SMALL);
  const events = Array.from(
    { length: 100 },
    (_, i) => errorEvent({ group: `group ${i % 7}`, user: `id:${i % 5}` }),
  );

  const results = await Promise.all([
    ...events.map((event) => one.store("1", event)),
    ...events.toReversed().map((event) => two.store("1", event)),
  ]);

  assert.equal(results.filter(({ stored }) => stored === 1).length, 100);
  assert.equal(results.filter(({ duplicates }) => duplicates === 1).length, 100);
  assert.deepEqual(await totals(database.sql), {
    events: 100,
    issues: 7,
    timesSeen: 100,
    usersSeen: 35,
    users: 35,
    hours: 100,
    days: 100,
    projectHours: 100,
    accepted: 100,
  });
});

Deno.test("four writers on the same projects and issues never fail and lose no count", async () => {
  await using database = await testDatabase();
  await using writers = new AsyncDisposableStack();
  const all = Array.from(
    { length: 4 },
    () => writers.use(testWriter(database.connect(), SMALL)),
  );

  const results = await Promise.all(
    all.flatMap((writer, w) =>
      Array.from({ length: 60 }, (_, i) => {
        // Each writer meets projects, issues and users in another order.
        const at = (i * (2 * w + 1)) % 60;
        const event = errorEvent({ group: `group ${at % 6}`, user: `id:${at % 4}` });
        return writer.store(String(1 + at % 5), event);
      })
    ),
  );

  assert.ok(results.every(({ stored }) => stored === 1));
  const { events, timesSeen, usersSeen, users, accepted } = await totals(database.sql) ?? {};
  assert.deepEqual([events, timesSeen, accepted], [240, 240, 240]);
  assert.equal(usersSeen, users);
  const [hashes] = await database.sql`select count(*)::int as count from issue_hashes`;
  const [issues] = await database.sql`select count(*)::int as count from issues`;
  assert.deepEqual([hashes?.count, issues?.count], [30, 30]);
});

Deno.test("two writers that meet a new group at once make one issue of it", async () => {
  await using database = await testDatabase();
  await using one = testWriter(database.sql);
  await using two = testWriter(database.connect());

  for (let round = 0; round < 20; round++) {
    const groups = Array.from({ length: 5 }, (_, i) => `round ${round} group ${i}`);
    await Promise.all([
      one.store("1", ...groups.map((group) => errorEvent({ group }))),
      two.store("1", ...groups.toReversed().map((group) => errorEvent({ group }))),
    ]);
  }

  const [row] = await database.sql`
    select count(*)::int as issues, min(times_seen)::int as min, max(times_seen)::int as max
    from issues
  `;
  assert.deepEqual(row, { issues: 100, min: 2, max: 2 });
});

Deno.test("resolving an issue while events of it arrive reopens it for those received later, and only them", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using one = testWriter(sql, SMALL);
  await using two = testWriter(database.connect(), SMALL);
  await one.store("1", errorEvent());
  const [issue] = await sql<{ id: string }[]>`select id from issues`;
  const ids = [issue?.id ?? ""];
  const resolvedAt = new Date();
  const received = (afterMs: number) =>
    errorEvent({ receivedAt: new Date(resolvedAt.getTime() + afterMs) });
  const storeMany = (afterMs: number) =>
    Array.from(
      { length: 40 },
      (_, i) => (i % 2 === 0 ? one : two).store("1", received(afterMs - i)),
    );
  const state = async () => {
    const [row] = await sql`select status, substatus from issues`;
    return row;
  };

  await Promise.all([
    ...storeMany(-1),
    setIssueStatus(sql, "1", ids, "resolved", resolvedAt),
    ...storeMany(-1),
  ]);
  assert.deepEqual(await state(), { status: "resolved", substatus: null });

  await Promise.all([...storeMany(-1), one.store("1", received(5)), ...storeMany(-1)]);
  assert.deepEqual(await state(), { status: "unresolved", substatus: "regressed" });
});

Deno.test("writers that begin issues at once number them from one without a gap or a double", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using one = testWriter(sql, SMALL);
  await using two = testWriter(database.connect(), SMALL);
  const groups = Array.from({ length: 60 }, (_, i) => `group ${i}`);

  await Promise.all(groups.flatMap((group, i) => [
    one.store(String(1 + i % 2), errorEvent({ group })),
    two.store(String(1 + i % 2), errorEvent({ group })),
  ]));

  const rows = await sql`
    select project_id, count(*)::int as issues, count(distinct number)::int as numbers,
      min(number)::int as first, max(number)::int as last,
      (select last_number::int from issue_numbers where project_id = issues.project_id) as taken
    from issues group by project_id order by project_id
  `;
  const whole = { issues: 30, numbers: 30, first: 1, last: 30, taken: 30 };
  assert.deepEqual([...rows], [{ project_id: "1", ...whole }, { project_id: "2", ...whole }]);
});

Deno.test("steady traffic asks for no numbers", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  await writer.store("1", errorEvent());
  await sql`delete from issue_numbers`;
  await writer.store("1", errorEvent());
  assert.deepEqual([...await sql`select number from issues`], [{ number: "1" }]);
  assert.deepEqual([...await sql`select * from issue_numbers`], []);
});

Deno.test("an event that comes again by another process is a duplicate, whatever comes with it", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using first = testWriter(sql);
  const old = errorEvent({ user: "id:1" });
  await first.store("1", old);
  // It knows nothing of the first, and expects each event to be new.
  await using second = testWriter(sql);

  const results = await Promise.all([
    second.store("1", errorEvent({ user: "id:2" }), { ...old, timestamp: new Date() }, logRecord()),
    second.store("2", errorEvent()),
  ]);
  await using third = testWriter(sql);
  results.push(await third.store("1", logRecord({ attributes: "{" }), old));

  assert.deepEqual(results, [
    { stored: 2, duplicates: 1, refused: 0 },
    { stored: 1, duplicates: 0, refused: 0 },
    { stored: 0, duplicates: 1, refused: 1 },
  ]);
  const [counts] = await sql`
    select (select count(*) from events)::int as events,
      (select count(*) from event_ids)::int as ids,
      (select sum(times_seen) from issues)::int as "timesSeen",
      (select sum(users_seen) from issues)::int as "usersSeen",
      (select sum(times_seen) from issue_hours)::int as hours,
      (select sum(quantity) from outcomes where category = 'error' and kind = 'accepted')::int as accepted,
      (select sum(quantity) from outcomes where category = 'error' and kind = 'duplicate')::int as duplicates
  `;
  assert.deepEqual(counts, {
    events: 3,
    ids: 3,
    timesSeen: 3,
    usersSeen: 2,
    hours: 3,
    accepted: 3,
    duplicates: 2,
  });
});

Deno.test("what comes while a transaction runs commits together, whichever project it is of", {
  // Each worker of Citus has numbers of its own for its part of a transaction.
  ignore: WORKERS.length > 0,
}, async () => {
  await using database = await testDatabase();
  await using writer = testWriter(database.sql);

  const first = writer.store("1", errorEvent());
  // Begun by now, so that none of the others is in it.
  await Promise.resolve();
  const others = Array.from(
    { length: 20 },
    (_, i) => writer.store(String(i % 5 + 1), errorEvent()),
  );
  await Promise.all([first, ...others]);

  const [counted] = await database
    .sql`select count(distinct xmin::text)::int as commits from events`;
  // Two; one more begins beside the first where that takes long, as on a busy machine.
  assert.ok(counted !== undefined && counted.commits <= 3, `${counted?.commits} transactions`);
});

Deno.test("a transaction that waits for a lock holds up its own projects only", {
  // The embedded store does one transaction at a time.
  ignore: databaseKind === "embedded",
}, async () => {
  await using database = await testDatabase();
  await using writer = testWriter(database.sql);
  await writer.store("1", errorEvent({ group: "locked" }));

  let held: Promise<unknown> | undefined;
  await database.connect().begin(async (tx) => {
    await tx`select 1 from issues where project_id = 1 for update`;
    held = writer.store("1", errorEvent({ group: "locked" }));
    await Promise.resolve();
    const again = writer.store("1", errorEvent({ group: "locked" }));
    // It has waited long enough for a transaction of its own by then, which would be held up too.
    await waitFor("a long wait", () => writer.waiting().ageMs > 500 || null);
    await writer.store("2", errorEvent());
    held = Promise.all([held, again]);
  });
  await held;

  const [counted] = await database.sql`select count(*)::int as events from events`;
  assert.equal(counted?.events, 4);
});
