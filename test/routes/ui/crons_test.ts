import assert from "node:assert/strict";
import { createProject } from "@/lib/accounts/projects.ts";
import type { CheckIn } from "@/lib/records/mod.ts";
import { errorEvent } from "../../support/error_event.ts";
import { checkInRecord } from "../../support/records.ts";
import { type Acme, acme, textOf } from "../../support/ui_app.ts";

const LIST = "/projects/1/monitors/crons";
const MINUTE_MS = 60_000;
const CRONTAB = {
  name: "Nightly backup",
  slug: "",
  schedule_type: "crontab",
  crontab: "30 2 * * *",
  timezone: "Europe/Berlin",
  checkin_margin: "5",
  max_runtime: "30",
  failure_issue_threshold: "1",
  recovery_threshold: "1",
  action: "save",
};

async function shop(): Promise<Acme> {
  const app = await acme();
  const organizationId = app.organization.id;
  await createProject(app.services.kv, { organizationId, name: "Shop", platform: "node" });
  return app;
}

/** Sends a check-in of `backup` so many minutes ago. */
async function send({ services: { writer } }: Acme, ago: number, fields: Partial<CheckIn>) {
  const at = new Date(Date.now() - ago * MINUTE_MS);
  const record = checkInRecord({
    checkInId: null,
    monitorSlug: "backup",
    durationSec: null,
    timestamp: at,
    receivedAt: at,
    ...fields,
  });
  await writer.commit("1", { records: [record], outcomes: [] });
}

Deno.test("a project without cron jobs shows how one reports, with its own DSN", async () => {
  await using app = await shop();
  const { status, html } = await app.owner.get(LIST);
  assert.equal(status, 200);
  const text = textOf(html);
  assert.match(text, /No cron job has reported yet/);
  assert.match(text, /sentry-cli monitors run nightly-backup/);
  assert.match(text, /\/api\/1\/cron\/nightly-backup\/[0-9a-f]{32}\/\?exit=\$\?/);
});

Deno.test("a job whose first run is under way is running, and waits no more", async () => {
  await using app = await shop();
  await send(app, 1, { status: "in_progress", environment: "production" });
  const list = textOf((await app.owner.get(LIST)).html);
  assert.match(list, /All1 Running1 .*running backup/);
  assert.doesNotMatch(list, /[Ww]aiting/);
  assert.match(textOf((await app.owner.get(`${LIST}?status=running`)).html), /backup/);
  assert.match(textOf((await app.owner.get(`${LIST}/backup`)).html), /production running/);

  await send(app, 0, { status: "ok", environment: "production" });
  const ended = textOf((await app.owner.get(LIST)).html);
  assert.match(ended, /All1 OK1/);
  assert.doesNotMatch(ended, /[Rr]unning/);
});

Deno.test("a form shows the next times, warns of the night when clocks change, and makes a job", async () => {
  await using app = await shop();
  const path = `${LIST}/new`;
  const preview = await app.owner.post(path, { ...CRONTAB, action: "preview" });
  assert.equal(preview.status, 200);
  assert.match(
    textOf(preview.html),
    /Next expected .*02:30 Europe\/Berlin.*Mind the nights when clocks change/,
  );
  assert.equal((preview.html.match(/data-local/g) ?? []).length, 3);
  const wrong = await app.owner.post(path, {
    ...CRONTAB,
    name: "",
    crontab: "0 0 31 2 *",
    timezone: "Berlin",
    max_runtime: "0",
  });
  assert.equal(wrong.status, 422);
  for (
    const words of [/Give it a name/, /never comes true/, /no time zone Berlin/, /from 1 to 40,320/]
  ) {
    assert.match(textOf(wrong.html), words);
  }
  const made = await app.owner.post(path, CRONTAB);
  assert.equal(made.location, `${LIST}/nightly-backup`);
  const { html } = await app.owner.get(`${LIST}/nightly-backup`);
  assert.match(textOf(html), /It waits for its first check-in/);
  const again = await app.owner.post(path, CRONTAB);
  assert.equal(again.status, 422);
  assert.match(textOf(again.html), /There is a monitor nightly-backup/);
  const edited = await app.owner.post(`${LIST}/nightly-backup/edit`, {
    ...CRONTAB,
    schedule_type: "interval",
    count: "6",
    unit: "hour",
  });
  assert.equal(edited.location, `${LIST}/nightly-backup`);
  assert.match(textOf((await app.owner.get(LIST)).html), /every 6 hours/);
});

Deno.test("the address for pings on the page works, until there is a new one", async () => {
  await using app = await shop();
  await app.owner.post(`${LIST}/new`, CRONTAB);
  const path = `${LIST}/nightly-backup`;
  const addressOf = async () => {
    const { html } = await app.owner.get(path);
    return /\/ping\/1\.nightly-backup\.[0-9a-f]{40}/.exec(html)?.[0] ?? "";
  };
  const statusOf = async (address: string) => {
    const response = await app.handle(new Request(`http://localhost:8000${address}`));
    await response.body?.cancel();
    return response.status;
  };
  const address = await addressOf();
  assert.equal(await statusOf(address), 200);
  assert.equal((await app.owner.post(path, { action: "renew-ping" })).location, path);
  assert.equal(await statusOf(address), 404);
  assert.equal(await statusOf(await addressOf()), 200);
  const { visitor } = await app.member("viewer");
  const seen = (await visitor.get(path)).html;
  assert.doesNotMatch(seen, /\/ping\/1\./);
  assert.doesNotMatch(seen, /renew-ping|Delete cron job/);
});

