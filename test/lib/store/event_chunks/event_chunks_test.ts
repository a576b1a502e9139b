import assert from "node:assert/strict";
import { findEvent, removeEvents } from "@/lib/errors/mod.ts";
import { purgeDeletedIssues } from "@/lib/errors/manage/purge.ts";
import { deleteIssues } from "@/lib/errors/manage/delete_issues.ts";
import { listWholeEventsOfIssue } from "@/lib/errors/events.ts";
import type { ErrorEvent } from "@/lib/records/mod.ts";
import type { Sql } from "@/lib/store/database.ts";
import { MAX_BYTES, unpackChunk } from "@/lib/store/event_chunks/codec.ts";
import { replacePayload } from "@/lib/store/event_chunks/rewrite.ts";
import { packText } from "@/lib/store/values.ts";
import { testDatabase } from "@/test/support/database.ts";
import { errorEvent } from "@/test/support/error_event.ts";
import { testObjects } from "@/test/support/objects.ts";
import { testWriter } from "@/test/support/writer.ts";

const DAY = "2026-11-20";

function secretEvent(index: number, fields: Partial<ErrorEvent> = {}): ErrorEvent {
  const at = new Date(`${DAY}T12:00:00Z`).getTime() + index * 1_000;
  const payload = JSON.stringify({ type: "error", platform: "node", secret: `secret-${index}-` });
  return errorEvent({ timestamp: new Date(at), receivedAt: new Date(at), payload, ...fields });
}

const some = (count: number) => Array.from({ length: count }, (_, index) => secretEvent(index));

/** What chunks hold, as text. */
async function chunks(sql: Sql, projectId = "1"): Promise<string[][]> {
  const rows = await sql<{ body: Uint8Array }[]>`
    select body from event_chunks where project_id = ${projectId} order by "timestamp", chunk_id
  `;
  return rows.map(({ body }) =>
    unpackChunk(body).map(({ payload }) => new TextDecoder().decode(payload))
  );
}

async function issueOf(sql: Sql): Promise<string> {
  const [issue] = await sql<{ id: string }[]>`select id from issues limit 1`;
  return issue?.id ?? "";
}

const found = (events: readonly ErrorEvent[]) =>
  events.map(({ eventId, timestamp }) => ({ eventId, at: timestamp.toISOString() }));

Deno.test("payloads that commit together lie in one chunk of their project and day", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const events = some(5);
  const yesterday = secretEvent(9, { timestamp: new Date("2026-11-19T23:59:59Z") });
  const other = secretEvent(7);
  await Promise.all([
    writer.store("1", ...events, yesterday),
    writer.store("2", other),
  ]);
  assert.deepEqual(await chunks(sql), [[yesterday.payload], events.map(({ payload }) => payload)]);
  assert.deepEqual(await chunks(sql, "2"), [[other.payload]]);
  for (const { eventId, payload } of [...events, yesterday]) {
    assert.equal((await findEvent(sql, "1", eventId))?.payload, payload);
  }
  assert.equal(await findEvent(sql, "2", yesterday.eventId), null);
  const [partition] = await sql`select tableoid::regclass::text as name from event_chunks limit 1`;
  // On Citus it is a shard of that.
  assert.match(partition?.name, /event_chunks_202611(19|20)(_\d+)?$/);
});

Deno.test("a list of whole events has each payload, in the order of the events", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const events = some(7);
  await writer.store("1", ...events.slice(0, 4));
  await writer.store("1", ...events.slice(4));
  const { rows } = await listWholeEventsOfIssue(sql, {
    projectId: "1",
    issueId: await issueOf(sql),
    start: new Date(DAY),
    end: new Date("2026-11-21"),
    environments: [],
    releases: [],
    cursor: null,
    limit: 10,
  });
  assert.deepEqual(
    rows.map(({ payload }) => payload),
    events.map(({ payload }) => payload).reverse(),
  );
});

Deno.test("a repeat leaves no payload behind, in one commit or from two writers at once", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  await using second = testWriter(database.connect());
  const events = some(6);
  await Promise.all([
    writer.store("1", ...events, ...events),
    second.store("1", ...events.toReversed()),
    writer.store("1", ...events),
  ]);
  assert.deepEqual((await chunks(sql)).flat().sort(), events.map(({ payload }) => payload).sort());
});

