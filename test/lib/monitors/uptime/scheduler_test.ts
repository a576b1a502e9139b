import assert from "node:assert/strict";
import { DAY_MS } from "@/lib/core/time.ts";
import { withTimeLimit } from "@/lib/core/waiting.ts";
import { purgeProject } from "@/lib/store/deleted_projects.ts";
import { deleteExpired } from "@/lib/store/retention.ts";
import { readSums, totalOf, uptimeOf } from "@/lib/monitors/uptime/sums.ts";
import { endIncident, findIncident, listIncidents } from "@/lib/monitors/uptime/incidents.ts";
import {
  DOWN,
  probeResult,
  UNREACHABLE,
  type UptimeWorld,
  uptimeWorld,
} from "../../../support/uptime_world.ts";

const titles = (notices: readonly { title: string }[]) => notices.map(({ title }) => title);

Deno.test("an incident opens after three failures, is told once, and its end with how long it was", async () => {
  await using world = await uptimeWorld();
  const monitor = await world.monitor();
  await world.go(200);
  assert.equal((await world.find(monitor)).state, "up");

  world.answerWith(() => DOWN);
  await world.go(500);
  const down = await world.find(monitor);
  assert.equal(down.state, "down");
  const [incident] = await listIncidents(world.sql, world.projectId, monitor.monitorId, {
    limit: 9,
  });
  assert.ok(incident);
  assert.equal(incident.openedAt.getTime(), down.since.getTime());
  assert.ok(incident.confirmedAt.getTime() - incident.openedAt.getTime() <= 25_000);
  assert.deepEqual(titles(await world.notices()), ["Shop is down"]);

  world.answerWith(() => ({}));
  await world.go(700);
  const [over] = await listIncidents(world.sql, world.projectId, monitor.monitorId, { limit: 9 });
  assert.equal((await world.find(monitor)).state, "up");
  assert.ok(over?.closedAt);
  const all = await world.notices();
  assert.equal(all.length, 2);
  assert.match(all[1]?.title ?? "", /^Shop is up again after \d+ m/);
  assert.equal(all[1]?.state, "resolved");
  assert.equal(all[1]?.incidentKey, all[0]?.incidentKey);
});

Deno.test("an incident is certain at the end of a check that hangs, and not at its beginning", async () => {
  await using world = await uptimeWorld();
  const took = 9_000;
  world.answerWith((_target, at) => ({ ...DOWN, at: new Date(at.getTime() - took) }));
  await world.monitor({ failureThreshold: 1, intervalSec: 86_400 });
  await world.go(20);
  const [incident] = await listIncidents(world.sql, world.projectId, null, { limit: 9 });
  assert.ok(incident);
  assert.equal(incident.confirmedAt.getTime() - incident.openedAt.getTime(), took);
});

Deno.test("what was seen is kept with the incident, and every check in it", async () => {
  await using world = await uptimeWorld();
  world.answerWith(() => ({ ...DOWN, body: "<script>\0" + "x".repeat(9_000) }));
  const monitor = await world.monitor({ intervalSec: 86_400 });
  await world.go(40);
  const [incident] = await listIncidents(world.sql, world.projectId, null, { limit: 9 });
  const found = await findIncident(
    world.sql,
    world.projectId,
    monitor.monitorId,
    incident?.incidentId ?? "",
  );
  assert.equal(found?.evidence.body.length, 8_192);
  assert.equal(found?.evidence.status, 500);
  const checks = await world.sql`
    select status from uptime_checks where incident_id = ${incident?.incidentId ?? ""}
  `;
  assert.deepEqual(checks.map(({ status }) => status), ["down", "down", "down"]);
});

Deno.test("channels hear after an hour, and then daily, that something is still down", async () => {
  await using world = await uptimeWorld();
  world.answerWith(() => DOWN);
  await world.monitor({ intervalSec: 600 });
  await world.go(50 * 3_600);
  assert.deepEqual(titles(await world.notices()).map((title) => title.replace(/ h \d+ m$/, " h")), [
    "Shop is down",
    "Shop is still down, for 1 h",
    "Shop is still down, for 1 d 01 h",
    "Shop is still down, for 2 d 01 h",
  ]);
});

