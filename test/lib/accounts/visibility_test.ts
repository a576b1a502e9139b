import assert from "node:assert/strict";
import { listAssignees, resolveAssignee } from "@/lib/accounts/assignees.ts";
import { type Actor, authorize, Denied, listProjectsSeenBy } from "@/lib/accounts/authorize.ts";
import { addMember, type Permission, setRole } from "@/lib/accounts/members.ts";
import { updateOrganization } from "@/lib/accounts/organizations.ts";
import { createProject } from "@/lib/accounts/projects.ts";
import {
  addTeamProject,
  createTeam,
  dropTeamProject,
  joinTeam,
  leaveTeam,
  setTeamRole,
} from "@/lib/accounts/teams.ts";
import { testKv } from "@/test/support/kv.ts";
import { createOrganization } from "@/test/support/organizations.ts";
import { person } from "@/test/support/people.ts";

const bootstrap = { role: "owner", userId: null } as const;

/** Two teams with a project each; of every role somebody in the first one. */
async function world(kv: Deno.Kv) {
  const owner = await person(kv, "owner");
  const acme = await createOrganization(kv, { name: "Acme", ownerId: owner.id });
  const organizationId = acme.id;
  const project = (name: string) => createProject(kv, { organizationId, name, platform: "" });
  const [shop, wiki, bare] = [await project("Shop"), await project("Wiki"), await project("Bare")];
  const team = async (name: string, projectId: string) =>
    await addTeamProject(kv, await createTeam(kv, { organizationId, name }), projectId);
  const [sellers, writers] = [await team("Sellers", shop.id), await team("Writers", wiki.id)];
  const people: Record<string, Actor & { kind: "user" }> = { owner: { kind: "user", user: owner } };
  for (const role of ["viewer", "member", "admin", "manager"] as const) {
    const user = await person(kv, role);
    await addMember(kv, bootstrap, organizationId, user.id, role);
    await joinTeam(kv, sellers, user.id);
    people[role] = { kind: "user", user };
  }
  const as = (name: string) => people[name] ?? assert.fail();
  const id = (name: string) => as(name).user.id;
  const restrict = (showsOnlyTeamProjects: boolean) =>
    updateOrganization(kv, organizationId, { settings: { showsOnlyTeamProjects } });
  const seen = async (name: string) => {
    const organization = (await authorize(
      kv,
      as(name),
      { organizationId },
      "organization:read",
    )).organization;
    return (await listProjectsSeenBy(kv, as(name), organization)).map(({ slug }) => slug);
  };
  const status = async (
    name: string,
    projectId: string,
    permission: Permission = "project:read",
  ) => {
    try {
      await authorize(kv, as(name), { projectId }, permission);
      return 200;
    } catch (error) {
      assert.ok(error instanceof Denied);
      return error.status;
    }
  };
  return {
    acme,
    organizationId,
    shop,
    wiki,
    bare,
    sellers,
    writers,
    as,
    id,
    restrict,
    seen,
    status,
  };
}

Deno.test("by default everybody sees all projects of their organization", async () => {
  await using test = await testKv();
  const { seen, status, wiki } = await world(test.kv);
  for (const name of ["viewer", "member", "admin", "manager", "owner"]) {
    assert.deepEqual(await seen(name), ["bare", "shop", "wiki"], name);
    assert.equal(await status(name, wiki.id), 200, name);
  }
});

Deno.test("where only projects of one's teams are shown, others do not exist for members and viewers", async () => {
  await using test = await testKv();
  const { restrict, seen, status, shop, wiki, bare } = await world(test.kv);
  await restrict(true);
  for (const name of ["viewer", "member"]) {
    assert.deepEqual(await seen(name), ["shop"], name);
    assert.equal(await status(name, shop.id), 200, name);
    assert.equal(await status(name, wiki.id), 404, name);
    // Everybody's team has every project: being in it shows nobody anything.
    assert.equal(await status(name, bare.id), 404, name);
  }
  for (const name of ["admin", "manager", "owner"]) {
    assert.deepEqual(await seen(name), ["bare", "shop", "wiki"], name);
  }
  await restrict(false);
  assert.equal(await status("viewer", wiki.id), 200);
});

