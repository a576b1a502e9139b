import assert from "node:assert/strict";
import { unzipSync } from "fflate";
import { createApiToken } from "@/lib/accounts/api_tokens.ts";
import type { Permission } from "@/lib/accounts/members.ts";
import { findProject, updateSettings } from "@/lib/accounts/projects.ts";
import { askForTransfer, findTransfer } from "@/lib/transfers/transfers.ts";
import { settingsDocument } from "@/lib/transfers/settings/document.ts";
import { takeSettings } from "@/lib/transfers/settings/take.ts";
import { waitFor } from "../../support/wait_for.ts";
import { TOKEN, type Transferred, transferred } from "../../support/transferred.ts";

const HEADERS = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };

async function make(world: Transferred, path: string, body: unknown): Promise<string> {
  const base = path === "/monitors/" ? "organizations/acme" : `projects/acme/${world.project.slug}`;
  const answer = await world.send(`/api/0/${base}${path}`, {
    method: path === "/ownership/" ? "PUT" : "POST",
    headers: HEADERS,
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  assert.ok(answer.ok, `${path}: ${text}`);
  return JSON.parse(text).id;
}

/** A project with one of everything. */
async function setUp(world: Transferred): Promise<void> {
  const { project, services: { kv }, owner } = world;
  await updateSettings(kv, project.id, {
    apdexMs: 450,
    retention: { logs: 7 },
    fingerprintRules: "type:TypeError -> type-errors",
    filters: {
      browserExtensions: true,
      localhost: false,
      legacyBrowsers: false,
      crawlers: true,
      releases: ["shop@0.*"],
      messages: [],
      addresses: ["10.0.0.0/8"],
    },
  });
  const channel = await make(world, "/channels/", {
    type: "webhook",
    name: "Ops",
    url: "https://hooks.example.com/very-secret-path",
  });
  await make(world, "/alerts/", {
    name: "Many errors",
    source: { kind: "errors", measure: "events" },
    condition: { comparison: ">", warning: 5, critical: 10, recovery: null },
    windowMinutes: 5,
    channelIds: [channel],
  });
  await make(world, "/monitors/", {
    project: project.slug,
    name: "Nightly",
    slug: "nightly",
    config: { schedule_type: "crontab", schedule: "0 3 * * *", timezone: "Europe/Berlin" },
  });
  await make(world, "/uptime/", {
    name: "Shop",
    target: {
      kind: "http",
      url: "https://shop.example/health",
      headers: [["authorization", "Bearer very-secret"], ["accept", "text/plain"]],
    },
    channelIds: [channel],
  });
  await make(world, "/dashboards/", {
    dashboard: {
      format: "watchpost-dashboard",
      version: 1,
      name: "Shop",
      panels: [{
        kind: "text",
        id: "p1",
        markdown: "Hello",
        place: { x: 0, y: 0, w: 4, h: 2 },
      }],
    },
  });
  await make(world, "/ownership/", { raw: `path:src/* ${owner.email}` });
}

Deno.test("settings that are exported are those of the project that imports them", async (t) => {
  await using world = await transferred();
  const { project, services: { kv, sql } } = world;
  await setUp(world);
  const before = await settingsDocument(kv, sql, project.id);
  assert.ok(before);
  const archive = await world.exported(project);
  const text = new TextDecoder().decode(unzipSync(archive)["settings.json"]);

  await t.step("the document has no secret and no id", () => {
    assert.doesNotMatch(text, /very-secret/);
    assert.doesNotMatch(text, /[0-9a-f]{8}-[0-9a-f]{4}-/);
    assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(before)));
  });

  const copy = await world.empty("Copy");
  await t.step("whoever does not ask for them gets the data alone", async () => {
    const { state, counts } = await world.imported(copy, "export.zip", archive);
    assert.deepEqual([state, counts.settings_left_out, counts.settings], ["done", 1, undefined]);
    assert.deepEqual((await settingsDocument(kv, sql, copy.id))?.alerts, []);
  });

  const importSettings = async () => {
    const form = new FormData();
    form.append("file", new Blob([new Uint8Array(archive)]), "export.zip");
    const answer = await world.send(
      `/api/0/projects/acme/${copy.slug}/imports/?settings=true`,
      { method: "POST", headers: { authorization: `Bearer ${TOKEN}` }, body: form },
    );
    assert.equal(answer.status, 202, await answer.clone().text());
    const { id } = await answer.json();
    const done = await waitFor("the end of the import", async () => {
      await world.work();
      const found = await findTransfer(sql, copy.id, id);
      return found?.state === "waiting" ? undefined : found ?? undefined;
    });
    assert.equal(done.state, "done", done.lastError);
    return done.counts;
  };

  await t.step("they are the same there, but for what has secrets", async () => {
    const counts = await importSettings();
    assert.deepEqual([counts.settings, counts.settings_refused], [10, undefined]);
    const after = await settingsDocument(kv, sql, copy.id);
    assert.ok(after);
    assert.deepEqual(after.project, before.project);
    assert.deepEqual(after.channels, before.channels);
    assert.deepEqual(after.alerts, before.alerts);
    assert.deepEqual(after.cronMonitors, before.cronMonitors);
    assert.deepEqual(after.dashboards, before.dashboards);
    assert.deepEqual(after.ownership, before.ownership);
    const [uptime] = after.uptimeMonitors;
    assert.ok(uptime?.target.kind === "http");
    assert.deepEqual(uptime.channels, [{ type: "webhook", name: "Ops" }]);
    assert.deepEqual(uptime.target.headers, [["accept", "text/plain"]]);
    assert.equal(uptime.isPaused, true, "it cannot get in");
  });

  await t.step("a second import changes nothing", async () => {
    const after = await settingsDocument(kv, sql, copy.id);
    const counts = await importSettings();
    assert.equal(counts.settings, undefined);
    assert.deepEqual(await settingsDocument(kv, sql, copy.id), after);
  });
});

