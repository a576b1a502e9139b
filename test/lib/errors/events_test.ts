import assert from "node:assert/strict";
import type { Sql } from "@/lib/store/database.ts";
import {
  findEvent,
  findEventOfIssue,
  listEventsOfIssue,
  neighbours,
  type StoredEvent,
} from "@/lib/errors/events.ts";
import type { ErrorEvent } from "@/lib/records/mod.ts";
import { errorEvent, newEventId } from "../../support/error_event.ts";
import { testDatabase } from "../../support/database.ts";
import { testWriter } from "../../support/writer.ts";

const HOUR_MS = 3_600_000;
const NOW = Date.parse("2026-11-20T12:00:00Z");

async function store(sql: Sql, ...events: ErrorEvent[]): Promise<string> {
  await using writer = testWriter(sql);
  await writer.store("1", ...events);
  const first = await findEvent(sql, "1", events[0]?.eventId ?? "");
  return first?.issueId ?? "";
}

/** Oldest first, a few at the same moment, over several days. */
function someEvents(count: number): ErrorEvent[] {
  return Array.from({ length: count }, (_, i) =>
    errorEvent({
      timestamp: new Date(NOW - Math.floor((count - i) / 2) * 7 * HOUR_MS),
      environment: i % 3 === 0 ? "staging" : "production",
    })).sort((a, b) =>
      a.timestamp.getTime() - b.timestamp.getTime() || (a.eventId < b.eventId ? -1 : 1)
    );
}

const EVERYTHING = {
  environments: [],
  releases: [],
  start: new Date(NOW - 400 * HOUR_MS),
  end: new Date(NOW + HOUR_MS),
};

Deno.test("findEvent() returns an event as it was stored, of its own project only", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const event = errorEvent({
    user: "id:7",
    traceId: "0af7651916cd43dd8448eb211c80319c",
    transaction: "/pay",
    tags: [["os", "Linux"], ["browser", 'Fire"fox'], ["__proto__", "x"]],
    payload: JSON.stringify({ message: 'a 💥 \\ " \u2028' }),
  });
  const issueId = await store(sql, event);

  const expected: StoredEvent = {
    eventId: event.eventId,
    issueId,
    timestamp: event.timestamp,
    receivedAt: event.receivedAt,
    level: "error",
    platform: "node",
    environment: "production",
    release: "shop@1.0",
    transaction: "/pay",
    title: "Error: group",
    userKey: "id:7",
    traceId: "0af7651916cd43dd8448eb211c80319c",
    tags: [["__proto__", "x"], ["browser", 'Fire"fox'], ["os", "Linux"]],
    payload: event.payload,
  };
  assert.deepEqual({ ...await findEvent(sql, "1", event.eventId) }, expected);
  assert.equal(await findEvent(sql, "2", event.eventId), null);
  assert.equal(await findEvent(sql, "1", newEventId()), null);
});

Deno.test("findEventOfIssue() finds the latest, the oldest and any other event of an issue", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const events = someEvents(9);
  const other = errorEvent({ group: "other" });
  const issueId = await store(sql, ...events, other);
  const id = async (which: string) =>
    (await findEventOfIssue(sql, "1", issueId, which))?.eventId ?? null;

  assert.equal(await id("oldest"), events[0]?.eventId);
  assert.equal(await id("latest"), events.at(-1)?.eventId);
  assert.equal(await id(events[4]?.eventId ?? ""), events[4]?.eventId);
  assert.equal(await id(other.eventId), null, "an event of another issue");
  assert.equal(await findEventOfIssue(sql, "1", "999999", "latest"), null);
});

Deno.test("findEventOfIssue() finds the oldest event that is left when older ones have expired", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const events = someEvents(9);
  const issueId = await store(sql, ...events);
  await sql`delete from events where "timestamp" < ${events[5]?.timestamp ?? null}`;

  const oldest = await findEventOfIssue(sql, "1", issueId, "oldest");

  const left = events.filter(({ timestamp }) => timestamp >= (events[5]?.timestamp ?? timestamp));
  assert.equal(oldest?.eventId, left[0]?.eventId);
});

Deno.test("neighbours() leads from each event to the next one, forth and back", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const events = someEvents(11);
  const issueId = await store(sql, ...events, errorEvent({ group: "other" }));

  for (const [index, event] of events.entries()) {
    assert.deepEqual(await neighbours(sql, "1", { ...event, issueId }), {
      newer: events[index + 1]?.eventId ?? null,
      older: events[index - 1]?.eventId ?? null,
    });
  }
});

Deno.test("listEventsOfIssue() pages through the events in scope, newest first", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const events = someEvents(17);
  const issueId = await store(sql, ...events, errorEvent({ group: "other" }));
  const list = (fields: Partial<Parameters<typeof listEventsOfIssue>[1]>) =>
    listEventsOfIssue(sql, {
      projectId: "1",
      issueId,
      ...EVERYTHING,
      cursor: null,
      limit: 5,
      ...fields,
    });
  const ids = events.toReversed().map(({ eventId }) => eventId);

  const pages: string[][] = [];
  let page = await list({});
  pages.push(page.rows.map(({ eventId }) => eventId));
  while (page.nextCursor !== null) {
    page = await list({ cursor: page.nextCursor });
    pages.push(page.rows.map(({ eventId }) => eventId));
  }
  const back = await list({ cursor: page.previousCursor });

  assert.deepEqual(pages.flat(), ids);
  assert.deepEqual(back.rows.map(({ eventId }) => eventId), pages.at(-2));
  const staged = await list({ environments: ["staging"], limit: 100 });
  assert.equal(staged.rows.length, events.filter((e) => e.environment === "staging").length);
  const [start, end] = [events[3]?.timestamp, events[9]?.timestamp];
  assert.ok(start && end);
  const between = await list({ start, end, limit: 100 });
  assert.deepEqual(
    between.rows.map(({ eventId }) => eventId),
    events.filter((e) => e.timestamp >= start && e.timestamp < end).toReversed()
      .map(({ eventId }) => eventId),
  );
  for (const cursor of ["x", "", btoa('[1,"2026","zz"]')]) {
    assert.equal((await list({ cursor })).rows[0]?.eventId, ids[0]);
  }
});
