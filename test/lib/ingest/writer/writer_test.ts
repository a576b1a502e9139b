import assert from "node:assert/strict";
import { payloadsOf } from "@/lib/store/event_chunks/read.ts";
import type { Outcome } from "@/lib/records/mod.ts";
import { StoreUnavailable } from "@/lib/core/errors.ts";
import { errorEvent, newEventId } from "@/test/support/error_event.ts";
import { testDatabase } from "@/test/support/database.ts";
import { transactionRecord } from "@/test/support/records.ts";
import { waitFor } from "@/test/support/wait_for.ts";
import { testWriter } from "@/test/support/writer.ts";

const HOUR_MS = 3_600_000;

Deno.test("commit() stores an event with its issue and adds it to every count", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const timestamp = new Date("2026-11-20T13:45:06.789Z");
  const event = errorEvent({
    timestamp,
    receivedAt: new Date("2026-11-20T13:45:07Z"),
    level: "fatal",
    platform: "python",
    transaction: "/checkout",
    title: 'KeyError: "a\\b"',
    culprit: "shop in pay",
    metadata: { type: "KeyError", value: '"a\\b"' },
    user: "id:7",
    traceId: "0af7651916cd43dd8448eb211c80319c",
    tags: [["browser", "Firefox"], ["__proto__", 'quo"ted, {x}']],
  });

  assert.deepEqual(await writer.store("1", event), { stored: 1, duplicates: 0, refused: 0 });

  const [stored] = await sql`
    select *, replace(event_id::text, '-', '') as event_id, replace(trace_id::text, '-', '') as trace_id,
      replace(group_hash::text, '-', '') as group_hash
    from events_with_tags
  `;
  const issueId = stored?.issue_id;
  const chunkId = stored?.chunk_id;
  const [payload] = await payloadsOf(sql, "1", [{
    eventId: event.eventId,
    ownPayload: stored?.payload,
    chunkId,
    chunkDay: new Date("2026-11-20"),
  }]);
  const text = { tags: JSON.stringify(stored?.tags), payload };
  assert.deepEqual({ ...stored, ...text }, {
    project_id: "1",
    issue_id: issueId,
    timestamp,
    event_id: event.eventId,
    received_at: event.receivedAt,
    merged_from: null,
    group_hash: event.grouping.hashes[0],
    level: "fatal",
    platform: "python",
    environment: "production",
    release: "shop@1.0",
    transaction: "/checkout",
    title: event.title,
    user_key: "id:7",
    trace_id: event.traceId,
    span_id: event.spanId,
    tags: '{"browser":"Firefox","__proto__":"quo\\"ted, {x}"}',
    payload: event.payload,
    chunk_id: chunkId,
  });
  assert.deepEqual([...await sql`select * from issues`], [{
    project_id: "1",
    id: issueId,
    type: "error",
    title: event.title,
    culprit: "shop in pay",
    level: "fatal",
    platform: "python",
    metadata: event.metadata,
    status: "unresolved",
    status_changed_at: event.receivedAt,
    first_seen: timestamp,
    last_seen: timestamp,
    last_seen_on: new Date("2026-11-20"),
    first_release: "shop@1.0",
    last_release: "shop@1.0",
    times_seen: "1",
    users_seen: "1",
    merged_into: null,
    merged_at: null,
    number: "1",
    substatus: "new",
    substatus_since: event.receivedAt,
    priority: "high",
    priority_locked_at: null,
    assignee_kind: null,
    assignee_id: null,
    assigned_by: null,
    resolution: null,
    reviewed_at: null,
    snooze: null,
    last_event_id: event.eventId.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"),
  }]);
  const scope = { project_id: "1", environment: "production", release: "shop@1.0", times_seen: 1 };
  const hour = new Date("2026-11-20T13:00:00Z");
  const day = new Date("2026-11-20");
  assert.deepEqual([...await sql`select * from issue_hours`], [
    { ...scope, issue_id: issueId, hour },
  ]);
  assert.deepEqual([...await sql`select * from issue_days`], [
    { ...scope, issue_id: issueId, day },
  ]);
  assert.deepEqual([...await sql`select * from project_hours`], [
    { ...scope, hour, last_seen: timestamp },
  ]);
  const tags = await sql`select key, value, last_seen from issue_tags order by key`;
  assert.deepEqual([...tags], [
    { key: "__proto__", value: 'quo"ted, {x}', last_seen: day },
    { key: "browser", value: "Firefox", last_seen: day },
    { key: "environment", value: "production", last_seen: day },
    { key: "release", value: "shop@1.0", last_seen: day },
    { key: "transaction", value: "/checkout", last_seen: day },
  ]);
  const outcomes = await sql`select project_id, category, kind, reason, quantity from outcomes`;
  assert.deepEqual([...outcomes], [
    { project_id: "1", category: "error", kind: "accepted", reason: "", quantity: "1" },
  ]);
});