Deno.test("settings need more rights than data", async () => {
  await using world = await transferred();
  const { project, organization, owner, services: { kv } } = world;
  const tokenOf = async (...scopes: Permission[]) => {
    const owned = { organizationId: organization.id, userId: owner.id, name: "data" };
    return (await createApiToken(kv, { ...owned, scopes: ["people:data", ...scopes] })).token;
  };
  const data = await tokenOf();
  const all = ["project:write", "alert:write", "dashboard:write", "issue:write"] as const;
  const cases = [
    ["", data, 202],
    ["?settings=true", data, 403],
    ["?settings=x", data, 400],
    // Discarding groups is deleting issues.
    ["?settings=true", await tokenOf(...all), 403],
    ["?settings=true", await tokenOf(...all, "issue:delete"), 202],
  ];
  for (const [query, token, status] of cases) {
    const form = new FormData();
    form.append("file", new Blob(["{}"]), "a.json");
    const answer = await world.send(`/api/0/projects/acme/${project.slug}/imports/${query}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      body: form,
    });
    assert.equal(answer.status, status, await answer.text());
  }
});

Deno.test("settings that nobody could have entered are counted, and cost none of the others", async () => {
  await using world = await transferred();
  const { project, services } = world;
  const id = await askForTransfer(services.sql, project, {
    kind: "import",
    takesSettings: true,
    by: "olga",
  });
  const transfer = await findTransfer(services.sql, project.id, id);
  assert.ok(transfer);
  const took = await takeSettings(services, transfer, {
    format: "watchpost-settings",
    version: 1,
    project: {
      apdexMs: -1,
      sampleRate: 0.5,
      filters: { addresses: ["nowhere"] },
      fingerprintRules: "->",
      admin: true,
    },
    alerts: [7, { name: "A" }, null],
    cronMonitors: [{ slug: "NO" }, { slug: "yes", config: { schedule: 7 } }, { slug: "good" }],
    uptimeMonitors: [{ name: "x", target: { kind: "http", url: "file:///etc/passwd" } }],
    dashboards: {},
    ownership: { raw: "path:src/* nobody@example.com" },
  });
  assert.deepEqual(took, { settings: 2, settings_refused: 10 });
  const { settings } = await findProject(services.kv, project.id) ?? {};
  assert.deepEqual(settings, { sampleRate: 0.5 });
  assert.deepEqual(
    await takeSettings(services, transfer, { format: "watchpost-settings", version: 2 }),
    { settings_refused: 1 },
  );
});
