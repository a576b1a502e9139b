import assert from "node:assert/strict";
import { unzipSync } from "fflate";
import type { Project } from "@/lib/accounts/projects.ts";
import { evaluateAll } from "@/lib/alerts/evaluation/evaluate_all.ts";
import { noticeOf } from "@/lib/alerts/notices.ts";
import { createRule, listRules } from "@/lib/alerts/rules.ts";
import { tellNotes } from "@/lib/monitors/cron/notes.ts";
import { listIncidents as listCronIncidents } from "@/lib/monitors/cron/runs.ts";
import { listMonitors, pauseMonitor } from "@/lib/monitors/uptime/monitors.ts";
import { readSums } from "@/lib/monitors/uptime/sums.ts";
import type { CheckIn } from "@/lib/records/mod.ts";
import { monitorEvents } from "@/lib/server/monitor_events.ts";
import { ensurePartitions } from "@/lib/store/partitions.ts";
import { alertInput } from "../../support/alert_input.ts";
import { errorEvent } from "../../support/error_event.ts";
import { checkInRecord } from "../../support/records.ts";
import { silentLogger } from "../../support/silent_logger.ts";
import { at, EVIDENCE, pausedMonitor, stillWorld } from "../../support/still_histories.ts";
import { storedMonitor } from "../../support/stored_monitors.ts";
import type { Transferred } from "../../support/transferred.ts";
import { DOWN } from "../../support/uptime_world.ts";

const signal = new AbortController().signal;

const CERTIFICATE = {
  subject: "shop.example",
  issuer: "Good Authority",
  names: ["shop.example"],
  validFrom: new Date("2026-01-01"),
  validTo: new Date("2099-01-01"),
  daysLeft: 20_000,
  fingerprint: "AB:CD",
  protocol: "TLSv1.3",
  problem: null,
};

/** Two monitors of one name, of which one was down and is up, and the other is down. */
async function haveUptime({ project, services }: Transferred): Promise<void> {
  const { sql } = services;
  const down = { ...DOWN, certificate: CERTIFICATE, redirects: ["https://shop.example/\u{1f600}"] };
  const results = [[{}, down, { ...down, durationMs: 0 }, {}, { state: "degraded" as const }], [
    {},
    DOWN,
  ]];
  for (const [place, each] of results.entries()) {
    const fields = { intervalSec: 60 + place };
    const { monitorId } = await storedMonitor(services, project.id, fields, each);
    await pauseMonitor(sql, { projectId: project.id, monitorId }, true, "");
  }
  await sql`
    update uptime_incidents
    set comments = '[{"at": "2026-11-01T00:00:00.000Z", "by": "a@b.example", "text": "Fixed"}]'
    where project_id = ${project.id} and closed_at is not null
  `;
}

/** Two jobs, each of which has failed; one is well again. */
async function haveCron(world: Transferred): Promise<void> {
  const { project, services } = world;
  const send = async (slug: string, minute: number, status: CheckIn["status"]) => {
    const record = checkInRecord({
      monitorSlug: slug,
      status,
      timestamp: at(minute),
      receivedAt: at(minute),
    });
    await services.writer.commit(project.id, { records: [record], outcomes: [] });
  };
  await send("nightly", 0, "error");
  await send("hourly", 1, "error");
  await tellNotes(services.sql, monitorEvents(services), new Date(), signal);
  await send("nightly", 10, "ok");
  await tellNotes(services.sql, monitorEvents(services), new Date(), signal);
}

/** Three alerts: one that has fired and is well, one that fires still, and one about new issues. */
async function haveAlerts({ project, services }: Transferred): Promise<void> {
  const { kv, sql, writer } = services;
  const rules = [
    alertInput({ name: "Errors" }),
    alertInput({ name: "Errors", windowMinutes: 30 }),
    alertInput({ name: "New", source: { kind: "errors", measure: "new_issue", search: "" } }),
  ];
  for (const rule of rules) await createRule(sql, project.id, rule, "", at(-2));
  const events = Array.from(
    { length: 7 },
    () => errorEvent({ timestamp: at(0.5), receivedAt: at(0.5) }),
  );
  await writer.commit(project.id, { records: events, outcomes: [] });
  const tools = { kv, sql, log: silentLogger, baseUrl: "https://watch.test", noticeOf };
  for (const minute of [0, 1, 2, 3]) {
    await evaluateAll(tools, new Date(at(minute).getTime() + 5_000), signal);
  }
}

interface OfMonitor {
  readonly incidentId?: string | null;
  readonly monitorId?: string;
  readonly id?: string;
}