Deno.test("of several instances one checks each due time", async () => {
  await using world = await uptimeWorld();
  const others = [world.instance(), world.instance()];
  for (let count = 0; count < 20; count++) {
    await world.monitor({
      name: `Shop ${count}`,
      target: { url: `https://s${count}.example.com/` },
    });
  }
  for (const seconds of [0, 60, 120, 180]) {
    await Promise.all([world.jump(seconds), ...others.map((other) => other.run())]);
    await world.jump(seconds);
  }
  const [row] = await world
    .sql`select count(*)::int as count from uptime_checks where status = 'up'`;
  assert.equal(row?.count, world.probed.length);
  assert.equal(world.probed.length, 20 * 4);
});

Deno.test("of one host no more than eight checks run at a time", async () => {
  let running = 0;
  let most = 0;
  const { promise: allRun, resolve: beginEnding } = Promise.withResolvers<void>();
  await using world: UptimeWorld = await uptimeWorld({
    prober: {
      async probe() {
        most = Math.max(most, ++running);
        if (running === 8) beginEnding();
        await withTimeLimit(allRun, 20_000);
        // A ninth would come meanwhile.
        await new Promise((resolve) => setTimeout(resolve, 50));
        running--;
        return probeResult({ at: world.at(0) });
      },
    },
  });
  for (let count = 0; count < 12; count++) await world.monitor({ name: `Shop ${count}` });
  await world.jump(0);
  const [row] = await world.sql`select count(*)::int as count from uptime_checks`;
  assert.equal(row?.count, 12);
  assert.equal(most, 8);
});

Deno.test("after the service was off, the time is not measured, and nothing is down", async () => {
  await using world = await uptimeWorld();
  const monitor = await world.monitor();
  await world.go(120);
  await world.jump(2 * 3_600);
  await world.go(2 * 3_600 + 100);
  assert.deepEqual(await world.notices(), []);
  const sums = await readSums(world.sql, world.projectId, "day", {
    start: world.at(-86_400),
    end: world.at(86_400),
  });
  const total = totalOf(sums.get(monitor.monitorId) ?? []);
  assert.equal(uptimeOf(total), 1);
  assert.ok(total.unknownSec > 6_900 && total.unknownSec < 7_200, String(total.unknownSec));
  const missed = await world.sql`select message from uptime_checks where status = 'unknown'`;
  assert.equal(missed.length, 1);
  assert.match(missed[0]?.message, /11\d checks were left out/);
});

Deno.test("a clock that was an hour ahead holds no monitor up once it is right again", async () => {
  await using world = await uptimeWorld();
  const monitor = await world.monitor();
  await world.jump(3_600);
  await world.jump(10);
  assert.equal(world.probed.length, 2);
  await world.go(200);
  assert.ok(world.probed.length >= 4);
  assert.equal((await world.find(monitor)).state, "up");
});

Deno.test("a check that nobody stored before a kill is made again, and told once", async () => {
  await using world = await uptimeWorld();
  world.answerWith(() => DOWN);
  await world.monitor({ failureThreshold: 1 });
  // Claimed by somebody who is no more.
  await world.sql`
    update uptime_monitors
    set claimed_by = ${crypto.randomUUID()}, claimed_until = ${world.at(45)}
  `;
  await world.jump(44);
  assert.equal(world.probed.length, 0);
  await world.jump(46);
  await world.go(200);
  assert.deepEqual(titles(await world.notices()), ["Shop is down"]);
});

Deno.test("a check of what the monitor was before it was changed counts for nothing", async () => {
  let made = 0;
  await using world: UptimeWorld = await uptimeWorld({
    prober: {
      async probe() {
        if (++made > 1) return probeResult({ at: world.at(0) });
        await world.sql`update uptime_monitors set version = version + 1`;
        return probeResult({ ...DOWN, at: world.at(0) });
      },
    },
  });
  const monitor = await world.monitor({ failureThreshold: 1 });
  await world.jump(0);
  assert.equal(made, 2);
  assert.equal((await world.find(monitor)).state, "up");
  assert.deepEqual(await world.notices(), []);
});

