import assert from "node:assert/strict";
import { StoreUnavailable } from "@/lib/core/errors.ts";
import { startMonitorClock } from "@/lib/monitors/cron/clock.ts";
import { monitorEvents } from "@/lib/server/monitor_events.ts";
import { cronWorld } from "../../../support/cron_world.ts";
import { testKv } from "../../../support/kv.ts";
import { refuseRows } from "../../../support/refusing_trigger.ts";
import { silentLogger } from "../../../support/silent_logger.ts";
import { waitFor } from "../../../support/wait_for.ts";

const nothingWaits = () => Promise.resolve(null);

Deno.test("a clock finds what is missed and tells it, in one process at a time", async () => {
  await using world = await cronWorld();
  await using store = await testKv();
  const { sql } = world.services;
  const common = { kv: store.kv, sql, log: silentLogger, waitingSince: nothingWaits };
  const first = startMonitorClock({ ...common, storeEvent: monitorEvents(world.services) });
  const second = startMonitorClock({
    ...common,
    storeEvent: () => Promise.reject(new Error("not its turn")),
  });
  try {
    await first.run();
    await world.send(0, "ok");
    await second.run();
    await first.run();
    assert.equal((await world.runs())[1], "missed");
    assert.equal((await sql`select 1 from issues`).length, 1);
    assert.equal((await sql`select 1 from monitor_notes`).length, 0);
    await first.close();
    // What has ended leaves the work to others.
    await second.run();
  } finally {
    await Promise.all([first.close(), second.close()]);
  }
});

Deno.test("what cannot be told while a store is away is told later, once", async () => {
  await using world = await cronWorld();
  await using store = await testKv();
  const { sql } = world.services;
  const storeEvent = monitorEvents(world.services);
  let isAway = true;
  const clock = startMonitorClock({
    kv: store.kv,
    sql,
    log: silentLogger,
    waitingSince: nothingWaits,
    storeEvent: async (projectId, event) => {
      if (isAway) throw new StoreUnavailable("Postgres is away");
      await storeEvent(projectId, event);
      // The answer got lost.
      isAway = true;
      throw new StoreUnavailable("Postgres is away");
    },
  });
  try {
    await world.send(0, "error", { monitorConfig: null });
    await clock.run();
    assert.equal((await sql`select 1 from issues`).length, 0);
    isAway = false;
    await clock.run();
    isAway = false;
    await clock.run();
    const [issue] = await sql`select times_seen::int as times from issues`;
    assert.equal((await sql`select 1 from monitor_notes`).length, 1);
    assert.deepEqual({ ...issue }, { times: 1 });
  } finally {
    await clock.close();
  }
});

Deno.test("an event of a missed run that cannot be stored is set aside, and holds up no other", async () => {
  await using world = await cronWorld();
  const { sql, spool } = world.services;
  const heal = await refuseRows(sql, "events", "0A000", world.projectId);
  await world.send(0, "ok");
  await world.lookAll(1, 13);
  await world.tell();
  assert.equal((await sql`select 1 from monitor_notes`).length, 0);
  assert.equal((await spool.aside.state()).requests, 1);
  await heal();
  await spool.aside.tryAgain();
  spool.lookAgain();
  const [issue] = await waitFor("the event", async () => {
    const issues = await sql<{ title: string }[]>`select title from issues`;
    return issues.length > 0 ? issues : null;
  });
  assert.match(issue?.title ?? "", /^Monitor failure: backup/);
});
