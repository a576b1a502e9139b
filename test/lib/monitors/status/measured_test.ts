import assert from "node:assert/strict";
import { createProject } from "@/lib/accounts/projects.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "@/lib/core/time.ts";
import { createMonitor } from "@/lib/monitors/cron/monitors.ts";
import { DAYS } from "@/lib/monitors/status/days.ts";
import { measure } from "@/lib/monitors/status/measured.ts";
import { joined } from "@/lib/monitors/status/measured_cron.ts";
import { entryKey } from "@/lib/monitors/status/status_page.ts";
import type { Span } from "@/lib/monitors/uptime/judge.ts";
import type { Monitor } from "@/lib/monitors/uptime/monitor.ts";
import { pauseMonitor, setWindows } from "@/lib/monitors/uptime/monitors.ts";
import { addToSums, uptimeWords } from "@/lib/monitors/uptime/sums.ts";
import { setState, uptimeMonitor } from "../../../support/status_site.ts";
import { testServices } from "../../../support/services.ts";

/** Noon, so that hours before are of the same day. */
const NOW = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS + 12 * HOUR_MS);
const ago = (ms: number) => new Date(NOW.getTime() - ms);

async function world() {
  await using opened = new AsyncDisposableStack();
  const { services } = opened.use(await testServices());
  const { id } = await createProject(services.kv, await organization(services.kv));
  const monitor = await uptimeMonitor(services, id);
  const moved = opened.move();
  return {
    services,
    monitor,
    projectId: id,
    add: (spans: Span[]) => services.sql.begin((tx) => addToSums(tx, monitor, spans, null)),
    async measured(of: Pick<Monitor, "projectId" | "monitorId"> = monitor) {
      const entry = { ...of, name: "", group: "", badge: "" };
      const { entries } = await measure(services, { organizationId: "1", entries: [entry] }, NOW);
      return entries[entryKey(of)];
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

async function organization(kv: Deno.Kv) {
  await kv.set(["organization", "1"], { id: "1", slug: "acme", name: "Acme", createdAt: NOW });
  return { organizationId: "1", name: "Shop", platform: "node" };
}

Deno.test("uptime is weighted by time; maintenance and what was not measured are no part of it", async () => {
  await using all = await world();
  await all.add([
    { kind: "up", start: ago(8 * HOUR_MS), end: ago(5 * HOUR_MS) },
    { kind: "maintenance", start: ago(5 * HOUR_MS), end: ago(4 * HOUR_MS) },
    { kind: "unknown", start: ago(4 * HOUR_MS), end: ago(2 * HOUR_MS) },
    { kind: "down", start: ago(2 * HOUR_MS), end: ago(HOUR_MS) },
    { kind: "degraded", start: ago(HOUR_MS), end: NOW },
  ]);
  const entry = await all.measured();
  // Three hours up and one degraded of five that were measured.
  assert.deepEqual(entry?.uptime, { "24h": 0.8, "7d": 0.8, "30d": 0.8, "90d": 0.8 });
  assert.deepEqual(entry.days.at(-1), [10_800, 3_600, 3_600, 3_600, 7_200]);
  assert.deepEqual(entry.days.slice(0, -1), new Array(DAYS - 1).fill(null));
});

Deno.test("each period looks back as far as it says", async () => {
  await using all = await world();
  const downAt = (days: number): Span => ({
    kind: "down",
    start: ago(days * DAY_MS + HOUR_MS),
    end: ago(days * DAY_MS),
  });
  const upAt = (days: number): Span => ({
    kind: "up",
    start: ago(days * DAY_MS + 2 * HOUR_MS),
    end: ago(days * DAY_MS + HOUR_MS),
  });
  await all.add([upAt(91), upAt(0), upAt(3), downAt(3), downAt(20), upAt(60), downAt(91)]);
  const entry = await all.measured();
  assert.deepEqual(entry?.uptime, { "24h": 1, "7d": 2 / 3, "30d": 0.5, "90d": 0.6 });
});

Deno.test("a percentage is cut after three decimals, and never becomes 100 by rounding", () => {
  assert.equal(uptimeWords(1), "100%");
  assert.equal(uptimeWords(1 - 1 / (90 * 86_400)), "99.999%");
  assert.equal(uptimeWords(0.999_999_999), "99.999%");
  assert.equal(uptimeWords(0.999_98), "99.998%");
  assert.equal(uptimeWords(0), "0.000%");
  assert.equal(uptimeWords(null), "–");
});

Deno.test("a second that was down leaves its day marked", async () => {
  await using all = await world();
  await all.add([
    { kind: "up", start: ago(HOUR_MS), end: ago(100) },
    { kind: "down", start: ago(100), end: NOW },
  ]);
  assert.equal((await all.measured())?.days.at(-1)?.[2], 1);
});

Deno.test("paused is not measured, and a window is maintenance", async () => {
  await using all = await world();
  const { services: { sql }, monitor } = all;
  await setState(all.services, monitor, "down");
  assert.equal((await all.measured())?.state, "down");
  const [start, end] = [ago(HOUR_MS), ago(-HOUR_MS)].map((at) => at.toISOString());
  await setWindows(
    sql,
    monitor,
    [{ kind: "once", start: start ?? "", end: end ?? "", note: "" }],
    "",
  );
  assert.equal((await all.measured())?.state, "maintenance");
  await pauseMonitor(sql, monitor, true, "");
  assert.equal((await all.measured())?.state, "unknown");
});

Deno.test("a monitor of a project that is not the organization's is not looked at", async () => {
  await using all = await world();
  const foreign = await uptimeMonitor(all.services, "999");
  assert.equal(await all.measured(foreign), undefined);
});

Deno.test("a cron job is down while an incident of one of its environments is open", async () => {
  await using all = await world();
  const { services: { sql }, projectId } = all;
  const input = { name: "Backup", config: null, isActive: true, isMuted: false };
  const job = await createMonitor(sql, projectId, "backup", input, ago(2 * DAY_MS));
  for (
    const [environment, isMuted] of [["production", false], ["eu", false], [
      "staging",
      true,
    ]] as const
  ) {
    await sql`
      insert into monitor_environments (project_id, slug, environment, status, is_muted, created_at)
      values (${projectId}, 'backup', ${environment}, 'ok', ${isMuted}, ${ago(2 * DAY_MS)})
    `;
  }
  const incident = (environment: string, from: number, to: number | null) =>
    sql`
    insert into monitor_incidents (project_id, incident_id, slug, environment, started_at, resolved_at, failures)
    values (${projectId}, ${crypto.randomUUID()}, 'backup', ${environment}, ${ago(from)},
      ${to === null ? null : ago(to)}, 1)
  `;
  await incident("production", 30 * HOUR_MS, 29 * HOUR_MS);
  // At the same time: counted once.
  await incident("eu", 30 * HOUR_MS, 29 * HOUR_MS);
  // Nobody wants to hear of it.
  await incident("staging", 20 * HOUR_MS, null);
  const before = await all.measured(job);
  assert.equal(before?.state, "up");
  assert.deepEqual(before.uptime, { "24h": 1, "7d": 47 / 48, "30d": 47 / 48, "90d": 47 / 48 });

  await incident("production", HOUR_MS, null);
  await sql`
    update monitor_environments set status = 'error'
    where project_id = ${projectId} and environment = 'production'
  `;
  const after = await all.measured(job);
  assert.equal(after?.state, "down");
  assert.equal(after.since, ago(HOUR_MS).toISOString());
  assert.deepEqual(after.days.at(-1), [11 * 3_600, 0, 3_600, 0, 0]);
  assert.equal(after.days.filter((day) => day !== null).length, 3);
});

Deno.test("times that overlap or touch are one", () => {
  const at = (second: number) => new Date(second * SECOND_MS);
  const span = (from: number, to: number) => ({ start: at(from), end: at(to) });
  assert.deepEqual(joined([span(5, 9), span(0, 2), span(1, 3), span(3, 4), span(6, 7)]), [
    span(0, 4),
    span(5, 9),
  ]);
});
