import assert from "node:assert/strict";
import { listAssignees, resolveAssignee } from "@/lib/accounts/assignees.ts";
import { putAside } from "@/lib/accounts/deleted_projects.ts";
import { addMember, type Changer, removeMember } from "@/lib/accounts/members.ts";
import { createProject, listProjects } from "@/lib/accounts/projects.ts";
import {
  addTeamProject,
  createTeam,
  deleteTeam,
  dropTeamProject,
  findTeam,
  isInTeam,
  joinTeam,
  leaveTeam,
  listTeams,
  projectsOf,
  teamsOf,
  updateTeam,
} from "@/lib/accounts/teams.ts";
import { createOrganization } from "../../support/organizations.ts";
import { testKv } from "../../support/kv.ts";
import { person } from "../../support/people.ts";

async function acme(kv: Deno.Kv) {
  const owner = await person(kv, "owner");
  const ann = await person(kv, "ann");
  const organization = await createOrganization(kv, { name: "Acme", ownerId: owner.id });
  const by: Changer = { role: "owner", userId: owner.id };
  await addMember(kv, by, organization.id, ann.id, "member");
  const shop = await project(kv, organization.id, "Shop");
  return { organization, organizationId: organization.id, owner, ann, by, shop };
}

function project(kv: Deno.Kv, organizationId: string, name: string) {
  return createProject(kv, { organizationId, name, platform: "" });
}

Deno.test("every organization has a team that all its people and projects are in", async () => {
  await using test = await testKv();
  const { kv } = test;
  const { organization, ann, shop } = await acme(kv);
  const [everyone, ...others] = await listTeams(kv, organization);
  assert.ok(everyone);
  assert.deepEqual(others, []);
  assert.equal(everyone.slug, "everyone");
  assert.equal(isInTeam(everyone, ann.id), true);
  assert.deepEqual(projectsOf(everyone, await listProjects(kv, organization.id)), [shop]);
  assert.deepEqual(await findTeam(kv, organization, everyone.id), everyone);
  assert.deepEqual(await findTeam(kv, organization, "everyone"), everyone);
});

Deno.test("everybody's team can be neither changed nor deleted, and nobody else gets its slug", async () => {
  await using test = await testKv();
  const { kv } = test;
  const { organization, organizationId, ann } = await acme(kv);
  const [everyone] = await listTeams(kv, organization);
  assert.ok(everyone);
  const denied = { name: "Denied", status: 403 };
  await assert.rejects(async () => await updateTeam(kv, everyone, { name: "Other" }), denied);
  await assert.rejects(async () => await leaveTeam(kv, everyone, ann.id), denied);
  await assert.rejects(async () => await deleteTeam(kv, everyone), denied);
  const made = await createTeam(kv, { organizationId, name: "Everyone" });
  assert.equal(made.slug, "everyone-2");
});

Deno.test("ids of teams are decimal, and no team has that of an organization", async () => {
  await using test = await testKv();
  const { kv } = test;
  const { organizationId, owner } = await acme(kv);
  const team = await createTeam(kv, { organizationId, name: "Backend" });
  const other = await createOrganization(kv, { name: "Other", ownerId: owner.id });
  await deleteTeam(kv, team);
  const again = await createTeam(kv, { organizationId, name: "Backend" });
  const ids = [organizationId, team.id, other.id, again.id];
  assert.ok(ids.every((id) => /^[1-9]\d*$/.test(id)), ids.join());
  assert.equal(new Set(ids).size, ids.length);
});

Deno.test("a team is found by id and slug in its own organization only", async () => {
  await using test = await testKv();
  const { kv } = test;
  const { organization, organizationId, owner } = await acme(kv);
  const other = await createOrganization(kv, { name: "Other", ownerId: owner.id });
  const team = await createTeam(kv, { organizationId, name: "Back End" });
  assert.equal(team.slug, "back-end");
  assert.deepEqual(await findTeam(kv, organization, "back-end"), team);
  assert.deepEqual(await findTeam(kv, organization, team.id), team);
  for (const name of [team.id, "back-end", organizationId, "no such", "x".repeat(5000)]) {
    assert.equal(await findTeam(kv, other, name), null, name.slice(0, 20));
  }
});

Deno.test("a taken slug is refused, and free again after a rename and a deletion", async () => {
  await using test = await testKv();
  const { kv } = test;
  const { organization, organizationId } = await acme(kv);
  const team = await createTeam(kv, { organizationId, name: "A", slug: "a-team" });
  const taken = { name: "InvalidInput", field: "slug", reason: "taken" };
  const another = () => createTeam(kv, { organizationId, name: "B", slug: "a-team" });
  await assert.rejects(another, taken);
  const renamed = await updateTeam(kv, team, { name: "C", slug: "c-team" });
  assert.deepEqual([renamed.name, renamed.slug], ["C", "c-team"]);
  await deleteTeam(kv, await another());
  await another();
  const slugs = (await listTeams(kv, organization)).map(({ slug }) => slug);
  assert.deepEqual(slugs, ["everyone", "a-team", "c-team"]);
});

