import assert from "node:assert/strict";
import { testApi } from "@/test/support/api_people.ts";
import { storedDomain, storedMonitor } from "@/test/support/stored_monitors.ts";

interface Monitor {
  readonly id: string;
  readonly name: string;
  readonly intervalSec: number;
  readonly target: { readonly headers: [string, string][]; readonly url: string };
  readonly isPaused: boolean;
}

const TARGET = {
  kind: "http",
  url: "http://127.0.0.1:9/",
  headers: [["Authorization", "Bearer s3cret-1"], ["Accept", "text/html"]],
};

Deno.test("a monitor is made, read, changed and deleted, and its secrets are never answered", async () => {
  await using api = await testApi();
  const path = `/projects/acme/${api.project.slug}/uptime`;
  const made = await api.call<Monitor>("member", `${path}/`, {
    method: "POST",
    body: { name: "Front", target: TARGET },
  });
  assert.equal(made.status, 201);
  assert.deepEqual(made.body.target.headers, [["Authorization", "********"], [
    "Accept",
    "text/html",
  ]]);
  assert.equal(made.body.intervalSec, 60);
  const one = `${path}/${made.body.id}/`;

  const changed = await api.call<Monitor>("member", one, {
    method: "PUT",
    body: { name: "Back", isPaused: true },
  });
  assert.equal(changed.status, 200);
  assert.deepEqual([changed.body.name, changed.body.isPaused], ["Back", true]);
  const listed = await api.call<Monitor[]>("viewer", path);
  assert.deepEqual(listed.body.map(({ name }) => name), ["Back"]);
  assert.doesNotMatch(JSON.stringify([made, changed, listed]), /s3cret-1/);
  const [row] = await api.services
    .sql`select sealed is not null as "isSealed" from uptime_monitors`;
  assert.equal(row?.isSealed, true);

  const stolen = await api.call(
    "member",
    one,
    { method: "PUT", body: { target: { ...made.body.target, url: "http://127.0.0.1:10/" } } },
  );
  assert.equal(stolen.status, 400);
  assert.equal((await api.call("member", one, { method: "DELETE" })).status, 204);
  assert.equal((await api.call("member", one)).status, 404);
});

Deno.test("what is wrong with a monitor is told by its path", async () => {
  await using api = await testApi();
  const path = `/projects/acme/${api.project.slug}/uptime/`;
  const call = (body: unknown) =>
    api.call<Record<string, string[]>>("member", path, { method: "POST", body });
  const wrong = await call({
    intervalSec: 5,
    target: { kind: "http", url: "ftp://x" },
    windows: [{ kind: "never" }],
  });
  assert.equal(wrong.status, 400);
  assert.deepEqual(Object.keys(wrong.body).sort(), [
    "intervalSec",
    "name",
    "target.url",
    "windows.0.kind",
  ]);
  for (
    const body of [{ name: "x" }, { name: "x", target: 7 }, { name: "\0", target: TARGET }, []]
  ) {
    const { status } = await call(body);
    assert.ok(status === 400 || status === 201, JSON.stringify(body));
  }
  const foreign = await call({ name: "x", target: TARGET, channelIds: [crypto.randomUUID()] });
  assert.deepEqual(foreign.body, { channelIds: ["There is no such channel in this project."] });
});

Deno.test("checks and incidents are listed, with what was seen, and take comments", async () => {
  await using api = await testApi();
  const { monitorId, incidentId } = await storedMonitor(api.services, api.project.id);
  const path = `/projects/acme/${api.project.slug}/uptime/${monitorId}`;
  const checks = await api.call<{ status: string; httpStatus: number }[]>(
    "viewer",
    `${path}/checks`,
  );
  assert.deepEqual(checks.body.map(({ status, httpStatus }) => [status, httpStatus]), [[
    "down",
    500,
  ]]);
  const incidents = await api.call<{ id: string }[]>("viewer", `${path}/incidents`);
  assert.deepEqual(incidents.body.map(({ id }) => id), [incidentId]);
  const one = `${path}/incidents/${incidentId}`;
  const said = await api.call("member", `${one}/comments`, {
    method: "POST",
    body: { text: "A disk" },
  });
  assert.equal(said.status, 201);
  const whole = await api.call<{ evidence: { body: string }; comments: { text: string }[] }>(
    "viewer",
    one,
  );
  assert.equal(whole.body.evidence.body, "broken");
  assert.deepEqual(whole.body.comments.map(({ text }) => text), ["A disk"]);
});

Deno.test("a monitor says when its domain ends", async () => {
  await using api = await testApi();
  const { monitorId } = await storedMonitor(api.services, api.project.id);
  const path = `/projects/acme/${api.project.slug}/uptime/${monitorId}/`;
  const domain = async () => (await api.call<{ domain: unknown }>("viewer", path)).body.domain;
  assert.equal(await domain(), null);
  const end = await storedDomain(api.services, api.project.id, "example.com", 12);
  assert.deepEqual(await domain(), {
    name: "example.com",
    dateEnds: end.toISOString(),
    daysLeft: 12,
  });
});

Deno.test("a project has at most 200 monitors", async () => {
  await using api = await testApi();
  const { sql } = api.services;
  const { monitorId } = await storedMonitor(api.services, api.project.id);
  await sql`update uptime_monitors set is_paused = true`;
  await sql`
    insert into uptime_monitors (
      project_id, monitor_id, name, kind, target, host, interval_sec, failure_threshold,
      recovery_threshold, certificate_days, windows, channel_ids, is_paused, created_at, updated_at,
      updated_by, due_at, since
    )
    select project_id, gen_random_uuid(), name, kind, target, host, interval_sec, failure_threshold,
      recovery_threshold, certificate_days, windows, channel_ids, is_paused, created_at, updated_at,
      updated_by, due_at, since
    from uptime_monitors, generate_series(2, 200) where monitor_id = ${monitorId}
  `;
  const { status, body } = await api.call<Record<string, string[]>>(
    "member",
    `/projects/acme/${api.project.slug}/uptime`,
    { method: "POST", body: { name: "One more", target: TARGET } },
  );
  assert.equal(status, 400);
  assert.match(JSON.stringify(body), /at most 200 uptime monitors/);
});
