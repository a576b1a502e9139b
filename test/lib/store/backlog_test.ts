import assert from "node:assert/strict";
import { HOUR_MS } from "@/lib/core/time.ts";
import { readBacklog } from "@/lib/store/backlog.ts";
import type { Sql } from "@/lib/store/database.ts";
import { newChunkId, packChunk } from "@/lib/store/event_chunks/codec.ts";
import { ensurePartitions } from "@/lib/store/partitions.ts";
import { testDatabase } from "@/test/support/database.ts";

const TODAY = Math.floor(Date.now() / (24 * HOUR_MS)) * 24 * HOUR_MS;

/** A payload of a day so many days ago, which came so many hours ago and waits to be joined. */
async function smallChunk(sql: Sql, { daysAgo, cameHoursAgo }: Record<string, number>) {
  const day = new Date(TODAY - (daysAgo ?? 0) * 24 * HOUR_MS);
  await ensurePartitions(sql, [day]);
  const id = newChunkId(Date.now() - (cameHoursAgo ?? 0) * HOUR_MS);
  const body = packChunk([{ eventId: "a".repeat(32), payload: new TextEncoder().encode("{}") }]);
  await sql`
    insert into event_chunks (project_id, "timestamp", chunk_id, last_id, is_small, body)
    values (1, ${day}, ${id}, ${id}, true, decode(${body.toHex()}, 'hex'))
  `;
}

async function overdueHours(sql: Sql): Promise<number> {
  return Math.round((await readBacklog(sql)).joinAgeSec / 3_600);
}

Deno.test("payloads of old days that have just come are not overdue to be joined", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await smallChunk(sql, { daysAgo: 13, cameHoursAgo: 0 });
  await smallChunk(sql, { daysAgo: 0, cameHoursAgo: 0 });
  assert.equal(await overdueHours(sql), 0);
});

Deno.test("payloads are overdue to be joined from when they came, or from when their day was over", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await smallChunk(sql, { daysAgo: 13, cameHoursAgo: 0 });
  await smallChunk(sql, { daysAgo: 13, cameHoursAgo: 7 });
  assert.equal(await overdueHours(sql), 7);
  await smallChunk(sql, { daysAgo: 3, cameHoursAgo: 3 * 24 });
  const sinceItsDay = (Date.now() - TODAY + 2 * 24 * HOUR_MS - HOUR_MS) / HOUR_MS;
  assert.equal(await overdueHours(sql), Math.round(sinceItsDay));
});
