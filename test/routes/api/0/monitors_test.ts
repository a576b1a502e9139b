import assert from "node:assert/strict";
import { testApi } from "@/test/support/api_people.ts";
import { errorEvent } from "@/test/support/error_event.ts";
import { checkInRecord } from "@/test/support/records.ts";

interface MonitorAnswer {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly status: string;
  readonly isMuted: boolean;
  readonly config: Readonly<Record<string, unknown>>;
  readonly project: { readonly slug: string };
  readonly environments: readonly {
    readonly name: string;
    readonly status: string;
    readonly nextCheckIn: string | null;
    readonly activeIncident: { readonly startingTimestamp: string } | null;
  }[];
}

const PATH = "/organizations/acme/monitors/";
const BODY = {
  project: "acme-shop",
  name: "Nightly backup",
  type: "cron_job",
  config: { schedule_type: "interval", schedule: [2, "hour"], max_runtime: 10 },
};

Deno.test("a monitor is made, read by slug and id, changed in part, and deleted", async () => {
  await using api = await testApi();
  const made = await api.call<MonitorAnswer>("member", PATH, { method: "POST", body: BODY });
  assert.equal(made.status, 201);
  assert.equal(made.body.slug, "nightly-backup");
  assert.deepEqual(made.body.config, {
    schedule_type: "interval",
    schedule: [2, "hour"],
    timezone: "UTC",
    checkin_margin: 1,
    max_runtime: 10,
    failure_issue_threshold: 1,
    recovery_threshold: 1,
    alert_rule_id: null,
  });
  const path = "/projects/acme/acme-shop/monitors/nightly-backup/";
  const config = { schedule_type: "crontab", schedule: "0 3 * * *", timezone: "Europe/Berlin" };
  const changed = await api.call<MonitorAnswer>("member", path, {
    method: "PUT",
    body: { config, is_muted: true },
  });
  assert.deepEqual([changed.body.isMuted, changed.body.config.max_runtime], [true, 10]);
  const off = await api.call<MonitorAnswer>("member", `${PATH}${made.body.id}/`, {
    method: "PUT",
    body: { status: "disabled" },
  });
  assert.deepEqual([off.body.status, off.body.config.schedule], ["disabled", "0 3 * * *"]);
  const bulk = await api.call<{ updated: MonitorAnswer[] }>("member", PATH, {
    method: "PUT",
    body: { ids: [made.body.id], status: "active" },
  });
  assert.deepEqual(bulk.body.updated.map(({ status }) => status), ["active"]);
  assert.equal((await api.call("member", path, { method: "DELETE" })).status, 202);
  assert.equal((await api.call("member", path)).status, 404);
});

Deno.test("wrong monitors are refused field by field, and taken slugs with 409", async () => {
  await using api = await testApi();
  const post = (body: unknown) =>
    api.call<Record<string, unknown>>("member", PATH, { method: "POST", body });
  const wrong = await post({
    ...BODY,
    config: { schedule: "* * *", timezone: "Mars", max_runtime: 0 },
  });
  assert.equal(wrong.status, 400);
  assert.deepEqual(Object.keys(wrong.body), [
    "config.schedule",
    "config.timezone",
    "config.max_runtime",
  ]);
  assert.equal((await post({ ...BODY, slug: "Not A Slug" })).status, 400);
  assert.equal((await post({ ...BODY, project: "other-shop" })).status, 404);
  assert.equal((await post({ ...BODY, slug: "backup" })).status, 201);
  assert.equal((await post({ ...BODY, slug: "backup" })).status, 409);
});