Deno.test("sight follows teams, their projects and roles from the next request on", async () => {
  await using test = await testKv();
  const { kv } = test;
  const { restrict, status, shop, wiki, writers, sellers, id, organizationId } = await world(kv);
  await restrict(true);
  await joinTeam(kv, writers, id("member"));
  assert.equal(await status("member", wiki.id), 200);
  await leaveTeam(kv, writers, id("member"));
  assert.equal(await status("member", wiki.id), 404);
  await dropTeamProject(kv, sellers, shop.id);
  assert.equal(await status("member", shop.id), 404);
  await setRole(kv, bootstrap, organizationId, id("member"), "admin");
  assert.equal(await status("member", wiki.id), 200);
  await setRole(kv, bootstrap, organizationId, id("member"), "viewer");
  assert.equal(await status("member", wiki.id), 404);
});

Deno.test("issues of a project are given only to whom it is shown", async () => {
  await using test = await testKv();
  const { kv } = test;
  const { restrict, shop, wiki, organizationId, id } = await world(kv);
  const names = async (projectId: string) =>
    (await listAssignees(kv, { id: projectId, organizationId })).map(({ name }) => name);
  const all = ["admin", "manager", "member", "owner", "viewer", "Everyone", "Sellers", "Writers"];
  assert.deepEqual(await names(wiki.id), all);
  await restrict(true);
  assert.deepEqual(await names(wiki.id), ["admin", "manager", "owner", "Everyone", "Writers"]);
  assert.deepEqual(await names(shop.id), all.filter((name) => name !== "Writers"));
  const named = (projectId: string, text: string) =>
    resolveAssignee(kv, organizationId, projectId, text);
  for (const text of ["member@example.com", `user:${id("member")}`, id("member"), "#sellers"]) {
    assert.equal(await named(wiki.id, text), null, text);
    assert.notEqual(await named(shop.id, text), null, text);
  }
});

Deno.test("a team admin acts as admin on the projects of the team, and nowhere else", async () => {
  await using test = await testKv();
  const { kv } = test;
  const { status, shop, wiki, sellers, id, as, organizationId } = await world(kv);
  const asked: Permission[] = ["project:write", "project:delete", "key:write", "issue:delete"];
  for (const permission of asked) assert.equal(await status("member", shop.id, permission), 403);
  await setTeamRole(kv, sellers, id("member"), "admin");
  for (const permission of asked) {
    assert.equal(await status("member", shop.id, permission), 200, permission);
    assert.equal(await status("member", wiki.id, permission), 403, permission);
  }
  const inOrganization = (permission: Permission) =>
    assert.rejects(authorize(kv, as("member"), { organizationId }, permission), { status: 403 });
  for (
    const permission of ["member:write", "project:create", "team:write", "audit:read"] as const
  ) {
    await inOrganization(permission);
  }
});

Deno.test("a team admin decides about their own team only, and no longer as a viewer", async () => {
  await using test = await testKv();
  const { kv } = test;
  const { sellers, writers, shop, id, as, acme, organizationId, status } = await world(kv);
  await setTeamRole(kv, sellers, id("member"), "admin");
  const may = (team: string, permission: "team:write" | "project:create") =>
    authorize(kv, as("member"), { organizationSlug: acme.slug, team }, permission);
  assert.equal((await may("sellers", "team:write")).teamRole, "admin");
  assert.equal((await may(sellers.id, "project:create")).role, "member");
  await assert.rejects(may("writers", "team:write"), { status: 403 });
  await assert.rejects(may(writers.id, "project:create"), { status: 403 });
  await assert.rejects(may("everyone", "team:write"), { status: 403 });
  await assert.rejects(may("nowhere", "team:write"), { status: 404 });
  await setRole(kv, bootstrap, organizationId, id("member"), "viewer");
  await assert.rejects(may("sellers", "team:write"), { status: 403 });
  assert.equal(await status("member", shop.id, "project:write"), 403);
  assert.equal(await status("member", shop.id, "issue:write"), 403);
});