/** What the API and the pages answer, without the ids that are the project's own; the open ones aside. */
async function answersOf(world: Transferred, project: Project) {
  const { sql } = world.services;
  const monitors = (await listMonitors(sql, project.id))
    .toSorted((a, b) => a.intervalSec - b.intervalSec);
  const span = { start: new Date(0), end: new Date() };
  const uptime = [];
  for (const { monitorId } of monitors) {
    const of = (path: string) => world.read<OfMonitor[]>(project, `/uptime/${monitorId}/${path}`);
    const incidents = await of("incidents/");
    const whole = await Promise.all(
      incidents.map(({ id }) =>
        world.read<OfMonitor>(project, `/uptime/${monitorId}/incidents/${id}/`)
      ),
    );
    const hours = await readSums(sql, project.id, "hour", span, monitorId);
    const days = await readSums(sql, project.id, "day", span, monitorId);
    uptime.push({
      checks: await of("checks/"),
      incidents: whole.map(({ monitorId: _, ...rest }) => rest),
      hours: hours.get(monitorId),
      days: days.get(monitorId),
    });
  }
  const issues = new Map(
    (await sql<{ id: string; title: string }[]>`
      select id::text as id, title from issues where project_id = ${project.id}
    `).map(({ id, title }) => [id, title]),
  );
  const cron = [];
  for (const slug of ["hourly", "nightly"]) {
    const found = await listCronIncidents(sql, project.id, slug, new Date(0), 10);
    cron.push(found.map(({ issueId, ...rest }) => ({ ...rest, issue: issues.get(issueId ?? "") })));
  }
  const rules = (await listRules(sql, project.id))
    .toSorted((a, b) => a.name.localeCompare(b.name) || a.windowMinutes - b.windowMinutes);
  const alerts = [];
  for (const { ruleId } of rules) {
    const entries = await world.read<{ group: string }[]>(project, `/alerts/${ruleId}/history/`);
    alerts.push(
      entries.map(({ group, ...rest }) => ({
        group: issues.has(group) ? "an issue" : group,
        ...rest,
      })),
    );
  }
  return { uptime, cron, alerts };
}

/** How much there is of everything that tells somebody something. */
async function toldOf({ services: { sql } }: Transferred, { id }: Project) {
  const [row] = await sql`
    select
      (select count(*)::int from deliveries where project_id = ${id}) as deliveries,
      (select count(*)::int from monitor_notes where project_id = ${id}) as notes,
      (select count(*)::int from alert_states where project_id = ${id}) as states,
      (select count(*)::int from uptime_monitors
        where project_id = ${id} and (state <> 'unknown' or incident_id is not null)) as moved,
      (select count(*)::int from monitor_environments
        where project_id = ${id} and (incident_id is not null or status = 'error')) as failing
  `;
  return { ...row };
}

/** When an archive was asked for. */
function exportedAt(archive: Uint8Array): string {
  const about = unzipSync(archive)["export.json"];
  const { askedAt }: { askedAt: string } = JSON.parse(new TextDecoder().decode(about));
  return askedAt;
}

Deno.test("histories of monitors and alerts come back as they were", async (t) => {
  await using world = await stillWorld();
  const { project, services: { sql } } = world;
  await haveUptime(world);
  await haveCron(world);
  await haveAlerts(world);
  const before = await answersOf(world, project);
  assert.deepEqual(
    before.uptime.map(({ checks, incidents }) => [checks.length, incidents.length]),
    [
      [5, 1],
      [2, 1],
    ],
    "there is something to compare",
  );
  assert.deepEqual(before.cron.map(({ length }) => length), [1, 1]);
  assert.deepEqual(before.alerts.map(({ length }) => length > 0), [true, true, true]);
  const archive = await world.exported(project);

  const copy = await world.empty("Copy");
  await t.step("without their monitors and alerts they are counted and left out", async () => {
    const { counts } = await world.imported(copy, "export.zip", archive);
    assert.ok((counts.histories_left_out ?? 0) > 10, JSON.stringify(counts));
    assert.equal(counts.incidents, 2, "of cron jobs, which runs have made");
    assert.equal(counts.uptime_checks, undefined);
    assert.equal(counts.alert_history, undefined);
  });

  await t.step(
    "with them they are as they were, and what went on ended with the export",
    async () => {
      const { counts } = await world.imported(copy, "export.zip", archive, true);
      assert.deepEqual([counts.uptime_checks, counts.histories_left_out], [7, undefined]);
      const after = await answersOf(world, copy);
      assert.deepEqual(after.uptime[0], before.uptime[0]);
      assert.deepEqual(after.uptime[1]?.checks, before.uptime[1]?.checks);
      const ended = exportedAt(archive);
      const [open] = before.uptime[1]?.incidents ?? [];
      assert.deepEqual(after.uptime[1]?.incidents, [{ ...open, dateClosed: ended }]);
      assert.deepEqual(after.cron[1], before.cron[1]);
      assert.deepEqual(
        after.cron[0],
        before.cron[0]?.map((each) => ({
          ...each,
          resolvedAt: new Date(ended),
        })),
      );
      assert.deepEqual(after.alerts[0], before.alerts[0]);
      assert.deepEqual(after.alerts[1]?.slice(1), before.alerts[1]);
      const ofIssues = before.alerts[2] ?? [];
      assert.equal(ofIssues.at(-1)?.group, "an issue");
      assert.deepEqual(after.alerts[2]?.slice(-ofIssues.length), ofIssues);
      const [end] = after.alerts[1] ?? [];
      assert.deepEqual(end, {
        group: "",
        at: ended,
        from: "firing",
        to: "ok",
        level: null,
        value: null,
        notice: "none",
      });
    },
  );

  await t.step("nobody is told, and nothing is moved", async () => {
    assert.deepEqual(await toldOf(world, copy), {
      deliveries: 0,
      notes: 0,
      states: 0,
      moved: 0,
      failing: 0,
    });
    const { length } = await sql`
      select 1 from uptime_incidents where project_id = ${copy.id} and closed_at is null
    `;
    assert.equal(length, 0);
  });

  await t.step("a second import changes nothing, there or where it came from", async () => {
    const after = await answersOf(world, copy);
    for (const [each, expected] of [[copy, after], [project, before]] as const) {
      const { counts } = await world.imported(each, "export.zip", archive);
      const fresh = [
        counts.uptime_checks,
        counts.uptime_hours,
        counts.incidents,
        counts.alert_history,
      ];
      assert.deepEqual(fresh, [undefined, undefined, undefined, undefined]);
      assert.equal(counts.histories_left_out, undefined);
      assert.deepEqual(await answersOf(world, each), expected);
    }
  });
});

