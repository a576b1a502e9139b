import assert from "node:assert/strict";
import { findEvent, removeEvents } from "@/lib/errors/mod.ts";
import type { ErrorEvent } from "@/lib/records/mod.ts";
import type { Sql } from "@/lib/store/database.ts";
import { MAX_PAYLOADS, newChunkId, unpackChunk } from "@/lib/store/event_chunks/codec.ts";
import { joinChunks } from "@/lib/store/event_chunks/join.ts";
import { testDatabase } from "@/test/support/database.ts";
import { errorEvent } from "@/test/support/error_event.ts";
import { testObjects } from "@/test/support/objects.ts";
import { type TestWriter, testWriter } from "@/test/support/writer.ts";

const NEVER = new AbortController().signal;
const soon = () => new Date(Date.now() + 120_000);
const TODAY = new Date().toISOString().slice(0, 10);

/** Events of today, each in a chunk of its own. */
async function aloneEach(
  writer: TestWriter,
  count: number,
  projectId = "1",
): Promise<ErrorEvent[]> {
  const events = Array.from({ length: count }, (_, index) =>
    errorEvent({
      timestamp: new Date(`${TODAY}T00:00:00Z`),
      payload: JSON.stringify({ type: "error", platform: "node", number: index }),
    }));
  for (const event of events) await writer.store(projectId, event);
  return events;
}

async function sizes(sql: Sql, projectId = "1"): Promise<number[]> {
  const rows = await sql<{ body: Uint8Array }[]>`
    select body from event_chunks where project_id = ${projectId} order by chunk_id
  `;
  return rows.map(({ body }) => unpackChunk(body).length);
}

async function assertReadable(sql: Sql, events: readonly ErrorEvent[], projectId = "1") {
  for (const { eventId, payload } of events) {
    assert.equal((await findEvent(sql, projectId, eventId))?.payload, payload);
  }
}

Deno.test("chunks of single events are joined, and each event is read as before", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const events = await aloneEach(writer, 12);
  const others = await aloneEach(writer, 9, "2");
  assert.equal(await joinChunks(sql, NEVER), 0, "what is being written is left alone");
  assert.equal(await joinChunks(sql, NEVER, soon()), 11 + 8);
  assert.deepEqual([await sizes(sql), await sizes(sql, "2")], [[12], [9]]);
  await assertReadable(sql, events);
  await assertReadable(sql, others, "2");
});

Deno.test("few chunks wait for more of their day, and are joined when it is over", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const events = await aloneEach(writer, 3);
  assert.equal(await joinChunks(sql, NEVER, soon()), 0);
  const later = new Date(Date.now() + 2 * 86_400_000);
  assert.equal(await joinChunks(sql, NEVER, later), 2);
  assert.deepEqual(await sizes(sql), [3]);
  const [row] = await sql`select is_small as "isSmall" from event_chunks`;
  assert.equal(row?.isSmall, false, "it is looked at no more");
  await assertReadable(sql, events);
});

Deno.test("a chunk takes so many payloads, and what is joined is joined again with what comes later", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const events = await aloneEach(writer, 20);
  await joinChunks(sql, NEVER, soon());
  events.push(...await aloneEach(writer, 60));
  await joinChunks(sql, NEVER, soon());
  assert.deepEqual(await sizes(sql), [MAX_PAYLOADS, 80 - MAX_PAYLOADS]);
  await assertReadable(sql, events);
});

Deno.test("a chunk that comes late among joined ones hides none of them", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const events = await aloneEach(writer, 10);
  const [middle] = await sql<{ id: string }[]>`
    select chunk_id as id from event_chunks order by chunk_id offset 5 limit 1
  `;
  await joinChunks(sql, NEVER, soon());
  // As one whose writer was slow, and one that was joined by itself meanwhile.
  const [late] = await aloneEach(writer, 1);
  assert.ok(middle && late);
  const id = (BigInt(middle.id) - 1n).toString();
  await sql`update event_chunks set chunk_id = ${id}, last_id = ${newChunkId()} where chunk_id = (select max(chunk_id) from event_chunks)`;
  await sql`update events set chunk_id = ${id} where event_id = ${late.eventId}::uuid`;
  await assertReadable(sql, [...events, late]);
});

Deno.test("what is deleted while chunks are joined is gone, and the rest stays readable all the time", async () => {
  await using database = await testDatabase();
  await using files = await testObjects();
  const { sql } = database;
  const second = database.connect();
  await using writer = testWriter(sql);
  const events = await aloneEach(writer, 24);
  const [issue] = await sql<{ id: string }[]>`select id from issues`;
  const stores = { sql: second, objects: files.objects };
  const goes = events.filter((_, index) => index % 3 === 0);
  const stays = events.filter((_, index) => index % 3 !== 0);
  await Promise.all([
    joinChunks(sql, NEVER, soon()),
    ...goes.map(({ eventId, timestamp }) =>
      removeEvents(stores, "1", issue?.id ?? "", [{ eventId, at: timestamp.toISOString() }])
    ),
    assertReadable(sql, stays),
    joinChunks(second, NEVER, soon()),
  ]);
  await joinChunks(sql, NEVER, soon());
  const rows = await sql<{ body: Uint8Array }[]>`select body from event_chunks`;
  const left = rows.flatMap(({ body }) => unpackChunk(body).map(({ eventId }) => eventId));
  assert.deepEqual(left.sort(), stays.map(({ eventId }) => eventId).sort());
  await assertReadable(sql, stays);
});