Deno.test("the page of a job shows runs, log, trace, errors of the run, incident and what was not taken", async () => {
  await using app = await shop();
  const { writer, sql } = app.services;
  const traceId = "5f2a1c3d4e5f60718293a4b5c6d7e8f9";
  const config = '{"schedule":{"type":"interval","value":1,"unit":"hour"},"checkin_margin":9}';
  await send(app, 20, { status: "in_progress", monitorConfig: config });
  await send(app, 15, { status: "error", traceId, log: "disk is <full>" });
  await writer.commit("1", { records: [errorEvent({ traceId })], outcomes: [] });
  await send(app, 12, { status: "ok", environment: "staging", monitorConfig: '{"schedule":1}' });
  const { html } = await app.owner.get(`${LIST}/backup`);
  const text = textOf(html);
  assert.match(text, /failed .* 5 m 0\d s/);
  assert.match(text, /Incidents .*still failing/);
  assert.match(text, /MONITOR_INVALID_CONFIG/);
  assert.match(html, new RegExp(`issues\\?query=trace%3A${traceId}`));
  assert.match(html, new RegExp(`/traces/${traceId}`));
  const [run] = await sql<{ id: string }[]>`
    select replace(check_in_id::text, '-', '') as id from check_ins where status = 'error'
  `;
  // Expected five minutes ago, with a margin of nine.
  assert.doesNotMatch(text, /due \d+ min ago/);
  await sql`update monitor_environments set next_at = now() - interval '5 min'`;
  assert.match(textOf((await app.owner.get(`${LIST}/backup`)).html), /due 5 min ago/);
  assert.match(textOf((await app.owner.get(LIST)).html), /due 5 min ago/);
  const withLog = await app.owner.get(`${LIST}/backup?run=${run?.id}`);
  assert.match(textOf(withLog.html), /disk is <full>/);
  const staging = await app.owner.get(`${LIST}/backup?environment=staging`);
  assert.doesNotMatch(textOf(staging.html), /5 m 0\d s/);
  const list = textOf((await app.owner.get(LIST)).html);
  assert.match(list, /All2 Failing1 OK1/);
  const failing = (await app.owner.get(`${LIST}?status=failing`)).html;
  assert.match(failing, /Last 1 run: 1 failed; the newest: failed/);
  assert.doesNotMatch(failing, /<td[^>]*>staging/);
  assert.match(textOf((await app.owner.get(`${LIST}?query=nothing`)).html), /No cron job matches/);
});

Deno.test("a job is muted, turned off and on, and deleted when its name was typed", async () => {
  await using app = await shop();
  await send(app, 5, { status: "ok" });
  const path = `${LIST}/backup`;
  const stateOf = async () => {
    const [row] = await app.services.sql`select status, is_muted as muted from monitors`;
    return row ? `${row.status} ${row.muted}` : "gone";
  };
  await app.owner.post(path, { action: "mute" });
  await app.owner.post(path, { action: "disable" });
  assert.equal(await stateOf(), "disabled true");
  assert.match(textOf((await app.owner.get(path)).html), /This cron job is off/);
  await app.owner.post(path, { action: "enable" });
  await app.owner.post(path, { action: "unmute" });
  assert.equal(await stateOf(), "active false");
  await app.owner.post(path, { action: "mute-environment", environment: "production" });
  assert.match(textOf((await app.owner.get(path)).html), /production muted/);
  await send(app, 4, { status: "ok", environment: "branch-7" });
  await app.owner.post(path, { action: "delete-environment", environment: "branch-7" });
  const left = await app.services.sql`select distinct environment from check_ins`;
  assert.deepEqual([...left], [{ environment: "production" }]);
  assert.equal((await app.owner.post(path, { action: "fly" })).status, 400);
  assert.equal((await app.owner.post(path, { action: "delete", confirm: "x" })).status, 422);
  assert.equal(
    (await app.owner.post(path, { action: "delete", confirm: "backup" })).location,
    LIST,
  );
  assert.equal(await stateOf(), "gone");
  assert.equal((await app.services.sql`select 1 from check_ins`).length, 0);
  assert.equal((await app.owner.get(path)).status, 404);
});

Deno.test("a job of another organization's project is not there", async () => {
  await using app = await shop();
  await send(app, 5, { status: "ok" });
  const stranger = app.visitor();
  assert.match((await stranger.get(`${LIST}/backup`)).location ?? "", /^\/sign-in/);
  await app.services.writer.commit("2", {
    records: [checkInRecord({ monitorSlug: "theirs" })],
    outcomes: [],
  });
  assert.equal((await app.owner.get(`${LIST}/theirs`)).status, 404);
  assert.equal((await app.owner.post(`${LIST}/theirs`, { action: "mute" })).status, 404);
  assert.doesNotMatch((await app.owner.get(LIST)).html, /theirs/);
});
