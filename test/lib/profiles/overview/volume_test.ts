import assert from "node:assert/strict";
import { alongSteps } from "@/lib/profiles/overview/load_overview.ts";

Deno.test("points stand at steps from the interval's start, with gaps between them", () => {
  const start = new Date("2026-11-21T10:07:00Z");
  const end = new Date("2026-11-21T10:37:00Z");
  const at = (minutes: number) => new Date(start.getTime() + minutes * 60_000);
  const volume = alongSteps(
    [{ time: at(10), profiles: 2, total: 50 }, { time: at(20), profiles: 1, total: 0 }],
    { start, end },
    600_000,
    at(60),
  );
  assert.deepEqual(volume.times, [at(0), at(10), at(20)].map((time) => time.getTime()));
  assert.deepEqual(volume.profiles, [0, 2, 1]);
  assert.deepEqual(volume.totals, [null, 50, 0]);
  assert.equal(volume.count, 3);
});

Deno.test("time that has not come yet has no steps, unless something is there", () => {
  const start = new Date("2026-11-21T10:00:00Z");
  const end = new Date("2026-11-21T11:00:00Z");
  const now = new Date("2026-11-21T10:05:00Z");
  assert.equal(alongSteps([], { start, end }, 600_000, now).times.length, 1);
  const ahead = { time: new Date("2026-11-21T10:10:00Z"), profiles: 1, total: 1 };
  assert.equal(alongSteps([ahead], { start, end }, 600_000, now).times.length, 2);
});