Deno.test("commit() stores an event id once, in one batch or in many", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const event = errorEvent({ user: "id:1" });

  const results = await Promise.all([
    writer.store("1", event, event),
    writer.store("1", event),
    writer.store("2", event),
  ]);
  const later = await writer.store("1", event, errorEvent());

  assert.deepEqual(results.map(({ stored, duplicates }) => [stored, duplicates]), [
    [1, 1],
    [0, 1],
    [1, 0],
  ]);
  assert.deepEqual(later, { stored: 1, duplicates: 1, refused: 0 });
  const [counts] = await sql`
    select (select count(*) from events)::int as events,
      (select sum(times_seen) from issues)::int as "timesSeen",
      (select sum(users_seen) from issues)::int as "usersSeen",
      (select sum(times_seen) from issue_hours)::int as hours,
      (select sum(times_seen) from issue_days)::int as days,
      (select sum(times_seen) from project_hours)::int as "projectHours",
      (select sum(quantity) from outcomes where kind = 'accepted')::int as accepted,
      (select sum(quantity) from outcomes where kind = 'duplicate')::int as duplicates
  `;
  assert.deepEqual(counts, {
    events: 3,
    timesSeen: 3,
    usersSeen: 2,
    hours: 3,
    days: 3,
    projectHours: 3,
    accepted: 3,
    duplicates: 3,
  });
});

Deno.test("commit() adds the outcomes that come with a batch, also when it has no records", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const dropped: Outcome = {
    category: "session",
    kind: "unsupported",
    reason: "later",
    quantity: 2,
  };

  await writer.commit("1", { records: [], outcomes: [dropped] });
  await writer.commit("1", { records: [errorEvent()], outcomes: [dropped, dropped] });

  const rows = await sql`select category, kind, reason, quantity from outcomes order by category`;
  assert.deepEqual([...rows], [
    { category: "error", kind: "accepted", reason: "", quantity: "1" },
    { category: "session", kind: "unsupported", reason: "later", quantity: "6" },
  ]);
});

Deno.test("count() is written soon by itself, and at once by close()", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const refused: Outcome = { category: "error", kind: "refused", reason: "no_key", quantity: 1 };
  const total = async () => {
    const [row] = await sql<{ total: number | null }[]>`
      select sum(quantity)::int as total from outcomes
    `;
    return row?.total ?? 0;
  };

  writer.count("7", [refused, refused]);
  await waitFor("the counts", async () => await total() === 2 || null);
  writer.count("7", [refused]);
  await writer.close();

  assert.equal(await total(), 3);
});

Deno.test("close() writes what is waiting, and refuses what comes after it", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql, { batch: { maxRecords: 2, maxBytes: 1_000_000 } });

  const commits = Array.from({ length: 20 }, () => writer.store("1", errorEvent()));
  await writer.close();

  assert.equal((await Promise.all(commits)).filter(({ stored }) => stored === 1).length, 20);
  await assert.rejects(writer.store("1", errorEvent()), StoreUnavailable);
});

