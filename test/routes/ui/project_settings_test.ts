import assert from "node:assert/strict";
import { createKey, findKeyOf, listKeys } from "@/lib/accounts/keys.ts";
import { createProject, findProject } from "@/lib/accounts/projects.ts";
import { type Acme, acme, textOf } from "../../support/ui_app.ts";

async function withProject(app: Acme): Promise<{ id: string; server: string; browser: string }> {
  const { kv } = app.services;
  const organizationId = app.organization.id;
  const { id } = await createProject(kv, { organizationId, name: "Shop", platform: "node" });
  const [server, browser] = await listKeys(kv, id);
  return { id, server: server?.id ?? "", browser: browser?.id ?? "" };
}

Deno.test("a project is renamed", async () => {
  await using app = await acme();
  const { id } = await withProject(app);
  const path = `/projects/${id}/settings`;
  const saved = await app.owner.post(path, { action: "update", name: "Shop 2", platform: "go" });
  assert.equal(saved.location, path);
  assert.match(textOf((await app.owner.get(path)).html), /Saved\./);
  const project = await findProject(app.services.kv, id);
  assert.deepEqual([project?.name, project?.platform], ["Shop 2", "go"]);

  const refused = await app.owner.post(path, { action: "update", name: "", platform: "go" });
  assert.equal(refused.status, 422);
  assert.match(textOf(refused.html), /Enter a name\./);
});

Deno.test("a project is deleted only with its name typed", async () => {
  await using app = await acme();
  const { id } = await withProject(app);
  const path = `/projects/${id}/settings`;
  const wrong = await app.owner.post(path, { action: "delete", confirm: "shop" });
  assert.equal(wrong.status, 422);
  assert.match(wrong.html, /<details open[^>]*>.*This is not the name\./s);
  assert.notEqual(await findProject(app.services.kv, id), null);

  const right = await app.owner.post(path, { action: "delete", confirm: "Shop" });
  assert.equal(right.location, "/projects");
  assert.match(textOf((await app.owner.get("/projects")).html), /Shop is deleted\./);
  assert.equal((await app.owner.get(path)).status, 404);
});

Deno.test("a deleted project is restored on the organization's page, by those who may delete", async () => {
  await using app = await acme();
  const { id } = await withProject(app);
  const general = "/organizations/acme/settings/general";
  assert.doesNotMatch((await app.owner.get(general)).html, /Deleted projects/);
  await app.owner.post(`/projects/${id}/settings`, { action: "delete", confirm: "Shop" });
  const [tombstone] = await app.services.sql`
    select id, name, slug, deleted_by as by from deleted_projects
  `;
  assert.deepEqual(tombstone, { id, name: "Shop", slug: "shop", by: "olga@example.com" });
  assert.match(
    textOf((await app.owner.get(general)).html),
    /Shop · shop · id 1 Deleted .* by olga@example.com · can be restored until/,
  );

  const restore = { action: "restore", project: id };
  const { visitor: member } = await app.member("member");
  assert.doesNotMatch((await member.get(general)).html, /Deleted projects/);
  assert.equal((await member.post(general, restore)).status, 403);
  assert.equal((await app.owner.post(general, { ...restore, project: "99" })).status, 404);
  assert.equal((await app.owner.post(general, restore)).location, general);
  assert.match(textOf((await app.owner.get(general)).html), /Shop is restored\./);
  assert.equal((await app.owner.get(`/projects/${id}/settings`)).status, 200);
  assert.equal((await app.services.sql`select from deleted_projects`).length, 0);
});

Deno.test("members see the settings and cannot change them", async () => {
  await using app = await acme();
  const { id, server } = await withProject(app);
  const { visitor } = await app.member("member");
  assert.match(textOf((await visitor.get(`/projects/${id}/settings`)).html), /You can look at/);
  const post = async (path: string, fields: Record<string, string>) =>
    (await visitor.post(`/projects/${id}/settings${path}`, fields)).status;
  assert.equal(await post("", { action: "update", name: "x" }), 403);
  assert.equal(await post("", { action: "delete", confirm: "Shop" }), 403);
  assert.equal(await post("/keys", { action: "disable", key: server }), 403);
  assert.equal((await findKeyOf(app.services.kv, id, server))?.isActive, true);
});

Deno.test("keys are created, changed, disabled, enabled, reissued and revoked", async () => {
  await using app = await acme();
  const { id, server } = await withProject(app);
  const { kv } = app.services;
  const path = `/projects/${id}/settings/keys`;
  const act = async (fields: Record<string, string>) => {
    const answer = await app.owner.post(path, fields);
    return answer.status === 303 ? textOf((await app.owner.get(path)).html) : textOf(answer.html);
  };

  assert.match(await act({ action: "create", name: "CI", type: "server" }), /CI is created\./);
  assert.match(await act({ action: "create", name: "", type: "server" }), /Enter a name\./);
  assert.match(await act({ action: "create", name: "x", type: "root" }), /Choose a type of key\./);
  assert.equal((await listKeys(kv, id)).length, 3);

  const key = server;
  const find = () => findKeyOf(kv, id, key);
  const changes = {
    action: "update",
    key,
    name: "Main",
    type: "site",
    origins: "*.acme.test",
    rate: "5",
  };
  assert.match(await act(changes), /Main is saved\./);
  const changed = await find();
  assert.deepEqual([changed?.type, changed?.allowedOrigins, changed?.ratePerSec], [
    "site",
    ["*.acme.test"],
    5,
  ]);
  assert.match(await act({ ...changes, origins: "no origin!" }), /is not an origin/);
  assert.match(await act({ ...changes, rate: "0.5" }), /Enter a whole number/);
  assert.match(await act({ action: "disable", key }), /Main is disabled/);
  assert.equal((await find())?.isActive, false);
  assert.match(await act({ action: "enable", key }), /Main is enabled\./);
  assert.equal((await find())?.isActive, true);

  const before = (await find())?.publicKey;
  assert.match(await act({ action: "reissue", key, confirm: "x" }), /This is not the name\./);
  assert.match(await act({ action: "reissue", key, confirm: "Main" }), /Main has a new DSN/);
  assert.notEqual((await find())?.publicKey, before);
  assert.match(await act({ action: "revoke", key, confirm: "Server" }), /This is not the name\./);
  assert.match(await act({ action: "revoke", key, confirm: "Main" }), /Main is revoked\./);
  assert.equal(await find(), null);
});

