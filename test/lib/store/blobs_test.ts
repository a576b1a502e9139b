import assert from "node:assert/strict";
import { deleteExpiredBlobs } from "@/lib/store/expired_blobs.ts";
import { attachmentRecord, profileRecord } from "../../support/records.ts";
import { testDatabase, testObjects } from "../../support/stores.ts";
import { testWriter } from "../../support/writer.ts";

const NOW = new Date("2026-11-20T15:00:00Z");
const never = new AbortController().signal;

Deno.test("expired attachments and profiles go with their bytes, the others stay", async () => {
  await using database = await testDatabase();
  await using stored = await testObjects();
  const { sql } = database;
  const { objects } = stored;
  await using writer = testWriter(sql);
  const bytes = new Uint8Array([1]);
  const kept: string[] = [];
  for (const [day, isKept] of [["2026-11-08", false], ["2026-11-19", true]] as const) {
    const timestamp = new Date(`${day}T12:00:00Z`);
    for (const kind of ["attachments", "profiles"]) {
      const key = `${kind}/1/${day}/${crypto.randomUUID()}`;
      await objects.put(key, bytes);
      if (isKept) kept.push(key);
      const fields = { timestamp, receivedAt: timestamp, blob: { key, bytes } };
      await writer.store(
        "1",
        kind === "profiles" ? profileRecord(fields) : attachmentRecord(fields),
      );
    }
  }
  await objects.put("attachments/1/2026-11-01/no-row", bytes);

  assert.equal(await deleteExpiredBlobs({ sql, objects }, 10, never, NOW), 3);

  const keys = [
    ...await Array.fromAsync(objects.list("attachments/")),
    ...await Array.fromAsync(objects.list("profiles/")),
  ].map(({ key }) => key);
  assert.deepEqual(keys, kept);
  const [rows] = await sql`
    select (select count(*)::int from attachments) as attachments,
      (select count(*)::int from profiles) as profiles
  `;
  assert.deepEqual({ ...rows }, { attachments: 1, profiles: 1 });
});
