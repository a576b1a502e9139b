import assert from "node:assert/strict";
import { listErrors } from "@/lib/monitors/cron/processing_errors.ts";
import { findMonitor } from "@/lib/monitors/cron/monitors.ts";
import { type CronWorld, cronWorld, EVERY_TEN_MINUTES } from "../../../support/cron_world.ts";
import { checkInRecord } from "../../../support/records.ts";
import { waitFor } from "../../../support/wait_for.ts";
import { testWriter } from "../../../support/writer.ts";

const newId = () => crypto.randomUUID().replaceAll("-", "");

async function errorsOf({ services: { sql }, projectId, at }: CronWorld): Promise<string[]> {
  return (await listErrors(sql, projectId, "backup", at(60))).map(({ type }) => type);
}

Deno.test("each check-in keeps the config of its time, and a sparse one leaves the rest", async () => {
  await using world = await cronWorld();
  const { sql } = world.services;
  await world.send(0, "ok");
  await world.send(1, "ok", { monitorConfig: '{"schedule":{"type":"crontab","value":"@daily"}}' });
  const rows = await sql`
    select config->>'schedule' as schedule, config->>'max_runtime' as longest from check_ins
    order by started_at
  `;
  assert.deepEqual([...rows], [
    { schedule: '[10, "minute"]', longest: "5" },
    { schedule: "@daily", longest: "5" },
  ]);
});

Deno.test("a first run that begins and ends within one write is expected again by the schedule that it brought", async () => {
  await using world = await cronWorld();
  const { sql, writer } = world.services;
  const run = {
    checkInId: newId(),
    monitorSlug: "backup",
    durationSec: null,
    timestamp: world.at(0),
    receivedAt: world.at(0),
  };
  const monitorConfig = JSON.stringify(EVERY_TEN_MINUTES);
  const { stored } = await writer.commit(world.projectId, {
    records: [
      checkInRecord({ ...run, status: "in_progress", monitorConfig }),
      checkInRecord({ ...run, status: "error", monitorConfig: null }),
    ],
    outcomes: [],
  });
  assert.equal(stored, 2);
  const [state] = await sql`select next_at, latest_at from monitor_environments`;
  assert.deepEqual({ ...state }, { next_at: world.at(10), latest_at: world.at(12) });
});

Deno.test("a config that cannot be used is told, and the check-in is taken all the same", async () => {
  await using world = await cronWorld();
  await world.send(0, "ok");
  const broken = { monitorConfig: '{"schedule":{"type":"crontab","value":"* * *"}}' };
  assert.equal(await world.send(1, "ok", broken), true);
  assert.deepEqual(await errorsOf(world), ["MONITOR_INVALID_CONFIG"]);
  const monitor = await findMonitor(world.services.sql, world.projectId, "backup");
  assert.deepEqual(monitor?.config?.schedule, [10, "minute"]);
});

Deno.test("a run that has ended takes no other end, and an id belongs to one environment", async () => {
  await using world = await cronWorld();
  const checkInId = newId();
  await world.send(0, "in_progress", { checkInId });
  await world.send(1, "error", { checkInId });
  assert.equal(await world.send(2, "ok", { checkInId }), false);
  assert.equal(await world.send(2, "error", { checkInId }), false, "sent again: no news, no error");
  assert.equal(await world.send(3, "ok", { checkInId, environment: "staging" }), false);
  assert.equal(await world.send(3, "in_progress", { checkInId }), false);
  assert.deepEqual(await world.runs(), ["error"]);
  assert.deepEqual(await errorsOf(world), ["CHECKIN_ENVIRONMENT_MISMATCH", "CHECKIN_FINISHED"]);
});

Deno.test("a run that says what it took began so long before its end", async () => {
  await using world = await cronWorld();
  await world.send(5, "ok", { durationSec: 120 });
  const [run] = await world.services.sql`select started_at, duration_sec as took from check_ins`;
  assert.deepEqual({ ...run }, { started_at: world.at(3), took: 120 });
});

Deno.test("an older check-in that comes late moves nothing back", async () => {
  await using world = await cronWorld();
  await world.send(20, "ok");
  await world.send(21, "ok", { timestamp: world.at(5) });
  const [state] = await world.services.sql`
    select last_check_in_at, next_at from monitor_environments
  `;
  assert.deepEqual({ ...state }, { last_check_in_at: world.at(20), next_at: world.at(30) });
});

