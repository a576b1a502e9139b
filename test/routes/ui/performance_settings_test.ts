import assert from "node:assert/strict";
import { findProject, settingsOf } from "@/lib/accounts/projects.ts";
import { createOrganization } from "../../support/organizations.ts";
import { listKeys } from "@/lib/accounts/keys.ts";
import { newEventId } from "../../support/error_event.ts";
import { apiApp } from "../../support/api_app.ts";
import { person } from "../../support/people.ts";
import { shop } from "../../support/shop.ts";
import { textOf } from "../../support/ui_app.ts";

async function settingsApp() {
  const app = await shop();
  const settings = async () => {
    const project = await findProject(app.services.kv, app.projectId) ?? assert.fail();
    const { sampleRate, apdexMs } = settingsOf(project);
    return { sampleRate, apdexMs };
  };
  return { ...app, path: `/projects/${app.projectId}/settings/performance`, settings };
}

Deno.test("sample rate and Apdex threshold are saved, and shown again", async () => {
  await using app = await settingsApp();
  const { html } = await app.owner.get(app.path);
  assert.match(html, /name="sampleRate"[^>]* value="100"/);
  assert.match(html, /name="apdexMs"[^>]* value="300"/);
  const answer = await app.owner.post(app.path, { sampleRate: "12.5 %", apdexMs: "500" });
  assert.deepEqual([answer.status, answer.location], [303, app.path]);
  assert.deepEqual(await app.settings(), { sampleRate: 0.125, apdexMs: 500 });
  const saved = await app.owner.get(app.path);
  assert.match(textOf(saved.html), /Saved\./);
  assert.match(saved.html, /name="sampleRate"[^>]* value="12.5"/);
});

Deno.test("what cannot be is told beside its field and changes nothing", async () => {
  await using app = await settingsApp();
  const cases = [
    [{ sampleRate: "101", apdexMs: "300" }, /Enter a percentage from 0 to 100/],
    [{ sampleRate: "-1", apdexMs: "300" }, /Enter a percentage/],
    [{ sampleRate: "half", apdexMs: "300" }, /Enter a percentage/],
    [{ apdexMs: "300" }, /Enter a percentage/],
    [{ sampleRate: "50", apdexMs: "0" }, /Enter whole milliseconds from 1/],
    [{ sampleRate: "50", apdexMs: "1.5" }, /Enter whole milliseconds/],
    [{ sampleRate: "50", apdexMs: "9999999" }, /Enter whole milliseconds/],
  ] as const;
  for (const [form, pattern] of cases) {
    const refused = await app.owner.post(app.path, form);
    assert.equal(refused.status, 422, JSON.stringify(form));
    assert.match(textOf(refused.html), pattern);
    assert.match(refused.html, new RegExp(`name="apdexMs"[^>]* value="${form.apdexMs}"`));
  }
  assert.deepEqual(await app.settings(), { sampleRate: 1, apdexMs: 300 });
});

Deno.test("where source code can be read is saved, and must be an address with a place for the file", async () => {
  await using app = await settingsApp();
  const form = { sampleRate: "100", apdexMs: "300" };
  const sourceLink = "https://git.example/shop/blob/main/{file}#L{line}";
  const saved = await app.owner.post(app.path, { ...form, sourceLink, sourceRoot: " /app/ " });
  assert.equal(saved.status, 303);
  const project = await findProject(app.services.kv, app.projectId) ?? assert.fail();
  const settings = settingsOf(project);
  assert.deepEqual([settings.sourceLink, settings.sourceRoot], [sourceLink, "/app/"]);
  const { html } = await app.owner.get(app.path);
  assert.match(html, /name="sourceLink"[^>]* value="https:\/\/git\.example/);
  const wrong = ["https://git.example/main", "javascript:{file}", "https://{file}/x", "{file}"];
  for (const link of wrong) {
    const refused = await app.owner.post(app.path, { ...form, sourceLink: link });
    assert.equal(refused.status, 422, link);
    assert.match(textOf(refused.html), /Enter a web address with \{file\} in it/);
  }
  const long = await app.owner.post(app.path, { ...form, sourceRoot: "x".repeat(201) });
  assert.match(textOf(long.html), /Enter at most 200 characters/);
});

Deno.test("a rate keeps other settings, and holds for the very next request", async () => {
  await using app = await settingsApp();
  const [key] = await listKeys(app.services.kv, app.projectId);
  const send = async (name: string) => {
    const trace = { trace_id: newEventId(), span_id: "00000000000000a1" };
    const now = Date.now() / 1_000;
    const payload = {
      transaction: name,
      start_timestamp: now - 1,
      timestamp: now,
      contexts: { trace },
    };
    const response = await apiApp(app.services)(
      `/api/${app.projectId}/envelope/?sentry_key=${key?.publicKey}`,
      { method: "POST", body: `{}\n{"type":"transaction"}\n${JSON.stringify(payload)}` },
    );
    assert.equal(response.status, 200);
    await response.body?.cancel();
  };
  await app.owner.post(`/projects/${app.projectId}/settings/filters`, { crawlers: "on" });
  await send("kept");
  await app.owner.post(app.path, { sampleRate: "0", apdexMs: "300" });
  await send("dropped");
  const rows = await app.services.sql`select name from transactions`;
  assert.deepEqual([...rows], [{ name: "kept" }]);
  const project = await findProject(app.services.kv, app.projectId) ?? assert.fail();
  assert.equal(settingsOf(project).filters.crawlers, true);
});

Deno.test("members look at the settings and cannot change them, strangers find nothing", async () => {
  await using app = await settingsApp();
  const form = { sampleRate: "1", apdexMs: "1" };
  const { visitor: viewer } = await app.member("viewer");
  const { html } = await viewer.get(app.path);
  assert.match(textOf(html), /You can look at these settings, not change them/);
  assert.doesNotMatch(html, />Save</);
  assert.equal((await viewer.post(app.path, form)).status, 403);
  const stranger = await person(app.services.kv, "stranger");
  await createOrganization(app.services.kv, { name: "Other", ownerId: stranger.id });
  const visitor = app.visitor();
  await visitor.signIn(stranger.email);
  assert.equal((await visitor.get(app.path)).status, 404);
  assert.equal((await visitor.post(app.path, form)).status, 404);
  assert.deepEqual(await app.settings(), { sampleRate: 1, apdexMs: 300 });
});