Deno.test("a chunk takes so many bytes, and a larger payload is alone in its own", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const large = (index: number, length: number) =>
    secretEvent(index, { payload: JSON.stringify({ text: "x".repeat(length) }) });
  const events = [
    large(0, MAX_BYTES * 2),
    large(1, 10),
    large(2, MAX_BYTES / 2),
    large(3, MAX_BYTES / 2),
  ];
  await writer.store("1", ...events);
  const counts = (await chunks(sql)).map(({ length }) => length);
  assert.deepEqual(counts.toSorted(), [1, 1, 2]);
  for (const { eventId, payload } of events) {
    assert.equal((await findEvent(sql, "1", eventId))?.payload, payload);
  }
});

Deno.test("an event that is deleted leaves no byte of its payload, and its neighbours stay", async () => {
  await using database = await testDatabase();
  await using files = await testObjects();
  const { sql } = database;
  await using writer = testWriter(sql);
  const events = some(4);
  await writer.store("1", ...events);
  const stores = { sql, objects: files.objects };
  const issueId = await issueOf(sql);
  await removeEvents(stores, "1", issueId, found(events.slice(1, 3)));
  assert.deepEqual(await chunks(sql), [[events[0]?.payload, events[3]?.payload]]);
  assert.equal((await findEvent(sql, "1", events[3]?.eventId ?? ""))?.payload, events[3]?.payload);
  assert.equal(await findEvent(sql, "1", events[1]?.eventId ?? ""), null);
  await Promise.all(
    [events[0], events[3]].map((event) =>
      removeEvents(stores, "1", issueId, found(event === undefined ? [] : [event]))
    ),
  );
  assert.deepEqual(await chunks(sql), []);
});

Deno.test("a deleted issue takes its payloads out of chunks that others share", async () => {
  await using database = await testDatabase();
  await using files = await testObjects();
  const { sql } = database;
  await using writer = testWriter(sql);
  const stays = secretEvent(1, errorEventOf("stays"));
  const goes = secretEvent(2, errorEventOf("goes"));
  await writer.store("1", stays, goes);
  const [issue] = await sql<{ id: string }[]>`select id from issues where title = 'Error: goes'`;
  await deleteIssues(sql, {
    projectId: "1",
    issueIds: [issue?.id ?? ""],
    by: "ann",
    isDiscard: false,
  });
  const gone = await purgeDeletedIssues(
    { sql, objects: files.objects },
    "1",
    new AbortController().signal,
  );
  assert.equal(gone, 1);
  assert.deepEqual(await chunks(sql), [[stays.payload]]);
});

function errorEventOf(group: string): Pick<ErrorEvent, "title" | "grouping"> {
  const { title, grouping } = errorEvent({ group });
  return { title, grouping };
}

Deno.test("a payload is replaced in its chunk, and nothing is left of what it was", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const [first, second] = some(2);
  assert.ok(first && second);
  await writer.store("1", first, second);
  const [row] = await sql<{ chunkId: string }[]>`select chunk_id as "chunkId" from events limit 1`;
  const place = { eventId: first.eventId, chunkId: row?.chunkId ?? null, chunkDay: new Date(DAY) };
  assert.equal(await sql.begin((tx) => replacePayload(tx, "1", place, '{"new":1}')), true);
  assert.deepEqual(await chunks(sql), [['{"new":1}', second.payload]]);
  assert.equal((await findEvent(sql, "1", first.eventId))?.payload, '{"new":1}');
});

Deno.test("events of earlier versions are read and deleted as before", async () => {
  await using database = await testDatabase();
  await using files = await testObjects();
  const { sql } = database;
  await using writer = testWriter(sql);
  const [old, plain, fresh] = some(3);
  assert.ok(old && plain && fresh);
  await writer.store("1", old, plain, fresh);
  // As they were before there were chunks.
  await sql`delete from event_chunks`;
  for (
    const [event, hex] of [[old, packText(old.payload)], [plain, toHex(plain.payload)]] as const
  ) {
    await sql`
      update events set chunk_id = null, payload = decode(${hex}, 'hex')
      where event_id = ${event.eventId}::uuid
    `;
  }
  assert.equal((await findEvent(sql, "1", old.eventId))?.payload, old.payload);
  assert.equal((await findEvent(sql, "1", plain.eventId))?.payload, plain.payload);
  // Its chunk is gone, as when it is being deleted: there is no half of an event.
  assert.equal(await findEvent(sql, "1", fresh.eventId), null);
  const { events } = await removeEvents(
    { sql, objects: files.objects },
    "1",
    await issueOf(sql),
    found([old, plain, fresh]),
  );
  assert.equal(events, 3);
});

function toHex(text: string): string {
  return new TextEncoder().encode(text).toHex();
}
