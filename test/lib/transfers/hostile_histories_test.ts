/** Lines of histories that say what nothing has measured here, or what is of others. */
import assert from "node:assert/strict";
import { createRule } from "@/lib/alerts/rules.ts";
import { pauseMonitor } from "@/lib/monitors/uptime/monitors.ts";
import { readSums } from "@/lib/monitors/uptime/sums.ts";
import { alertInput } from "../../support/alert_input.ts";
import { at, EVIDENCE, pausedMonitor, stillWorld } from "../../support/still_histories.ts";
import { storedMonitor } from "../../support/stored_monitors.ts";
import { DOWN } from "../../support/uptime_world.ts";

const DAY_MS = 86_400_000;
const ID = "11111111-2222-4333-8444-555555555555";
function linesOf(lines: readonly unknown[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

Deno.test("lines of histories that are nothing, too old or to come cost none of the others", async () => {
  await using world = await stillWorld();
  const { project, services } = world;
  const { sql } = services;
  const monitorId = await pausedMonitor(world);
  const rule = await createRule(sql, project.id, alertInput(), "");
  const monitor = { id: "x", name: "Front page" };
  const alert = { id: 7, name: "Many errors" };
  const [soon, old] = [new Date(Date.now() + DAY_MS), new Date(0)];
  const check = { type: "uptime_check", monitor, dateDue: at(0), status: "up" };
  const hour = new Date(Math.floor(at(-600).getTime() / 3_600_000) * 3_600_000);
  const sum = { type: "uptime_hour", monitor, start: hour, upSec: 3_600, checks: 60 };
  const incident = {
    type: "uptime_incident",
    monitor,
    id: ID,
    dateOpened: at(0),
    dateClosed: at(1),
    evidence: EVIDENCE,
  };
  const entry = { type: "alert_history", alert, group: "a", at: at(0), from: "ok", to: "firing" };
  const lines = [
    // Good ones, with what no column takes.
    { ...check, totalMs: 1e308, httpStatus: -1, message: "x".repeat(9_000), incidentId: ID },
    { ...sum, downSec: 9_000, unknownSec: 1e99, checks: 1e9, failures: 1e12, msSum: -4 },
    { ...incident, checks: 1e15, reminders: "many", comments: [7, { at: "?", text: "a" }] },
    { ...entry, notice: "sent", value: 1e308, level: "hopeless" },
    // Nothing.
    { ...check, dateDue: soon },
    { ...check, status: "fine" },
    { ...check, dateDue: { at: 1 } },
    { ...sum, start: at(0.5) },
    { ...sum, start: soon },
    { ...incident, id: "../../x" },
    { ...incident, evidence: { ...EVIDENCE, headers: [["a", 7]] } },
    { ...incident, evidence: { ...EVIDENCE, certificate: { validTo: "never" } } },
    { ...incident, dateClosed: null },
    { ...incident, dateClosed: at(-5) },
    { ...entry, notice: "shouted" },
    { ...entry, notice: "sent", to: "burning" },
    { ...entry, notice: "sent", at: soon },
    // Older than anything that is kept.
    { ...check, dateDue: old },
    { ...sum, start: old },
    { ...incident, dateOpened: old, dateClosed: old, dateLastSeen: old },
    { ...entry, notice: "sent", at: old },
    // Of nobody here.
    { ...check, monitor: null },
    { ...sum, monitor: { name: "Back page" } },
    { ...incident, monitor: { ...monitor, place: 1e9 } },
    { ...entry, alert: { name: ["Many errors"] } },
    { ...entry, issue: { hashes: ["a".repeat(32)] } },
    { type: "monitor_incident", monitor_slug: "none", id: ID, startingTimestamp: at(0) },
    { type: "monitor_incident" },
    { type: "toString" },
  ];
  const { state, counts } = await world.imported(project, "lines.jsonl", linesOf(lines));
  assert.equal(state, "done");
  assert.deepEqual(counts, {
    uptime_checks: 1,
    uptime_hours: 1,
    incidents: 1,
    alert_history: 1,
    unreadable: 14,
    too_old: 4,
    histories_left_out: 7,
  });
  const [stored] = await sql`
    select total_ms, http_status, length(message) as length, incident_id from uptime_checks
    where project_id = ${project.id} and due_at = ${at(0)}
  `;
  assert.deepEqual({ ...stored }, {
    total_ms: null,
    http_status: null,
    length: 1_000,
    incident_id: ID,
  });
  const [kept] = await sql`
    select down_sec, checks, failures, ms_sum from uptime_hours
    where project_id = ${project.id} and start = ${hour}
  `;
  assert.deepEqual({ ...kept }, { down_sec: 3_600, checks: 3_600, failures: 3_600, ms_sum: 0 });
  const page = await world.read<unknown[]>(project, `/uptime/${monitorId}/incidents/${ID}/`);
  assert.ok(page);
  const [history] = await world.read<unknown[]>(project, `/alerts/${rule.ruleId}/history/`);
  assert.ok(history);
});

Deno.test("histories stay among what a project has, whatever ids they name", async () => {
  await using world = await stillWorld();
  const { project, services } = world;
  const { sql } = services;
  const other = await world.empty("Other");
  const theirs = await storedMonitor(services, other.id, { name: "Theirs" }, [{}, DOWN]);
  const ours = await storedMonitor(services, project.id, { name: "Ours" }, [{}]);
  const second = await storedMonitor(services, project.id, { name: "Second" }, [{}, DOWN]);
  for (
    const [{ id }, { monitorId }] of [[other, theirs], [project, ours], [project, second]] as const
  ) {
    await pauseMonitor(sql, { projectId: id, monitorId }, true, "");
  }
  const rule = await createRule(sql, other.id, alertInput({ name: "Theirs" }), "");
  const before = await sql`select * from uptime_incidents where project_id = ${other.id}`;
  const check = { type: "uptime_check", dateDue: at(0), status: "down" };
  const lines = [
    { ...check, monitor: { id: theirs.monitorId } },
    { ...check, monitor: { id: ours.monitorId }, incidentId: theirs.incidentId },
    { ...check, monitor: { id: ours.monitorId }, dateDue: at(1), incidentId: second.incidentId },
    // The id that an incident of others has is free here; that of an own one is not.
    ...[theirs.incidentId, second.incidentId].map((id) => ({
      type: "uptime_incident",
      monitor: { name: "Ours" },
      id,
      dateOpened: at(0),
      dateClosed: at(1),
      evidence: EVIDENCE,
    })),
    {
      type: "alert_history",
      alert: { id: rule.ruleId },
      group: "",
      at: at(0),
      from: "ok",
      to: "firing",
      notice: "sent",
    },
  ];
  const { counts } = await world.imported(project, "lines.jsonl", linesOf(lines));
  assert.deepEqual(counts, {
    uptime_checks: 2,
    incidents: 1,
    there_already: 1,
    histories_left_out: 2,
  });
  const checks = await sql<{ incidentId: string | null }[]>`
    select incident_id::text as "incidentId" from uptime_checks
    where project_id = ${project.id} and due_at between ${at(0)} and ${at(1)}
    order by due_at
  `;
  assert.deepEqual(
    checks.map(({ incidentId }) => incidentId),
    [theirs.incidentId, null],
    "an incident of another monitor gets no results; the one of that id here does",
  );
  assert.deepEqual(
    [...await sql`select * from uptime_incidents where project_id = ${other.id}`],
    [...before],
  );
  const { length } = await sql`select 1 from alert_history where project_id = ${other.id}`;
  assert.equal(length, 0);
});

Deno.test("an hour that has been measured here stays, and days have each hour once", async () => {
  await using world = await stillWorld();
  const { project, services } = world;
  const monitorId = await pausedMonitor(world);
  const dayBefore = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS;
  const hourOf = (hour: number, upSec: number) => ({
    type: "uptime_hour",
    monitor: { name: "Front page" },
    start: new Date(dayBefore + hour * 3_600_000),
    upSec,
    checks: 1,
  });
  await world.imported(project, "a.jsonl", linesOf([hourOf(1, 100), hourOf(2, 200)]));
  const file = linesOf([hourOf(2, 999), hourOf(3, 400), hourOf(3, 400)]);
  const { counts } = await world.imported(project, "b.jsonl", file);
  assert.deepEqual(counts, { uptime_hours: 1, there_already: 2 });
  const span = { start: new Date(dayBefore), end: new Date(dayBefore + DAY_MS) };
  const days = await readSums(services.sql, project.id, "day", span, monitorId);
  assert.deepEqual(days.get(monitorId)?.map(({ upSec, checks }) => [upSec, checks]), [[700, 3]]);
});
