import assert from "node:assert/strict";
import { cronWorld, EVERY_TEN_MINUTES } from "../../../support/cron_world.ts";

const config = (fields: Record<string, unknown>) => ({
  monitorConfig: JSON.stringify({ ...EVERY_TEN_MINUTES, ...fields }),
});

Deno.test("a run that does not begin within its margin is missed, once, and the next keep their step", async () => {
  await using world = await cronWorld();
  await world.send(0, "ok");
  await world.lookAll(0, 11.5);
  assert.deepEqual(await world.runs(), ["ok"]);
  await world.lookAll(12, 13);
  await world.look(12);
  assert.deepEqual(await world.runs(), ["ok", "missed"]);
  await world.lookAll(13.5, 22);
  assert.deepEqual(await world.runs(), ["ok", "missed", "missed"]);
  const rows = await world.services.sql<{ expectedAt: Date }[]>`
    select expected_at as "expectedAt" from check_ins where status = 'missed' order by 1
  `;
  assert.deepEqual(rows.map(({ expectedAt }) => expectedAt), [world.at(10), world.at(20)]);
});

Deno.test("processes that look and tell at once miss a run once, and make one event of it", async () => {
  await using world = await cronWorld();
  await world.send(0, "ok");
  await Promise.all([world.look(12), world.look(12), world.look(12.2)]);
  assert.deepEqual(await world.runs(), ["ok", "missed"]);
  await Promise.all([world.tell(), world.tell()]);
  const issues = await world.services.sql`select times_seen::int as times from issues`;
  assert.deepEqual([...issues], [{ times: 1 }]);
});

Deno.test("a deleted project misses nothing until it is restored", async () => {
  await using world = await cronWorld();
  const { sql } = world.services;
  await world.send(0, "ok");
  await world.send(1, "in_progress", { environment: "staging" });
  await sql`
    insert into deleted_projects (id, organization_id, slug, name, deleted_by)
    values (${world.projectId}, 1, 'shop', 'Shop', 'ann')
  `;
  await world.lookAll(0, 13);
  assert.deepEqual(await world.runs(), ["ok", "in_progress"]);
  await sql`delete from deleted_projects`;
  await world.look(13.5);
  assert.deepEqual(await world.runs(), ["ok", "timeout", "missed", "missed"]);
});

Deno.test("a monitor that never had a check-in, or is switched off, misses nothing", async () => {
  await using world = await cronWorld();
  const { sql } = world.services;
  await world.send(0, "ok");
  await sql`update monitors set status = 'disabled'`;
  await world.lookAll(0, 30);
  assert.deepEqual(await world.runs(), ["ok"]);
  assert.equal(await world.send(31, "ok"), false);
  const [error] = await sql`select type from monitor_errors`;
  assert.deepEqual({ ...error }, { type: "MONITOR_DISABLED" });
});

Deno.test("a run that does not end in its time has timed out, and stays so when its end comes late", async () => {
  await using world = await cronWorld();
  const checkInId = crypto.randomUUID().replaceAll("-", "");
  await world.send(0, "in_progress", { checkInId });
  await world.send(3, "in_progress", { checkInId });
  await world.lookAll(0, 7.5);
  assert.deepEqual(await world.runs(), ["in_progress"], "a sign of life gives it more time");
  await world.look(8);
  assert.deepEqual(await world.runs(), ["timeout"]);
  assert.equal(await world.send(9, "ok", { checkInId }), true);
  const [run] = await world.services.sql`select status, duration_sec as took from check_ins`;
  assert.deepEqual({ ...run }, { status: "timeout", took: 540 });
});

Deno.test("what was due while the service was away is unknown and never missed", async () => {
  await using world = await cronWorld();
  await world.send(0, "ok");
  await world.lookAll(0, 5);
  await world.look(14);
  assert.deepEqual(await world.runs(), ["ok", "unknown"]);
  const [state] = await world.services.sql`select status, incident_id from monitor_environments`;
  assert.deepEqual({ ...state }, { status: "ok", incident_id: null });
  await world.lookAll(14, 22);
  assert.deepEqual(await world.runs(), ["ok", "unknown", "missed"]);
});