Deno.test("the project's own rate limit is set on the keys page", async () => {
  await using app = await acme();
  const { id } = await withProject(app);
  const path = `/projects/${id}/settings/keys`;
  await app.owner.post(path, { action: "project_rate", rate: "7" });
  assert.equal((await findProject(app.services.kv, id))?.settings?.ratePerSec, 7);
  const wrong = await app.owner.post(path, { action: "project_rate", rate: "-1" });
  assert.equal(wrong.status, 422);
  await app.owner.post(path, { action: "project_rate", rate: "" });
  assert.equal((await findProject(app.services.kv, id))?.settings?.ratePerSec, null);
});

Deno.test("the doctor says why requests were refused and what to do", async () => {
  await using app = await acme();
  const { id, server } = await withProject(app);
  const { refusals, writer } = app.services;
  const request = {
    projectId: id,
    isOwnKey: true,
    keyId: server,
    keyHint: "abcdef01",
    time: new Date(),
    status: 429,
    reason: "project_rate",
    detail: "",
    method: "POST",
    path: `/api/${id}/envelope/`,
    sdk: "sentry.python/2.68.0",
    origin: "<script>alert(1)</script>",
    userAgent: "",
  };
  refusals.note(request);
  refusals.note({ ...request, isOwnKey: false, keyId: "", status: 401, reason: "unknown_key" });
  await refusals.close();
  writer.countRequest({ projectId: id, keyId: server, isAccepted: true, at: new Date() });
  await writer.close();
  for (const page of ["settings/keys", "setup"]) {
    const { html } = await app.owner.get(`/projects/${id}/${page}`);
    const text = textOf(html);
    assert.match(text, /429 ?Over the project's rate limit/, page);
    assert.match(text, /401 ?Unknown key.*Copy the DSN again/, page);
    assert.doesNotMatch(html, /<script>alert/);
  }
  const text = textOf((await app.owner.get(`/projects/${id}/settings/keys`)).html);
  assert.match(text, /Accepted, 24 h 1 request /);
});

Deno.test("a key of another project cannot be touched", async () => {
  await using app = await acme();
  const first = await withProject(app);
  const second = await withProject(app);
  const { kv } = app.services;
  const other = await createKey(kv, { projectId: second.id, name: "Other", type: "server" });
  const path = `/projects/${first.id}/settings/keys`;
  const answer = await app.owner.post(path, { action: "revoke", key: other.id, confirm: "Other" });
  assert.equal(answer.status, 404);
  assert.notEqual(await findKeyOf(kv, second.id, other.id), null);
});

Deno.test("after how many days old issues are resolved is said in the settings, 0 for never", async () => {
  await using app = await acme();
  const { id } = await withProject(app);
  const path = `/projects/${id}/settings`;
  assert.match(textOf((await app.owner.get(path)).html), /Old issues stay as they are/);
  for (const resolveAfterDays of ["366", "-1", "1.5", "soon", ""]) {
    const refused = await app.owner.post(path, { action: "age", resolveAfterDays });
    assert.equal(refused.status, 422, resolveAfterDays);
    assert.match(textOf(refused.html), /Enter whole days, from 0 to 365/);
  }
  const saved = await app.owner.post(path, { action: "age", resolveAfterDays: "14" });
  assert.equal(saved.location, path);
  assert.equal((await findProject(app.services.kv, id))?.settings?.resolveAfterDays, 14);
  assert.match(textOf((await app.owner.get(path)).html), /resolved after 14 days without an event/);
});

Deno.test("the list of settings names no page that it would refuse to whoever reads it", async () => {
  await using app = await acme();
  const { id } = await withProject(app);
  const listed: Record<string, string[]> = {};
  for (const role of ["viewer", "member", "manager"] as const) {
    const { visitor } = await app.member(role);
    const { html } = await visitor.get(`/projects/${id}/settings`);
    const [, list = ""] = /<nav aria-label="Settings of the project"[^>]*>(.*?)<\/nav>/s
      .exec(html) ?? [];
    const links = [...list.matchAll(/href="([^"]+)"/g)].map(([, href = ""]) => href);
    for (const href of links) {
      assert.equal((await visitor.get(href)).status, 200, `${href} for a ${role}`);
    }
    listed[role] = links.map((href) => href.split("/").at(-1) ?? "");
  }
  const { viewer = [], member = [], manager = [] } = listed;
  assert.equal(viewer[0], "settings");
  assert.deepEqual(member.filter((page) => !viewer.includes(page)), ["keys"]);
  assert.deepEqual(manager.filter((page) => !member.includes(page)), ["export"]);
});