Deno.test("six check-ins of an environment are taken in a minute, and the seventh is told once", async () => {
  await using world = await cronWorld();
  const taken = [];
  for (let count = 0; count < 9; count++) taken.push(await world.send(10, "ok"));
  assert.deepEqual(taken.filter((news) => news).length, 6);
  assert.equal(await world.send(10, "ok", { environment: "staging" }), true);
  assert.equal(await world.send(11, "ok"), true);
  assert.deepEqual(await errorsOf(world), ["MONITOR_ENVIRONMENT_RATELIMITED"]);
  const counted = await waitFor("the outcomes of all", async () => {
    const rows = await world.services.sql<{ kind: string; reason: string; quantity: number }[]>`
      select kind, reason, sum(quantity)::int as quantity from outcomes
      where project_id = ${world.projectId} group by 1, 2 order by 1
    `;
    return rows.reduce((sum, { quantity }) => sum + quantity, 0) === 11 ? rows : null;
  });
  assert.deepEqual([...counted], [
    { kind: "accepted", reason: "", quantity: 8 },
    { kind: "rate_limited", reason: "monitor_rate", quantity: 3 },
  ]);
});

Deno.test("of errors the newest ten are kept", async () => {
  await using world = await cronWorld();
  for (let minute = 0; minute < 14; minute++) {
    await world.send(minute, "ok", { monitorConfig: '{"schedule":{}}' });
  }
  assert.equal((await errorsOf(world)).length, 10);
  const [row] = await world.services.sql`select count(*)::int as count from monitor_errors`;
  assert.equal(row?.count, 10);
});

Deno.test("writers of several processes that apply the same runs at once apply each once", async () => {
  await using world = await cronWorld();
  const { sql } = world.services;
  await using other = testWriter(sql);
  const jobs = Array.from({ length: 12 }, (_, job) => ({
    monitorSlug: `job-${job}`,
    checkInId: newId(),
    receivedAt: world.at(1),
  }));
  const send = (writer: typeof other | typeof world.services.writer, reversed: boolean) => {
    const order = reversed ? jobs.toReversed() : jobs;
    return Promise.all(order.map((job) =>
      writer.commit(world.projectId, {
        records: (["in_progress", "ok"] as const).map((status, index) =>
          checkInRecord({ ...job, status, timestamp: world.at(index) })
        ),
        outcomes: [],
      })
    ));
  };
  await Promise.all([send(world.services.writer, false), send(other, true)]);
  const rows = await sql`
    select status, duration_sec as took, count(*)::int as count from check_ins group by 1, 2
  `;
  assert.deepEqual([...rows], [{ status: "ok", took: 60, count: 12 }]);
});

Deno.test("a job without a schedule has its failures told and misses nothing", async () => {
  await using world = await cronWorld();
  await world.send(0, "error", { monitorConfig: null });
  await world.lookAll(0, 60);
  await world.tell();
  assert.deepEqual(await world.runs(), ["error"]);
  const issues = await world.services.sql`select title from issues`;
  assert.deepEqual([...issues], [{ title: "Monitor failure: backup" }]);
});

Deno.test("the event of a failed run carries monitor, tags, trace and log", async () => {
  await using world = await cronWorld();
  const { sql } = world.services;
  const traceId = newId();
  await world.send(0, "ok");
  await world.send(5, "error", { traceId, log: "no space left" });
  await world.tell();
  const [event] = await sql<{ trace: string; tags: Record<string, string>; environment: string }[]>`
    select replace(trace_id::text, '-', '') as trace, tags, environment from events_with_tags
  `;
  const monitor = await findMonitor(sql, world.projectId, "backup");
  assert.equal(event?.trace, traceId);
  assert.equal(event?.environment, "production");
  assert.equal(event?.tags["monitor.slug"], "backup");
  assert.equal(event?.tags["monitor.id"], monitor?.monitorId);
  const [issue] = await sql`select culprit from issues`;
  assert.equal(issue?.culprit, "1 failed check-in detected");
});
