import assert from "node:assert/strict";
import { createKey, findKey, listKeys } from "../../../lib/control/keys.ts";
import { createProject, findProject } from "../../../lib/control/projects.ts";
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
  assert.equal((await findKey(app.services.kv, server))?.isActive, true);
});

Deno.test("keys are created, renamed, disabled, enabled and deleted", async () => {
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
  assert.match(await act({ action: "create", name: "x", type: "root" }), /Choose a kind of key\./);
  assert.equal((await listKeys(kv, id)).length, 3);

  const key = server;
  assert.match(await act({ action: "rename", key, name: "Main" }), /Server is now called Main\./);
  assert.match(await act({ action: "disable", key }), /Main is disabled/);
  assert.equal((await findKey(kv, key))?.isActive, false);
  assert.match(await act({ action: "enable", key }), /Main is enabled\./);
  assert.equal((await findKey(kv, key))?.isActive, true);
  assert.match(await act({ action: "delete", key, confirm: "Server" }), /This is not the name\./);
  assert.match(await act({ action: "delete", key, confirm: "Main" }), /Main is deleted\./);
  assert.equal(await findKey(kv, key), null);
});

Deno.test("a key of another project cannot be touched", async () => {
  await using app = await acme();
  const first = await withProject(app);
  const second = await withProject(app);
  const { kv } = app.services;
  const other = await createKey(kv, { projectId: second.id, name: "Other", type: "server" });
  const path = `/projects/${first.id}/settings/keys`;
  const answer = await app.owner.post(path, { action: "delete", key: other.id, confirm: "Other" });
  assert.equal(answer.status, 404);
  assert.notEqual(await findKey(kv, other.id), null);
});