Deno.test("more than a page of each is exported once, and comes back whole", async () => {
  await using world = await stillWorld();
  const { project, services } = world;
  const { sql } = services;
  const monitorId = await pausedMonitor(world);
  const rule = await createRule(sql, project.id, alertInput(), "");
  const [many, some] = [2_050, 105];
  const since = new Date(at(0).getTime() - many * 10_000);
  await ensurePartitions(sql, [since, at(0)]);
  await sql`
    insert into uptime_checks (project_id, monitor_id, due_at, checked_at, status, total_ms)
    select ${project.id}::bigint, ${monitorId}::uuid, ${since}::timestamptz + n * interval '10 s',
      ${since}::timestamptz + n * interval '10 s', 'up', n
    from generate_series(1, ${many}::int) n
  `;
  await sql`
    insert into uptime_hours (project_id, monitor_id, start, up_sec, checks)
    select ${project.id}::bigint, ${monitorId}::uuid,
      date_trunc('hour', ${since}::timestamptz) - n * interval '1 hour', 3600, 60
    from generate_series(1, ${many}::int) n
  `;
  await sql`
    insert into uptime_incidents (
      project_id, incident_id, monitor_id, opened_at, confirmed_at, closed_at, last_seen, reason,
      message, checks, evidence
    )
    select ${project.id}::bigint, gen_random_uuid(), ${monitorId}::uuid, ${since}, ${since}, ${since},
      ${since}, '', '', n, ${JSON.stringify(EVIDENCE)}
    from generate_series(1, ${some}::int) n
  `;
  await sql`
    insert into monitors (project_id, slug, name, first_seen, last_seen)
    values (${project.id}, 'job', 'Job', ${since}, ${since})
  `;
  await sql`
    insert into monitor_incidents (
      project_id, incident_id, slug, environment, started_at, resolved_at, failures
    )
    select ${project.id}::bigint, gen_random_uuid(), 'job', '', ${since}, ${since}, n
    from generate_series(1, ${some}::int) n
  `;
  // Many at one moment: their order is that of their coming.
  await sql`
    insert into alert_history (
      project_id, rule_id, "at", "group", from_status, to_status, level, value, notice
    )
    select ${project.id}::bigint, ${rule.ruleId}::uuid, ${since}, 'g' || n, 'ok', 'firing', 'critical',
      n, 'sent'
    from generate_series(1, ${many}::int) n order by n
  `;
  const archive = await world.exported(project);
  const copy = await world.empty("Copy");
  const { counts } = await world.imported(copy, "export.zip", archive, true);
  assert.deepEqual(
    [counts.uptime_checks, counts.incidents, counts.alert_history, counts.there_already],
    [many + 1, 2 * some, many, undefined],
  );
  // Those before the retention stay behind, the hour of the stored check comes along.
  assert.equal((counts.uptime_hours ?? 0) + (counts.too_old ?? 0), many + 1);
  const groups = await sql<{ group: string }[]>`
    select "group" from alert_history where project_id = ${copy.id} order by "at", entry_id
  `;
  assert.deepEqual(
    groups.map(({ group }) => group),
    Array.from({ length: many }, (_, place) => `g${place + 1}`),
  );
});