Deno.test("check-ins, stats and errors are as Sentry's clients read them", async () => {
  await using api = await testApi();
  const { writer } = api.services;
  const traceId = "5f2a1c3d4e5f60718293a4b5c6d7e8f9";
  const monitorConfig = '{"schedule":{"type":"crontab","value":"0 * * * *"}}';
  const common = { monitorSlug: "backup", monitorConfig };
  const records = [
    checkInRecord({ ...common, status: "ok", durationSec: 4 }),
    checkInRecord({ ...common, status: "error", durationSec: 2, environment: "staging", traceId }),
    checkInRecord({ ...common, status: "ok", monitorConfig: '{"schedule":7}', environment: "x" }),
    errorEvent({ traceId }),
  ];
  await writer.commit(api.project.id, { records, outcomes: [] });
  const { body: monitors } = await api.call<MonitorAnswer[]>("viewer", PATH);
  const [monitor] = monitors;
  assert.deepEqual(monitor?.environments.map(({ name, status }) => [name, status]), [
    ["production", "ok"],
    ["staging", "error"],
    ["x", "ok"],
  ]);
  assert.ok(monitor?.environments[1]?.activeIncident);
  assert.match(monitor?.environments[0]?.nextCheckIn ?? "", /:00:00\.000Z$/);
  const { body: checkIns } = await api.call<Record<string, unknown>[]>(
    "viewer",
    `${PATH}backup/checkins/?environment=staging&expand=groups&statsPeriod=24h`,
  );
  const [checkIn] = checkIns;
  assert.equal(checkIns.length, 1);
  assert.deepEqual([checkIn?.status, checkIn?.duration], ["error", 2_000]);
  assert.match(String(checkIn?.id), /^[0-9a-f]{8}-[0-9a-f]{4}-/);
  assert.equal((checkIn?.groups as unknown[]).length, 1);
  const first = await api.call<unknown[]>("viewer", `${PATH}backup/checkins/?per_page=2`);
  assert.equal(first.body.length, 2);
  const next = /<([^>]+)>; rel="next"; results="true"/.exec(first.headers.get("link") ?? "");
  const { pathname, search } = new URL(next?.[1] ?? "");
  const second = await api.call<unknown[]>("viewer", (pathname + search).replace("/api/0", ""));
  assert.equal(second.body.length, 1);
  const { body: stats } = await api.call<Record<string, number>[]>(
    "viewer",
    `${PATH}backup/stats/?resolution=1d`,
  );
  const sum = (name: string) => stats.reduce((all, bucket) => all + (bucket[name] ?? 0), 0);
  assert.deepEqual([sum("ok"), sum("error"), sum("missed")], [2, 1, 0]);
  const { body: several } = await api.call<Record<string, unknown[]>>(
    "viewer",
    `/organizations/acme/monitors-stats/?monitor=${monitor?.id}&resolution=1d`,
  );
  assert.ok(several[monitor?.id ?? ""]?.length);
  const errors = await api.call<{ id: string; errors: { type: string }[] }[]>(
    "viewer",
    "/projects/acme/acme-shop/monitors/backup/processing-errors/",
  );
  assert.deepEqual(errors.body.map(({ errors: [error] }) => error?.type), [
    "MONITOR_INVALID_CONFIG",
  ]);
  for (const bad of ["?resolution=x", "?since=-1", "?resolution=1s&since=0"]) {
    assert.equal((await api.call("viewer", `${PATH}backup/stats/${bad}`)).status, 400, bad);
  }
});

Deno.test("monitors of another organization are not there", async () => {
  await using api = await testApi();
  const record = checkInRecord({ monitorSlug: "theirs" });
  await api.services.writer.commit(api.otherWorld.project.id, { records: [record], outcomes: [] });
  assert.deepEqual((await api.call<unknown[]>("owner", PATH)).body, []);
  assert.equal((await api.call("owner", `${PATH}theirs/`)).status, 404);
  assert.equal(
    (await api.call("owner", "/projects/other/other-shop/monitors/theirs/")).status,
    404,
  );
  const bulk = { method: "PUT", body: { ids: [crypto.randomUUID()], is_muted: true } };
  assert.equal((await api.call("stranger", PATH, bulk)).status, 404);
});

/** A cursor of a moment that no calendar has. */
const NO_TIME = btoa(JSON.stringify([1, "9999-99-99T25:00:00.000Z", "0".repeat(32)]))
  .replaceAll("=", "");

Deno.test("names that cannot be stored and cursors of no time name nothing", async () => {
  await using api = await testApi();
  const record = checkInRecord({ monitorSlug: "backup" });
  await api.services.writer.commit(api.project.id, { records: [record], outcomes: [] });
  for (
    const [method, path, status] of [
      ["GET", "%00/", 404],
      ["GET", "backup/checkins/?environment=%00&cursor=%00", 200],
      ["GET", `backup/checkins/?cursor=${NO_TIME}`, 200],
      ["GET", "backup/stats/?environment=%00", 200],
      ["DELETE", "backup/environments/%00/", 202],
      ["DELETE", "backup/processing-errors/%00/", 404],
    ] as const
  ) {
    assert.equal((await api.call("owner", PATH + path, { method })).status, status, path);
  }
});