Deno.test("commit() refuses at once when too many records or bytes wait", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  for (const queue of [{ maxRecords: 3, maxBytes: 1e9 }, { maxRecords: 1e9, maxBytes: 5_000 }]) {
    await using writer = testWriter(sql, { queue });
    const commits = Array.from({ length: 10 }, () => writer.store("1", errorEvent()));

    const results = await Promise.allSettled(commits);
    const refused = results.filter(({ status }) => status === "rejected");

    assert.ok(refused.length >= 5 && refused.length < 10, `${refused.length} were refused`);
    assert.equal((await writer.store("1", errorEvent())).stored, 1);
  }
});

Deno.test("commit() files events of any day", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const now = Date.now();
  const times = [
    now - 89 * 24 * HOUR_MS,
    now - 24 * HOUR_MS,
    now,
    now + 30 * 24 * HOUR_MS,
    Date.UTC(1999, 11, 31, 23, 59, 59, 999),
    Date.UTC(2000, 0, 1),
  ].map((time) => new Date(time));

  const results = await Promise.all(
    times.map((timestamp) => writer.store("1", errorEvent({ timestamp }))),
  );

  assert.deepEqual(results.map(({ stored }) => stored), times.map(() => 1));
  const rows = await sql<{ timestamp: Date }[]>`select "timestamp" from events order by 1`;
  assert.deepEqual(
    rows.map(({ timestamp }) => timestamp.getTime()),
    times.map((time) => time.getTime()).sort((a, b) => a - b),
  );
});

Deno.test("a record that Postgres refuses does not sink its neighbours", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const good = Array.from({ length: 21 }, (_, i) => errorEvent({ group: `good ${i % 3}` }));
  const bad = [
    errorEvent({ title: "NUL \0 in a title" }),
    errorEvent({ eventId: "no event id" }),
    errorEvent({ timestamp: new Date(NaN) }),
    errorEvent({ tags: [["k", "\0"]] }),
    errorEvent({ grouping: { version: 1, hashes: ["xyz"] } }),
  ];
  const events = [...good.slice(0, 10), ...bad, ...good.slice(10)];

  const results = await Promise.all([
    ...events.map((event) => writer.store("1", event)),
    writer.store("1", ...bad),
  ]);

  const total = (kind: "stored" | "duplicates" | "refused") =>
    results.reduce((sum, result) => sum + result[kind], 0);
  assert.deepEqual([total("stored"), total("duplicates"), total("refused")], [21, 0, 10]);
  const [counts] = await sql`
    select (select count(*) from events)::int as events,
      (select sum(times_seen) from issues)::int as "timesSeen",
      (select sum(quantity) from outcomes where kind = 'accepted')::int as accepted,
      (select sum(quantity) from outcomes
        where kind = 'invalid' and reason = 'refused_by_store')::int as refused
  `;
  assert.deepEqual(counts, { events: 21, timesSeen: 21, accepted: 21, refused: 10 });
});

Deno.test("names that are too long for an index are cut, not refused", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const long = "€".repeat(5_000);

  const result = await writer.store(
    "1",
    errorEvent({
      environment: long,
      release: long,
      user: `id:${long}`,
      transaction: long,
      tags: [["k", long]],
    }),
  );

  assert.equal(result.stored, 1);
  const [row] =
    await sql`select length(transaction) as transaction, tags ->> 'k' as k from events_with_tags`;
  assert.deepEqual(row, { transaction: 5_000, k: long });
});

Deno.test("commit() refuses a project id that is no number", async () => {
  await using database = await testDatabase();
  await using writer = testWriter(database.sql);

  for (const projectId of ["", "x", "1;", "-1", "9".repeat(19), newEventId()]) {
    await assert.rejects(writer.store(projectId, errorEvent()), TypeError);
  }
});

Deno.test("a request of very many records may take longer, so that a replay of it ends some day", async () => {
  await using database = await testDatabase();
  // The first one makes partitions, which takes longer than an impatient writer waits.
  await using patient = testWriter(database.sql);
  await patient.store("1", transactionRecord());
  await using writer = testWriter(database.sql, { timeoutMs: 500 });
  const many = Array.from({ length: 10_000 }, () => transactionRecord());
  const { stored } = await writer.commit("1", { records: many, outcomes: [] });
  assert.equal(stored, 10_000);
});