Deno.test("a run that was open while the service was away is unknown when its end does not come", async () => {
  await using world = await cronWorld();
  await world.look(0);
  await world.send(1, "in_progress", config({ max_runtime: 9 }));
  await world.look(5);
  await world.lookAll(5.5, 10.5);
  assert.deepEqual(await world.runs(), ["unknown"]);
});

Deno.test("nothing later than the oldest spooled request is judged", async () => {
  await using world = await cronWorld();
  await world.look(0);
  await world.send(0, "ok");
  for (let minute = 0; minute <= 20; minute += 0.5) await world.look(minute, world.at(9));
  assert.deepEqual(await world.runs(), ["ok"]);
  await world.send(10, "ok");
  await world.look(20.5);
  assert.deepEqual(await world.runs(), ["ok", "ok"]);
});

Deno.test("a new schedule moves what is expected at once", async () => {
  await using world = await cronWorld();
  await world.send(0, "ok");
  await world.send(1, "ok", {
    ...config({ schedule: { type: "interval", value: 3, unit: "hour" } }),
    environment: "staging",
  });
  await world.lookAll(1, 60);
  assert.deepEqual(await world.runs(), ["ok", "ok"]);
});

Deno.test("enough failed runs open one incident with one issue, and good runs resolve it", async () => {
  await using world = await cronWorld();
  const { sql } = world.services;
  const thresholds = config({ failure_issue_threshold: 2, recovery_threshold: 2 });
  const traceId = "5f2a1c3d4e5f60718293a4b5c6d7e8f9";
  await world.send(0, "ok", thresholds);
  await world.send(10, "error", { ...thresholds, traceId });
  await world.tell();
  assert.equal((await sql`select 1 from issues`).length, 0, "one of two");
  await world.lookAll(10, 22);
  await world.send(25, "error", thresholds);
  await world.tell();
  await world.tell();
  const issues = await sql`select title, status, times_seen::int as times from issues`;
  assert.deepEqual([...issues], [
    { title: "Monitor failure: backup", status: "unresolved", times: 2 },
  ]);
  await world.send(35, "ok", thresholds);
  await world.tell();
  assert.equal((await sql`select status from issues`)[0]?.status, "unresolved");
  await world.send(45, "ok", thresholds);
  await world.tell();
  assert.equal((await sql`select status from issues`)[0]?.status, "resolved");
  const [incident] = await sql`
    select failures, started_at, resolved_at from monitor_incidents
  `;
  assert.deepEqual({ ...incident }, {
    failures: 3,
    started_at: world.at(10),
    resolved_at: world.at(45),
  });
  await world.send(55, "error", thresholds);
  await world.send(65, "error", thresholds);
  await world.tell();
  assert.equal((await sql`select 1 from issues`).length, 2, "another incident, another issue");
});

Deno.test("a first run that fails is no incident where two are asked for", async () => {
  await using world = await cronWorld();
  const { sql } = world.services;
  const thresholds = config({ failure_issue_threshold: 2 });
  await world.send(0, "in_progress", thresholds);
  await world.send(1, "error", thresholds);
  assert.equal((await sql`select 1 from monitor_incidents`).length, 0);
  await world.send(2, "error", thresholds);
  assert.equal((await sql`select 1 from monitor_incidents`).length, 1);
});

Deno.test("a muted monitor keeps its history and makes no issue", async () => {
  await using world = await cronWorld();
  const { sql } = world.services;
  await world.send(0, "ok");
  await sql`update monitors set is_muted = true`;
  await world.lookAll(0, 12);
  await world.tell();
  assert.deepEqual(await world.runs(), ["ok", "missed"]);
  assert.equal((await sql`select 1 from issues`).length, 0);
  assert.equal((await sql`select 1 from monitor_incidents where resolved_at is null`).length, 1);
});