Deno.test("in a maintenance window nothing opens", async () => {
  await using world = await uptimeWorld();
  world.answerWith(() => DOWN);
  const monitor = await world.monitor({
    windows: [{
      kind: "once",
      start: world.at(-60).toISOString(),
      end: world.at(600).toISOString(),
      note: "",
    }],
  });
  await world.go(590);
  assert.deepEqual(await world.notices(), []);
  await world.go(700);
  assert.deepEqual(titles(await world.notices()), ["Shop is down"]);
  assert.equal((await world.find(monitor)).state, "down");
});

Deno.test("when nothing can be reached any more it is told once, and no monitor is down", async () => {
  await using world = await uptimeWorld();
  const monitors = [];
  for (const host of ["a.example.com", "b.example.org", "c.example.net", "d.example.edu"]) {
    monitors.push(await world.monitor({ name: host, target: { url: `https://${host}/` } }));
  }
  await world.go(130);
  world.answerWith(() => UNREACHABLE);
  await world.go(400);
  const told = titles(await world.notices());
  assert.equal(told.filter((title) => title.startsWith("Watchpost has lost")).length, 1);
  const states = await Promise.all(monitors.map(async (one) => (await world.find(one)).state));
  assert.deepEqual(states, ["unknown", "unknown", "unknown", "unknown"]);
  assert.equal(told.length, 1);
  world.answerWith(() => ({}));
  await world.go(600);
  const after = titles(await world.notices());
  assert.equal(after.filter((title) => title.startsWith("Watchpost has its network")).length, 1);
});

Deno.test("with a reference that answers, all of them are down, each with its notice", async () => {
  await using world = await uptimeWorld({ reference: { host: "ref.example.com", port: 443 } });
  for (const host of ["a.example.com", "b.example.org", "c.example.net"]) {
    await world.monitor({ name: host, target: { url: `https://${host}/` } });
  }
  world.answerWith((target) => target.kind === "tcp" ? {} : UNREACHABLE);
  await world.go(100);
  assert.deepEqual(titles(await world.notices()).sort(), [
    "a.example.com is down",
    "b.example.org is down",
    "c.example.net is down",
  ]);
});

function certificateOf(at: Date, daysLeft: number, fingerprint: string) {
  return {
    subject: "shop.example.com",
    issuer: "Test CA",
    names: ["shop.example.com"],
    validFrom: new Date(at.getTime() - 100 * DAY_MS),
    validTo: new Date(at.getTime() + daysLeft * DAY_MS),
    daysLeft,
    fingerprint,
    protocol: "TLSv1.3",
    problem: null,
  };
}

Deno.test("a certificate is told at each threshold once, and a new one begins anew", async () => {
  await using world = await uptimeWorld();
  let [daysLeft, fingerprint] = [40, "AA"];
  world.answerWith((_, at) => ({ certificate: certificateOf(at, daysLeft, fingerprint) }));
  await world.monitor();
  let seconds = 0;
  for (const days of [40, 30, 29, 14, 13, 2, 1, 0, -1, -2]) {
    daysLeft = days;
    await world.go(seconds += 60);
    await world.go(seconds += 60);
  }
  [daysLeft, fingerprint] = [10, "BB"];
  await world.go(seconds += 120);
  assert.deepEqual(titles(await world.notices()), [
    "The certificate of Shop ends in 30 days",
    "The certificate of Shop ends in 14 days",
    "The certificate of Shop ends in 2 days",
    "The certificate of Shop ends in 1 day",
    "The certificate of Shop has expired",
    "The certificate of Shop ends in 10 days",
  ]);
});

Deno.test("a certificate that comes near its end in maintenance is told afterwards", async () => {
  await using world = await uptimeWorld();
  world.answerWith((_, at) => ({ certificate: certificateOf(at, 7, "AA") }));
  await world.monitor({
    windows: [{
      kind: "once",
      start: world.at(-60).toISOString(),
      end: world.at(600).toISOString(),
      note: "",
    }],
  });
  await world.go(590);
  assert.deepEqual(await world.notices(), []);
  await world.go(700);
  assert.deepEqual(titles(await world.notices()), ["The certificate of Shop ends in 7 days"]);
});

