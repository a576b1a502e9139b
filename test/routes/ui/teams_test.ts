import assert from "node:assert/strict";
import { createTeam, findTeam, joinTeam } from "@/lib/accounts/teams.ts";
import { createProject } from "@/lib/accounts/projects.ts";
import { type Acme, acme, textOf } from "../../support/ui_app.ts";

const PATH = "/organizations/acme/settings/teams";

async function withTeam(app: Acme) {
  const { kv } = app.services;
  const organizationId = app.organization.id;
  const shop = await createProject(kv, { organizationId, name: "Shop", platform: "node" });
  const team = await createTeam(kv, { organizationId, name: "Backend" });
  const current = () => findTeam(kv, app.organization, team.id);
  return { kv, shop, team, path: `${PATH}/${team.id}`, current };
}

Deno.test("an admin makes a team, gives it people and projects, renames and deletes it", async () => {
  await using app = await acme();
  const { kv } = app.services;
  const organizationId = app.organization.id;
  const shop = await createProject(kv, { organizationId, name: "Shop", platform: "node" });
  const { user, visitor } = await app.member("admin");
  assert.match(textOf((await visitor.get(PATH)).html), /Everyone ?#everyone 2 people · 1 project/);
  const made = await visitor.post(PATH, { name: "Back end", slug: "" });
  assert.equal(made.status, 303);
  const path = made.location ?? "";
  assert.match(textOf((await visitor.get(path)).html), /Nobody is in this team yet/);
  await visitor.post(path, { action: "join", user: user.id });
  await visitor.post(path, { action: "give", project: shop.id });
  const page = textOf((await visitor.get(path)).html);
  assert.match(page, /admin admin@example\.com/);
  assert.match(page, /Shop shop/);
  await visitor.post(path, { action: "drop", project: shop.id });
  const team = await findTeam(kv, app.organization, "back-end");
  assert.deepEqual([team?.memberIds, team?.projectIds], [[user.id], []]);
  const taken = await visitor.post(path, { action: "rename", name: "API", slug: "everyone" });
  assert.equal(taken.status, 422);
  assert.match(textOf(taken.html), /"everyone" is taken/);
  await visitor.post(path, { action: "rename", name: "API", slug: "api" });
  assert.equal((await visitor.post(path, { action: "delete", confirm: "wrong" })).status, 422);
  assert.equal((await visitor.post(path, { action: "delete", confirm: "api" })).location, PATH);
  assert.equal((await visitor.get(path)).status, 404);
});

Deno.test("everybody joins and leaves a team, and only admins change it otherwise", async () => {
  await using app = await acme();
  const { shop, path, current } = await withTeam(app);
  const { user: viewer, visitor } = await app.member("viewer");
  const { user: other } = await app.member("member");
  assert.equal((await visitor.post(path, { action: "join", user: viewer.id })).status, 303);
  assert.deepEqual((await current())?.memberIds, [viewer.id]);
  const page = textOf((await visitor.get(path)).html);
  assert.match(page, /Leave team/);
  assert.doesNotMatch(page, /Add somebody|Add a project|Delete team/);
  for (
    const form of [
      { action: "join", user: other.id },
      { action: "give", project: shop.id },
      { action: "rename", name: "Mine", slug: "mine" },
    ]
  ) assert.equal((await visitor.post(path, form)).status, 422, form.action);
  const remove = { action: "delete", confirm: "backend" };
  assert.equal((await visitor.post(path, remove)).status, 403);
  assert.equal((await visitor.post(PATH, { name: "Mine", slug: "" })).status, 403);
  await visitor.post(path, { action: "leave", user: viewer.id });
  assert.deepEqual((await current())?.memberIds, []);
});

Deno.test("everybody's team shows all and has no form", async () => {
  await using app = await acme();
  await withTeam(app);
  const { html } = await app.owner.get(`${PATH}/${app.organization.id}`);
  assert.match(textOf(html), /All members and all projects of the organization are in this team/);
  assert.doesNotMatch(html, /name="action"/);
  const path = `${PATH}/${app.organization.id}`;
  assert.equal((await app.owner.post(path, { action: "delete", confirm: "everyone" })).status, 403);
});

Deno.test("forms that name nobody, or somebody by 3,000 characters, are answered with words", async () => {
  await using app = await acme();
  const { kv, team, path } = await withTeam(app);
  const { user } = await app.member("member");
  await joinTeam(kv, team, user.id);
  for (const name of ["", "nobody", "x".repeat(3_000)]) {
    for (const action of ["join", "leave", "give", "drop", "other"]) {
      const { status } = await app.owner.post(path, { action, user: name, project: name });
      assert.ok(status < 500, `${action} ${name.length}: ${status}`);
    }
  }
  assert.equal((await app.owner.get(`${PATH}/999`)).status, 404);
  assert.equal((await app.owner.get(`${PATH}/${"x".repeat(3_000)}`)).status, 404);
});
