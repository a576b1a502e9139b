import assert from "node:assert/strict";
import { addMember } from "@/lib/accounts/members.ts";
import { createTeam, findTeam, joinTeam, setTeamRole } from "@/lib/accounts/teams.ts";
import { createProject } from "@/lib/accounts/projects.ts";
import { person } from "../../support/people.ts";
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

Deno.test("a manager makes a team, gives it people and projects, renames and deletes it", async () => {
  await using app = await acme();
  const { kv } = app.services;
  const organizationId = app.organization.id;
  const shop = await createProject(kv, { organizationId, name: "Shop", platform: "node" });
  const { user, visitor } = await app.member("manager");
  assert.match(textOf((await visitor.get(PATH)).html), /Everyone ?#everyone 2 people · 1 project/);
  const made = await visitor.post(PATH, { name: "Back end", slug: "" });
  assert.equal(made.status, 303);
  const path = made.location ?? "";
  assert.match(textOf((await visitor.get(path)).html), /This team has no people yet/);
  await visitor.post(path, { action: "join", user: user.id });
  await visitor.post(path, { action: "give", project: shop.id });
  const page = textOf((await visitor.get(path)).html);
  assert.match(page, /manager manager@example\.com/);
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

Deno.test("everybody joins and leaves a team, and only managers change it otherwise", async () => {
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
  ) assert.equal((await visitor.post(path, form)).status, 403, form.action);
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

Deno.test("closed teams are asked for, and their admins let people in, decline, and make admins", async () => {
  await using app = await acme();
  const { kv, team, path, current } = await withTeam(app);
  const settings = "/organizations/acme/settings/general";
  await app.owner.post(settings, { action: "access" });
  const [ann, bob, eve] = [
    await person(kv, "ann"),
    await app.member("member"),
    await app.member("viewer"),
  ];
  const by = { role: "owner", userId: null } as const;
  await addMember(kv, by, app.organization.id, ann.id, "member");
  await setTeamRole(kv, await joinTeam(kv, team, ann.id), ann.id, "admin");
  const admin = app.visitor();
  await admin.signIn(ann.email);

  assert.match(textOf((await bob.visitor.get(path)).html), /Ask to join/);
  await bob.visitor.post(path, { action: "join", user: bob.user.id });
  await eve.visitor.post(path, { action: "join", user: eve.user.id });
  assert.match(textOf((await bob.visitor.get(path)).html), /You have asked to join/);
  assert.doesNotMatch(textOf((await bob.visitor.get(path)).html), /Requests to join/);
  assert.deepEqual((await current())?.memberIds, [ann.id]);
  assert.match(textOf((await admin.get(PATH)).html), /2 requests/);
  assert.match(textOf((await admin.get(path)).html), /Requests to join member member@example\.com/);

  await admin.post(path, { action: "join", user: bob.user.id });
  await admin.post(path, { action: "decline", user: eve.user.id });
  const decided = await current();
  assert.deepEqual([decided?.memberIds, decided?.requests], [[ann.id, bob.user.id], []]);
  await admin.post(path, { action: "role", role: "admin", user: bob.user.id });
  assert.deepEqual((await current())?.adminIds, [ann.id, bob.user.id]);
});

Deno.test("a team admin gives their team no project that they may not change", async () => {
  await using app = await acme();
  const { kv, team, shop, path, current } = await withTeam(app);
  const { user, visitor } = await app.member("member");
  await setTeamRole(kv, await joinTeam(kv, team, user.id), user.id, "admin");
  assert.equal((await visitor.post(path, { action: "give", project: shop.id })).status, 403);
  assert.deepEqual((await current())?.projectIds, []);
  assert.doesNotMatch((await visitor.get(path)).html, /value="give"/);
  await app.owner.post(path, { action: "give", project: shop.id });
  assert.equal((await visitor.get(`/projects/${shop.id}/settings`)).status, 200);
  const saved = await visitor.post(`/projects/${shop.id}/settings`, {
    name: "Store",
    slug: "shop",
  });
  assert.notEqual(saved.status, 403);
});
