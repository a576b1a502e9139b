import assert from "node:assert/strict";
import { createKey, listKeys, updateKey } from "@/lib/accounts/keys.ts";
import { createProject } from "@/lib/accounts/projects.ts";
import { type Acme, acme, textOf } from "../../support/ui_app.ts";

async function shop(app: Acme): Promise<string> {
  const organizationId = app.organization.id;
  const { kv } = app.services;
  return (await createProject(kv, { organizationId, name: "Shop", platform: "node" })).id;
}

Deno.test("the OpenTelemetry tab has the address and the server key filled in", async () => {
  await using app = await acme();
  const id = await shop(app);
  const keys = await listKeys(app.services.kv, id);
  const server = keys.find(({ type }) => type === "server");
  const { status, html } = await app.owner.get(`/projects/${id}/setup?platform=opentelemetry`);
  assert.equal(status, 200);
  const text = textOf(html);
  assert.ok(text.includes("OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:8000"));
  assert.ok(text.includes(`Authorization=Bearer%20${server?.publicKey}`));
  assert.ok(text.includes("otlphttp/watchpost"));
  assert.ok(!text.includes("needs a server key"));
});

Deno.test("without an active server key the OpenTelemetry tab says so, and shows none", async () => {
  await using app = await acme();
  const id = await shop(app);
  const { kv } = app.services;
  const server = (await listKeys(kv, id)).find(({ type }) => type === "server");
  assert.ok(server);
  await updateKey(kv, server.publicKey, { isActive: false });
  const { html } = await app.owner.get(`/projects/${id}/setup?platform=opentelemetry`);
  assert.match(textOf(html), /OpenTelemetry needs a server key/);
  assert.match(textOf(html), /Bearer%200{32}/);
  assert.ok(html.includes(`href="/projects/${id}/settings/keys"`));
  const { html: node } = await app.owner.get(`/projects/${id}/setup?platform=node`);
  assert.doesNotMatch(textOf(node), /needs a server key/);
});

Deno.test("the tab of site builders has the line with the browser key, or the site key once there is one", async () => {
  await using app = await acme();
  const id = await shop(app);
  const { kv } = app.services;
  const line = ({ publicKey = "" } = {}) =>
    `<script crossorigin async src="http://localhost:8000/js/${publicKey}.js"></script>`;
  const browser = (await listKeys(kv, id)).find(({ type }) => type === "browser");
  const before = textOf((await app.owner.get(`/projects/${id}/setup?platform=sites`)).html);
  assert.ok(before.includes(line(browser)));
  assert.match(
    before,
    /script-src http:\/\/localhost:8000\/js\/ connect-src http:\/\/localhost:8000\/js\//,
  );
  assert.match(before, /Create a site key/);
  const site = await createKey(kv, { projectId: id, name: "Shop", type: "site" });
  const after = textOf((await app.owner.get(`/projects/${id}/setup?platform=sites`)).html);
  assert.ok(after.includes(line(site)));
  assert.ok(!after.includes(line(browser)));
  assert.doesNotMatch(after, /Create a site key/);
});

Deno.test("with a server key alone the tab of site builders shows none", async () => {
  await using app = await acme();
  const id = await shop(app);
  const { kv } = app.services;
  const browser = (await listKeys(kv, id)).find(({ type }) => type === "browser");
  assert.ok(browser);
  await updateKey(kv, browser.publicKey, { isActive: false });
  const text = textOf((await app.owner.get(`/projects/${id}/setup?platform=sites`)).html);
  assert.match(text, /Site builders need a site key or a browser key/);
  assert.match(text, /\/js\/0{32}\.js/);
});

Deno.test("a project for a site builder opens on its tab", async () => {
  await using app = await acme();
  const { id } = await createProject(app.services.kv, {
    organizationId: app.organization.id,
    name: "Site",
    platform: "sites",
  });
  const text = textOf((await app.owner.get(`/projects/${id}/setup`)).html);
  assert.match(text, /Tilda Site Settings/);
});
