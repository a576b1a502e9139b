import assert from "node:assert/strict";
import { deleteExpiredBlobs, purgeBlobs } from "@/lib/store/expired_blobs.ts";
import { deleteExpired } from "@/lib/store/retention.ts";
import { projectsWithTelemetry } from "@/lib/store/control_copy.ts";
import { purgeProject } from "@/lib/store/deleted_projects.ts";
import type { Profile } from "@/lib/records/mod.ts";
import { newEventId } from "../../support/error_event.ts";
import { profileRecord } from "../../support/records.ts";
import { testDatabase, testObjects } from "../../support/stores.ts";
import { testWriter } from "../../support/writer.ts";

const NOW = new Date("2026-11-20T15:00:00Z");
const never = new AbortController().signal;
const bytes = new Uint8Array([1]);

/** A profile with a trace, of this day. */
function profileOf(day: string, fields: Partial<Profile> = {}): Profile {
  const time = new Date(`${day}T12:00:00Z`);
  const key = `profiles/1/${day}/${newEventId()}`;
  return profileRecord({
    timestamp: time,
    receivedAt: time,
    traces: [{ traceId: newEventId(), spanId: null, totals: [1n, 2n] }],
    blob: { key, bytes },
    original: { key: `${key}.original`, bytes },
    ...fields,
  });
}

Deno.test("traces of a profile are stored with it once, whatever a repeat says", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const profile = profileOf("2026-11-20", {
    traces: [
      { traceId: newEventId(), spanId: null, totals: [-1n, 2n ** 63n - 1n] },
      { traceId: newEventId(), spanId: "00f067aa0ba902b7", totals: [0n, 5n] },
    ],
  });
  await writer.store("1", profile);
  const repeat = {
    ...profile,
    traces: [{ traceId: newEventId(), spanId: null, totals: [9n, 9n] }],
  };
  const again = await writer.store("1", repeat);
  assert.equal(again.duplicates, 1);
  const rows = await sql`select span_id, totals from profile_traces order by span_id`;
  assert.deepEqual([...rows], [
    { span_id: "", totals: ["-1", String(2n ** 63n - 1n)] },
    { span_id: "00f067aa0ba902b7", totals: ["0", "5"] },
  ]);
});

Deno.test("lists and labels come back as they were, quotes and commas included", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  const odd = 'a,"b"\\{}';
  await writer.store(
    "1",
    profileRecord({
      totals: [{ type: odd, unit: "", total: -5n }, { type: "NULL", unit: "x", total: 0n }],
      labels: { [odd]: [odd, "x\ny"] },
    }),
    profileRecord({ totals: [{ type: "", unit: "", total: 1n }] }),
  );
  const rows = await sql`select types, totals, labels from profiles order by samples, totals`;
  assert.deepEqual([...rows], [
    { types: [`${odd}:`, "NULL:x"], totals: ["-5", "0"], labels: { [odd]: [odd, "x\ny"] } },
    { types: [":"], totals: ["1"], labels: {} },
  ]);
});

Deno.test("expired profiles go with the bytes, the originals, the traces and the merges of their day", async () => {
  await using database = await testDatabase();
  await using stored = await testObjects();
  const { sql } = database;
  const { objects } = stored;
  await using writer = testWriter(sql);
  for (const day of ["2026-11-08", "2026-11-19"]) {
    const profile = profileOf(day);
    for (const blob of [profile.blob, profile.original]) {
      if (blob !== null) await objects.put(blob.key, blob.bytes);
    }
    await objects.put(`profile_merges/1/${day}/12-cpu`, bytes);
    await writer.store("1", profile);
  }
  assert.equal(await deleteExpiredBlobs({ sql, objects }, 10, never, NOW), 3);
  const rows = await deleteExpired(sql, 10, never, NOW);
  assert.equal(rows.profile_traces, 1);
  const keys = (await Array.fromAsync(objects.list(""))).map(({ key }) => key.split("/")[2]);
  assert.deepEqual(keys, Array(3).fill("2026-11-19"));
  const [left] = await sql`
    select (select count(*)::int from profiles) as profiles,
      (select count(*)::int from profile_traces) as traces
  `;
  assert.deepEqual({ ...left }, { profiles: 1, traces: 1 });
});

Deno.test("with a project go its profiles, their bytes, their traces and their merges", async () => {
  await using database = await testDatabase();
  await using stored = await testObjects();
  const { sql } = database;
  const { objects } = stored;
  await using writer = testWriter(sql);
  for (const projectId of ["1", "2"]) {
    const key = `profiles/${projectId}/2026-11-20/${newEventId()}`;
    const profile = profileOf("2026-11-20", { blob: { key, bytes }, original: null });
    await objects.put(key, bytes);
    await objects.put(`profile_merges/${projectId}/2026-11-20/12-cpu`, bytes);
    await writer.store(projectId, profile);
  }
  await purgeBlobs({ sql, objects }, "1", never);
  await purgeProject(sql, "1", never);
  assert.deepEqual(await projectsWithTelemetry(sql), ["2"]);
  const keys = (await Array.fromAsync(objects.list(""))).map(({ key }) => key.split("/")[1]);
  assert.deepEqual(keys, ["2", "2"]);
  const rows = await sql`select project_id from profile_traces`;
  assert.deepEqual(rows.map((row) => row.project_id), ["2"]);
});
