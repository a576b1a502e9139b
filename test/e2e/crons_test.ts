/** Cron jobs of stock clients: the helpers of Sentry's SDKs, sentry-cli, and a shell with curl. */
import assert from "node:assert/strict";
import { type ListeningApp, listeningApp } from "../support/listening_app.ts";
import { waitFor } from "../support/wait_for.ts";
import { nodeClient, pythonClient } from "./clients/install.ts";

const [node, python] = await Promise.all([nodeClient("crons_node"), pythonClient("crons_python")]);

/** A client may take a while to start on a busy machine; what it has sent is there at once. */
const ARRIVES_WITHIN_MS = 20_000;

/** The last run of each job, by its name, once none is open. */
async function runsOf({ services: { sql }, projectId }: ListeningApp, jobs: number) {
  return await waitFor(`${jobs} jobs that have ended`, async () => {
    const rows = await sql<{ slug: string; status: string; config: { schedule: unknown } }[]>`
      select slug, check_ins.status, monitors.config from check_ins
      join monitors on monitors.project_id = check_ins.project_id and slug = monitor_slug
      where check_ins.project_id = ${projectId} and environment = 'nightly'
        and check_ins.status <> 'in_progress' and duration_sec is not null
      order by slug
    `;
    return rows.length === jobs ? rows : null;
  }, ARRIVES_WITHIN_MS);
}

Deno.test({
  name:
    "Sentry.withMonitor of the stock Node SDK makes monitors, runs and an issue for the one that failed",
  ignore: node === null,
  async fn() {
    await using app = await listeningApp();
    await node?.run(app.serverDsn);
    const runs = await runsOf(app, 2);
    assert.deepEqual(runs.map(({ slug, status, config }) => [slug, status, config.schedule]), [
      ["node-bad", "error", "0 3 * * *"],
      ["node-good", "ok", "0 3 * * *"],
    ]);
    const { sql } = app.services;
    const [linked] = await sql`
      select 1 from check_ins join events using (project_id, trace_id)
      where monitor_slug = 'node-bad' and title = 'Error: the disk is full'
    `;
    assert.ok(linked, "the error of the run is in its trace");
    const title = "Monitor failure: node-bad";
    await waitFor("the issue, and the incident that names it", async () => {
      const rows = await sql`
        select 1 from monitor_incidents join issues on issues.id = issue_id
        where title = ${title} and slug = 'node-bad'
      `;
      return rows.length === 1 || null;
    }, ARRIVES_WITHIN_MS);
    assert.equal((await sql`select 1 from monitor_incidents`).length, 1);
  },
});

Deno.test({
  name: "sentry_sdk.crons.monitor and sentry-cli monitors run work unchanged",
  ignore: python === null,
  async fn() {
    await using app = await listeningApp();
    await python?.run(app.serverDsn);
    const runs = await runsOf(app, 4);
    assert.deepEqual(runs.map(({ slug, status, config }) => [slug, status, config.schedule]), [
      ["cli-bad", "error", "30 4 * * *"],
      ["cli-good", "ok", "30 4 * * *"],
      ["python-bad", "error", [2, "hour"]],
      ["python-good", "ok", [2, "hour"]],
    ]);
    const refused = await app.services.sql`
      select category, reason from outcomes where kind not in ('accepted', 'client_discard')
    `;
    assert.deepEqual([...refused], []);
  },
});

Deno.test("a shell reports by the address on the job's page, with its log and exit status", async () => {
  await using app = await listeningApp();
  const list = `/projects/${app.projectId}/monitors/crons`;
  await app.owner.post(`${list}/new`, {
    name: "Backup",
    slug: "backup",
    schedule_type: "crontab",
    crontab: "30 4 * * *",
    timezone: "UTC",
    checkin_margin: "5",
    max_runtime: "30",
    failure_issue_threshold: "1",
    recovery_threshold: "1",
    action: "save",
  });
  const { html } = await app.owner.get(`${list}/backup`);
  const [path = ""] = /\/ping\/\d+\.backup\.[0-9a-f]+/.exec(html) ?? [];
  const script = `
    set -u
    curl -fsS -m 10 ${app.url}${path}/start
    sh -c 'echo dumping; echo no space left >&2; exit 3' > job.log 2>&1; status=$?
    tail -c 10000 job.log | curl -fsS -m 10 --data-binary @- ${app.url}${path}/$status
  `;
  const directory = await Deno.makeTempDir();
  try {
    const { success, stderr } = await new Deno.Command("sh", {
      args: ["-c", script],
      cwd: directory,
    }).output();
    assert.ok(success, new TextDecoder().decode(stderr));
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
  const rows = await app.services.sql`select status, log from check_ins`;
  assert.deepEqual([...rows], [
    { status: "error", log: "dumping\nno space left\nExit status 3" },
  ]);
});