Deno.test("secrets reach the target, and are stored nowhere in clear", async () => {
  await using world = await uptimeWorld();
  world.answerWith((target) => ({
    ...DOWN,
    body: `you sent ${JSON.stringify(target)}`,
    headers: { "x-echo": "Bearer s3cret-token-1" },
    problem: { kind: "status", sentence: "It said s3cret-token-1" },
  }));
  await world.monitor({
    failureThreshold: 1,
    target: {
      headers: [["Authorization", "Bearer s3cret-token-1"], ["Accept", "text/html"]],
      basicAuth: { user: "eve", password: "pa55word-2" },
    },
  });
  await world.go(10);
  const [target] = world.probed;
  assert.ok(target?.kind === "http");
  assert.deepEqual(target.headers[0], ["Authorization", "Bearer s3cret-token-1"]);
  assert.equal(target.basicAuth?.password, "pa55word-2");
  for (const table of ["uptime_monitors", "uptime_incidents", "uptime_checks", "deliveries"]) {
    const rows = await world.sql`select * from ${world.sql(table)}`;
    assert.ok(rows.length > 0, table);
    assert.doesNotMatch(JSON.stringify(rows), /s3cret-token-1|pa55word-2/, table);
  }
});

Deno.test("each check is data points, and the root of a trace", async () => {
  await using world = await uptimeWorld();
  const parents: string[] = [];
  world.answerWith((_, __, traceparent) => (parents.push(traceparent), {}));
  const monitor = await world.monitor();
  await world.go(5);
  assert.match(parents[0] ?? "", /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  const [check] = await world
    .sql`select replace(trace_id::text, '-', '') as trace from uptime_checks`;
  assert.equal(check?.trace, parents[0]?.slice(3, 35));
  const [batch] = world.points;
  const values = batch?.series.map((each) => [
    each.metric.name,
    each.labels.find(([key]) => key === "phase")?.[1] ?? "",
    each.points[0] && "value" in each.points[0] ? each.points[0].value : null,
  ]);
  assert.deepEqual(values?.slice(0, 3), [
    ["uptime.up", "", 1],
    ["uptime.duration", "dns", 5],
    ["uptime.duration", "connect", 10],
  ]);
  assert.deepEqual(batch?.series[0]?.labels, [["monitor", "Shop"], [
    "monitor.id",
    monitor.monitorId,
  ]]);
});

Deno.test("whoever was told that something is down hears when nobody looks at it any more", async () => {
  await using world = await uptimeWorld();
  world.answerWith(() => DOWN);
  const monitor = await world.monitor({ failureThreshold: 1 });
  await world.jump(0);
  const place = { projectName: "Shop", baseUrl: "https://watch.test", language: "en" } as const;
  const down = await world.find(monitor);
  await endIncident(world.sql, down, "paused", place, world.at(30));
  await endIncident(world.sql, down, "paused", place, world.at(31));
  assert.deepEqual(titles(await world.notices()), ["Shop is down", "Shop is no longer watched"]);
  const [incident] = await listIncidents(world.sql, world.projectId, null, { limit: 9 });
  assert.deepEqual(incident?.closedAt, world.at(30));
  assert.equal((await world.find(monitor)).state, "unknown");
});

Deno.test("a deleted project leaves nothing of its monitors, and what is old goes", async () => {
  await using world = await uptimeWorld();
  world.answerWith(() => UNREACHABLE);
  for (const host of ["a.example.com", "b.example.org", "c.example.net"]) {
    await world.monitor({ name: host, failureThreshold: 1, target: { url: `https://${host}/` } });
  }
  await world.go(120);
  const tables = [
    "uptime_monitors",
    "uptime_checks",
    "uptime_incidents",
    "uptime_hours",
    "uptime_days",
  ];
  const counts = async () =>
    await Promise.all(tables.map(async (table) => {
      const [row] = await world.sql`select count(*)::int as count from ${world.sql(table)}`;
      return row?.count;
    }));
  assert.ok((await counts()).every((count) => count > 0), String(await counts()));

  const later = new Date(world.at(0).getTime() + 100 * 86_400_000);
  const gone = await deleteExpired(world.sql, 90, new AbortController().signal, later);
  assert.ok((gone.uptime_incidents ?? 0) > 0 && (gone.uptime_hours ?? 0) > 0);
  await purgeProject(world.sql, world.projectId, new AbortController().signal);
  assert.deepEqual(await counts(), [0, 0, 0, 0, 0]);
});
