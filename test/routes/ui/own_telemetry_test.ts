import assert from "node:assert/strict";
import { listProjects } from "@/lib/accounts/projects.ts";
import { watchProject } from "@/lib/server/own_telemetry/receiver.ts";
import { acme, textOf } from "../../support/ui_app.ts";

Deno.test("the administrator has Watchpost tell a project of itself, and ends it; it goes on in the same project", async () => {
  await using app = await acme();
  const { kv } = app.services;
  const before = await app.owner.get("/instance");
  assert.match(textOf(before.html), /Watchpost about itself .* Watch Watchpost/);
  const start = { action: "watch-start", organization: app.organization.id };

  const done = await app.owner.post("/instance", start);

  assert.equal(done.location, "/instance#watch");
  const project = await watchProject(kv);
  assert.equal(project?.name, "Watchpost");
  const { html } = await app.owner.get("/instance");
  assert.match(html, new RegExp(`They go to the project <a [^>]*href="/projects/${project?.id}"`));
  assert.match(textOf(html), /This process has not sent anything yet|Sent last/);

  await app.owner.post("/instance", { action: "watch-stop" });
  assert.equal(await watchProject(kv), null);
  await app.owner.post("/instance", start);
  assert.equal((await watchProject(kv))?.id, project?.id);
  assert.equal((await listProjects(kv, app.organization.id)).length, 1);
  const log = textOf((await app.owner.get("/instance/audit")).html);
  assert.match(log, /Settings of the instance changed: Watchpost/);
});

Deno.test("nobody but the administrator decides whom Watchpost tells of itself", async () => {
  await using app = await acme();
  const { visitor } = await app.member("owner");
  const form = { action: "watch-start", organization: app.organization.id };
  assert.equal((await visitor.post("/instance", form)).status, 404);
  assert.equal((await app.owner.post("/instance", { ...form, organization: "999" })).status, 404);
  assert.equal(await watchProject(app.services.kv), null);
});

Deno.test("what the settings say of own telemetry is shown without keys", async () => {
  await using app = await acme({
    watchDsn: `https://${"a".repeat(32)}@watch.example.com/7`,
    otlp: { endpoint: "https://otel.example.com:4318", headers: { authorization: "Bearer abc" } },
  });
  const { html } = await app.owner.get("/instance");
  const text = textOf(html);
  assert.match(text, /They go to watch\.example\.com, as SERVICE_WATCH_DSN says\./);
  assert.match(text, /Measures and traces go to otel\.example\.com:4318 by OTLP\./);
  assert.doesNotMatch(html, /a{32}|Bearer abc/);
});
