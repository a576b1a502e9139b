import assert from "node:assert/strict";
import { fullInDays, noteDisk, readDiskNotes } from "@/lib/core/disk_forecast.ts";
import { DAY_MS, HOUR_MS } from "@/lib/core/time.ts";
import { tempDir } from "@/test/support/temp_dir.ts";

const START = Date.UTC(2026, 0, 1);
const TOTAL = 100_000;

function daily(free: readonly number[]) {
  return free.map((freeBytes, day) => ({ at: START + day * DAY_MS, freeBytes }));
}

Deno.test("a disk that loses a tenth of its room a day is full when the rest is used up", () => {
  const notes = daily([100, 90, 80, 70]);
  assert.equal(fullInDays(notes, { freeBytes: 70, totalBytes: TOTAL }), 7);
});

Deno.test("a single day that freed room does not hide that a disk fills", () => {
  const notes = daily([100, 90, 80, 85, 70, 60]);
  const days = fullInDays(notes, { freeBytes: 60, totalBytes: TOTAL });
  assert.ok(days !== null && days > 6 && days < 9, `${days}`);
});

Deno.test("nobody knows when a disk is full that grows emptier, or was looked at for less than a day", () => {
  const room = { freeBytes: 100, totalBytes: TOTAL };
  assert.equal(fullInDays(daily([80, 90, 100]), room), null);
  assert.equal(fullInDays(daily([100]), room), null);
  assert.equal(fullInDays([], room), null);
});

Deno.test("room is noted every six hours and kept for two weeks", async () => {
  await using dir = await tempDir();
  assert.deepEqual(await readDiskNotes(dir.path), []);
  for (let hour = 0; hour <= 20 * 24; hour += 2) {
    const room = { freeBytes: hour, totalBytes: TOTAL };
    await noteDisk(dir.path, room, new Date(START + hour * HOUR_MS));
  }
  const notes = await readDiskNotes(dir.path);
  assert.ok(notes.length > 50 && notes.length <= 4 * 14 + 1, `${notes.length} notes`);
  assert.equal(notes.at(-1)?.freeBytes, 480);
  await Deno.writeTextFile(dir.join("disk_notes.json"), "[{");
  assert.deepEqual(await readDiskNotes(dir.path), [], "a broken file is as good as none");
});