Deno.test("only members join a team, each once", async () => {
  await using test = await testKv();
  const { kv } = test;
  const { organizationId, ann } = await acme(kv);
  const stranger = await person(kv, "stranger");
  const team = await createTeam(kv, { organizationId, name: "Backend" });
  await joinTeam(kv, team, ann.id);
  assert.deepEqual((await joinTeam(kv, team, ann.id)).memberIds, [ann.id]);
  await assert.rejects(() => joinTeam(kv, team, stranger.id), { name: "Denied", status: 404 });
  assert.deepEqual((await leaveTeam(kv, team, ann.id)).memberIds, []);
});

Deno.test("who leaves the organization leaves its teams, also when they join one at this moment", async () => {
  await using test = await testKv();
  const { kv } = test;
  const { organization, organizationId, ann, by } = await acme(kv);
  const teams = await Promise.all(
    ["A", "B", "C"].map((name) => createTeam(kv, { organizationId, name })),
  );
  const [first, ...later] = teams;
  assert.ok(first);
  await joinTeam(kv, first, ann.id);
  await Promise.allSettled([
    ...later.map((team) => joinTeam(kv, team, ann.id)),
    removeMember(kv, by, organizationId, ann.id),
  ]);
  const people = (await listTeams(kv, organization)).flatMap(({ memberIds }) => memberIds);
  assert.deepEqual(people, []);
});

Deno.test("a team has projects of its organization, which it gets back when they are restored", async () => {
  await using test = await testKv();
  const { kv } = test;
  const { organization, organizationId, owner, shop } = await acme(kv);
  const other = await createOrganization(kv, { name: "Other", ownerId: owner.id });
  const foreign = await project(kv, other.id, "Foreign");
  const team = await createTeam(kv, { organizationId, name: "Backend" });
  await assert.rejects(
    async () => await addTeamProject(kv, team, foreign.id),
    { name: "Denied", status: 404 },
  );
  const given = await addTeamProject(kv, team, shop.id);
  assert.deepEqual(projectsOf(given, await listProjects(kv, organizationId)), [shop]);
  const slugs = teamsOf(await listTeams(kv, organization), shop.id).map(({ slug }) => slug);
  assert.deepEqual(slugs, ["everyone", "backend"]);
  await putAside(kv, shop.id, "owner");
  assert.deepEqual(projectsOf(given, await listProjects(kv, organizationId)), []);
  assert.deepEqual((await dropTeamProject(kv, given, shop.id)).projectIds, []);
});

Deno.test("an assignee is named by id, mail address, slug, or id with its kind", async () => {
  await using test = await testKv();
  const { kv } = test;
  const { organizationId, ann } = await acme(kv);
  const team = await createTeam(kv, { organizationId, name: "Backend" });
  const user = { kind: "user", id: ann.id, name: "ann", email: "ann@example.com" };
  for (const text of [`user:${ann.id}`, "ANN@example.com", ann.id, "user:ann@example.com"]) {
    assert.deepEqual(await resolveAssignee(kv, organizationId, null, text), user, text);
  }
  const group = { kind: "team", id: team.id, name: "Backend", slug: "backend" };
  for (const text of [`team:${team.id}`, "#backend", "team:backend"]) {
    assert.deepEqual(await resolveAssignee(kv, organizationId, null, text), group, text);
  }
  const all = await listAssignees(kv, { id: "1", organizationId });
  assert.deepEqual(all.map(({ name }) => name), ["ann", "owner", "Everyone", "Backend"]);
});

Deno.test("strangers, former members and teams that are gone are nobody", async () => {
  await using test = await testKv();
  const { kv } = test;
  const { organizationId, ann, by } = await acme(kv);
  await person(kv, "stranger");
  const team = await createTeam(kv, { organizationId, name: "Backend" });
  await deleteTeam(kv, team);
  await removeMember(kv, by, organizationId, ann.id);
  const texts = ["", "user:", "team:", "#", "stranger@example.com", `user:${ann.id}`, ann.id];
  for (const text of [...texts, `team:${team.id}`, "#backend", "x".repeat(5000)]) {
    assert.equal(await resolveAssignee(kv, organizationId, null, text), null, text.slice(0, 30));
  }
  assert.equal(await resolveAssignee(kv, "99", null, "owner@example.com"), null);
});
