import assert from "node:assert/strict";
import { startClock } from "@/lib/alerts/evaluation/evaluate_all.ts";
import { alertWorld } from "@/test/support/alert_world.ts";
import { logLines } from "@/test/support/log_lines.ts";

Deno.test("alerts are judged by one process at a time, and by the other once that has ended", async () => {
  await using world = await alertWorld();
  const rule = await world.rule();
  const one = startClock(world.services);
  const other = startClock(world.services);
  try {
    await one.run();
    assert.equal((await world.states(rule)).length, 1);
    const late = await world.rule({ name: "late" });
    await other.run();
    assert.equal((await world.states(late)).length, 0);
    await one.close();
    await other.run();
    assert.equal((await world.states(late)).length, 1);
  } finally {
    await Promise.all([one.close(), other.close()]);
  }
});

Deno.test("an evaluation that fails is told of and made up for", async () => {
  const { log, lines } = logLines();
  await using world = await alertWorld();
  const rule = await world.rule();
  await world.sql`alter table alert_states rename to hidden`;
  const clock = startClock({ ...world.services, log });
  try {
    await clock.run();
    assert.deepEqual(lines.map(({ message }) => message), ["cannot judge alerts"]);
    await world.sql`alter table hidden rename to alert_states`;
    await clock.run();
    assert.equal((await world.states(rule)).length, 1);
  } finally {
    await clock.close();
  }
});
