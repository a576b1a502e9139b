import assert from "node:assert/strict";
import { lateFor, listRuns, timelines } from "@/lib/monitors/cron/runs.ts";
import { type CronWorld, cronWorld } from "../../../support/cron_world.ts";

async function page(
  { services: { sql }, projectId, at }: CronWorld,
  cursor: string | null = null,
  limit = 50,
) {
  const choice = { projectId, slug: "backup", environments: ["production"], since: at(0) };
  return await listRuns(sql, { ...choice, cursor, limit });
}

Deno.test("a run that begins after its time was missed is late for it, and the next one is not", async () => {
  await using world = await cronWorld();
  await world.send(0, "ok");
  await world.lookAll(0, 13);
  await world.send(14, "ok");
  await world.send(20, "ok");
  const { rows } = await page(world);
  assert.deepEqual(rows.map((run) => [run.status, lateFor(run)]), [
    ["ok", null],
    ["ok", world.at(10)],
    ["missed", null],
    ["ok", null],
  ]);
});

Deno.test("a run overlaps that begins before the one before it has ended", async () => {
  await using world = await cronWorld();
  const [first, second] = [crypto.randomUUID(), crypto.randomUUID()]
    .map((id) => id.replaceAll("-", ""));
  await world.send(0, "in_progress", { checkInId: first ?? null });
  await world.send(2, "in_progress", { checkInId: second ?? null });
  await world.send(3, "ok", { checkInId: first ?? null });
  await world.send(4, "ok", { checkInId: second ?? null });
  await world.send(10, "ok");
  await world.send(3, "ok", { environment: "staging" });
  const { rows } = await page(world);
  assert.deepEqual(rows.map(({ isOverlapping }) => isOverlapping), [false, true, false]);
});

Deno.test("runs are paged both ways, each once", async () => {
  await using world = await cronWorld();
  for (let minute = 0; minute < 5; minute++) await world.send(minute, "ok");
  const first = await page(world, null, 2);
  const second = await page(world, first.nextCursor, 2);
  const third = await page(world, second.nextCursor, 2);
  const starts = [first, second, third].flatMap(({ rows }) => rows.map((run) => run.startedAt));
  assert.deepEqual(starts, [4, 3, 2, 1, 0].map((minute) => world.at(minute)));
  assert.equal(third.nextCursor, null);
  const back = await page(world, third.previousCursor, 2);
  assert.deepEqual(back.rows.map((run) => run.startedAt), [world.at(2), world.at(1)]);
  assert.equal((await page(world, "nonsense", 2)).rows.length, 2);
});

Deno.test("a timeline has the newest runs of its own environment, the oldest first", async () => {
  await using world = await cronWorld();
  for (let minute = 0; minute < 35; minute++) await world.send(minute, minute % 7 ? "ok" : "error");
  await world.send(40, "error", { environment: "staging" });
  const { projectId, services: { sql } } = world;
  const place = { projectId, slug: "backup", environment: "production" };
  const bars = (await timelines(sql, [place], world.at(60))).get(`${projectId}/backup/production`);
  assert.equal(bars?.length, 30);
  assert.deepEqual([bars?.at(0)?.startedAt, bars?.at(-1)?.startedAt], [world.at(5), world.at(34)]);
});
