import assert from "node:assert/strict";
import { addMember } from "@/lib/accounts/members.ts";
import { updateOrganization } from "@/lib/accounts/organizations.ts";
import { createTeam, findTeam } from "@/lib/accounts/teams.ts";
import { type TestApi, testApi } from "@/test/support/api_people.ts";
import { errorEnvelope } from "@/test/support/envelopes.ts";
import { apiApp } from "@/test/support/api_app.ts";
import { authHeader } from "@/test/support/test_intake.ts";

interface TeamAnswer {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly isMember: boolean;
  readonly isPending: boolean;
  readonly teamRole: string | null;
  readonly memberCount: number;
  readonly projects?: readonly { readonly slug: string }[];
}

interface MemberAnswer {
  readonly id: string;
  readonly email: string;
  readonly orgRole: string;
  readonly pending: boolean;
  readonly teams: readonly string[];
  readonly teamRoles: readonly { readonly teamSlug: string; readonly role: string | null }[];
  readonly user: { readonly id: string } | null;
  readonly inviteLink?: string;
}

const TEAMS = "/organizations/acme/teams/";
const slugs = (list: readonly { slug: string }[]) => list.map(({ slug }) => slug);

async function backend(api: TestApi) {
  const { kv } = api.services;
  return await createTeam(kv, { organizationId: api.organization.id, name: "Backend" });
}

Deno.test("everybody's team has all people and projects, before anybody made one", async () => {
  await using api = await testApi();
  const { body } = await api.call<TeamAnswer[]>("viewer", TEAMS);
  assert.deepEqual(slugs(body), ["everyone"]);
  assert.deepEqual(slugs(body[0]?.projects ?? []), ["acme-shop"]);
  assert.deepEqual([body[0]?.memberCount, body[0]?.isMember], [5, true]);
  const bare = await api.call<TeamAnswer[]>("viewer", `${TEAMS}?detailed=0`);
  assert.equal(bare.body[0]?.projects, undefined);
});

Deno.test("a team is made, found by its words, renamed and deleted", async () => {
  await using api = await testApi();
  const made = await api.call<TeamAnswer>("manager", TEAMS, {
    method: "POST",
    body: { slug: "backend" },
  });
  assert.deepEqual([made.status, made.body.name, made.body.isMember], [201, "backend", true]);
  const again = await api.call("manager", TEAMS, { method: "POST", body: { slug: "backend" } });
  assert.equal(again.status, 409);
  const nameless = await api.call("manager", TEAMS, { method: "POST", body: {} });
  assert.equal(nameless.status, 400);
  const found = await api.call<TeamAnswer[]>("viewer", `${TEAMS}?query=BACK`);
  assert.deepEqual(slugs(found.body), ["backend"]);
  const changes = { slug: "api", name: "API" };
  await api.call("manager", "/teams/acme/backend/", { method: "PUT", body: changes });
  assert.equal((await api.call<TeamAnswer>("viewer", "/teams/acme/api/")).body.name, "API");
  assert.equal((await api.call("viewer", "/teams/acme/backend/")).status, 404);
  assert.equal((await api.call("manager", "/teams/acme/api/", { method: "DELETE" })).status, 204);
  assert.equal((await api.call("viewer", "/teams/acme/api/")).status, 404);
});

Deno.test("everybody's team is refused every change", async () => {
  await using api = await testApi();
  for (const [method, body] of [["DELETE"], ["PUT", { name: "Other" }]] as const) {
    assert.equal((await api.call("owner", "/teams/acme/everyone/", { method, body })).status, 403);
  }
});

Deno.test("lists of teams come in pages", async () => {
  await using api = await testApi();
  await backend(api);
  const first = await api.call<TeamAnswer[]>("viewer", `${TEAMS}?per_page=1`);
  assert.deepEqual(slugs(first.body), ["backend"]);
  const cursor = /rel="next"; results="true"; cursor="([^"]+)"/.exec(
    first.headers.get("link") ?? "",
  );
  const next = await api.call<TeamAnswer[]>("viewer", `${TEAMS}?per_page=1&cursor=${cursor?.[1]}`);
  assert.deepEqual(slugs(next.body), ["everyone"]);
});

Deno.test("projects are given to teams, and shown with them", async () => {
  await using api = await testApi();
  await backend(api);
  const path = "/projects/acme/acme-shop/teams/";
  const given = await api.call<{ team: TeamAnswer; teams: TeamAnswer[] }>(
    "admin",
    `${path}backend/`,
    { method: "POST" },
  );
  assert.deepEqual([given.status, given.body.team.slug], [201, "backend"]);
  assert.deepEqual(slugs((await api.call<TeamAnswer[]>("viewer", path)).body), [
    "everyone",
    "backend",
  ]);
  const of = await api.call<{ slug: string }[]>("viewer", "/teams/acme/backend/projects/");
  assert.deepEqual(slugs(of.body), ["acme-shop"]);
  const taken = await api.call<{ teams: TeamAnswer[] }>("admin", `${path}backend/`, {
    method: "DELETE",
  });
  assert.deepEqual([taken.status, slugs(taken.body.teams)], [200, ["everyone"]]);
});

Deno.test("members are put into teams and taken out", async () => {
  await using api = await testApi();
  await backend(api);
  const me = await api.call<MemberAnswer>("member", "/organizations/acme/members/me/");
  const path = `/organizations/acme/members/${me.body.id}/teams/backend/`;
  assert.equal((await api.call("viewer", path, { method: "POST" })).status, 403);
  assert.equal((await api.call("manager", path, { method: "POST" })).status, 201);
  assert.equal((await api.call("manager", path, { method: "POST" })).status, 204);
  const people = await api.call<MemberAnswer[]>("viewer", "/teams/acme/backend/members/");
  assert.deepEqual(people.body.map(({ email }) => email), ["member@example.com"]);
  assert.deepEqual(people.body[0]?.teams, ["everyone", "backend"]);
  assert.equal((await api.call("viewer", path, { method: "DELETE" })).status, 403);
  const left = await api.call<TeamAnswer>("manager", path, { method: "DELETE" });
  assert.deepEqual([left.status, left.body.memberCount], [200, 0]);
});

Deno.test("everybody joins and leaves open teams, and asks where teams are closed", async () => {
  await using api = await testApi();
  const { kv } = api.services;
  await backend(api);
  const path = "/organizations/acme/members/me/teams/backend/";
  const call = async (actor: "member" | "viewer", method: string) => {
    const { status, body } = await api.call<TeamAnswer>(actor, path, { method });
    return [status, body?.isMember, body?.isPending];
  };
  assert.deepEqual(await call("member", "POST"), [201, true, false]);
  assert.deepEqual(await call("member", "DELETE"), [200, false, false]);
  await updateOrganization(kv, api.organization.id, { settings: { hasOpenTeams: false } });
  assert.deepEqual(await call("member", "POST"), [202, false, true]);
  assert.deepEqual(await call("viewer", "POST"), [202, false, true]);
  const requests = "/organizations/acme/access-requests/";
  assert.deepEqual((await api.call("member", requests)).body, []);
  const { body } = await api.call<{ id: string; member: MemberAnswer }[]>("manager", requests);
  const of = (email: string) =>
    `${requests}${body.find(({ member }) => member.email === email)?.id}/`;
  const granting = { method: "PUT", body: { isApproved: true } };
  const [first, second] = [of("member@example.com"), of("viewer@example.com")];
  assert.equal((await api.call("member", first, granting)).status, 403);
  assert.equal((await api.call("manager", first, granting)).status, 204);
  assert.equal((await api.call("manager", first, granting)).status, 404);
  const declining = { method: "PUT", body: { isApproved: false } };
  assert.equal((await api.call("manager", second, declining)).status, 204);
  const people = await api.call<MemberAnswer[]>("viewer", "/teams/acme/backend/members/");
  assert.deepEqual(people.body.map(({ email }) => email), ["member@example.com"]);
});

Deno.test("a team admin decides about the team's people and projects through the API", async () => {
  await using api = await testApi();
  const { kv } = api.services;
  const team = await backend(api);
  const me = await api.call<MemberAnswer>("admin", "/organizations/acme/members/me/");
  const path = `/organizations/acme/members/${me.body.id}/teams/backend/`;
  await api.call("manager", path, { method: "POST" });
  const role = { method: "PUT", body: { teamRole: "admin" } };
  assert.equal((await api.call("admin", path, role)).status, 403);
  const raised = await api.call<TeamAnswer>("manager", path, role);
  assert.deepEqual([raised.status, raised.body.teamRole], [200, null]);
  const viewer = await api.call<MemberAnswer>("viewer", "/organizations/acme/members/me/");
  const theirs = `/organizations/acme/members/${viewer.body.id}/teams/backend/`;
  // A token does what its scopes say, and that of an admin of the organization was made without this one.
  assert.equal((await api.call("admin", theirs, { method: "POST" })).status, 403);
  const project = await api.call<{ slug: string; teams: TeamAnswer[] }>(
    "admin",
    "/teams/acme/backend/projects/",
    { method: "POST", body: { name: "Api" } },
  );
  assert.deepEqual([project.status, slugs(project.body.teams)], [201, ["everyone", "backend"]]);
  const found = await findTeam(kv, api.organization, team.id);
  assert.deepEqual(found?.projectIds.length, 1);
  const [self] = (await api.call<MemberAnswer[]>("viewer", "/teams/acme/backend/members/")).body;
  assert.deepEqual(self?.teamRoles, [
    { teamSlug: "everyone", role: "contributor" },
    { teamSlug: "backend", role: "admin" },
  ]);
});

Deno.test("the issues of a deleted team are nobody's, and say so in their activity", async () => {
  await using api = await testApi();
  const { sql } = api.services;
  const team = await backend(api);
  const { body } = errorEnvelope("Assigned");
  const sent = await apiApp(api.services)(`/api/${api.project.id}/envelope/`, {
    method: "POST",
    headers: authHeader(api.serverKey),
    body,
  });
  await sent.body?.cancel();
  await sql`update issues set assignee_kind = 'team', assignee_id = ${team.id}, assigned_by = 'user'`;
  await api.call("manager", "/teams/acme/backend/", { method: "DELETE" });
  const [issue] = await sql`select assignee_kind, assignee_id, assigned_by from issues`;
  assert.deepEqual({ ...issue }, { assignee_kind: null, assignee_id: null, assigned_by: null });
  const activity = await sql`select type, actor_kind from issue_activity where type = 'unassigned'`;
  assert.deepEqual(activity.map((row) => ({ ...row })), [
    { type: "unassigned", actor_kind: "system" },
  ]);
});

Deno.test("members are searched, invited with a link, changed and removed", async () => {
  await using api = await testApi();
  const path = "/organizations/acme/members/";
  const emails = async (query: string) =>
    (await api.call<MemberAnswer[]>("admin", `${path}?query=${encodeURIComponent(query)}`)).body
      .map(({ email }) => email);
  assert.deepEqual(await emails("role:owner"), [api.owner.email]);
  assert.deepEqual(await emails("email:viewer@example.com"), ["viewer@example.com"]);
  assert.equal((await api.call("admin", `${path}?query=has2fa:true`)).status, 400);

  const invited = await api.call<MemberAnswer>("manager", path, {
    method: "POST",
    body: { email: "new@example.com", orgRole: "manager" },
  });
  assert.deepEqual(
    [invited.status, invited.body.pending, invited.body.orgRole],
    [201, true, "manager"],
  );
  assert.match(invited.body.inviteLink ?? "", /\/join\?invite=[\w-]{43}$/);
  assert.deepEqual(await emails("isInvited:true"), ["new@example.com"]);
  const asViewer = await api.call<MemberAnswer[]>("viewer", path);
  assert.ok(asViewer.body.every(({ pending }) => !pending));

  const [viewer] = (await api.call<MemberAnswer[]>("admin", `${path}?query=viewer`)).body;
  const one = `${path}${viewer?.id}/`;
  const raised = await api.call("admin", one, { method: "PUT", body: { orgRole: "owner" } });
  assert.equal(raised.status, 403);
  const body = { orgRole: "manager" };
  assert.equal((await api.call("admin", one, { method: "PUT", body })).status, 403);
  assert.equal((await api.call("manager", one, { method: "PUT", body })).status, 200);
  assert.equal((await api.call<MemberAnswer>("owner", one)).body.orgRole, "manager");
  assert.equal((await api.call("owner", one, { method: "DELETE" })).status, 204);
  assert.equal((await api.call("owner", one)).status, 404);
});

Deno.test("who asks is told at /auth and /users/me, without being told who runs the instance", async () => {
  await using api = await testApi();
  const auth = await api.call<
    { id: string; name: string; email: string; auth: { scopes: string[] }; user: { id: string } }
  >("member", "/auth/");
  assert.deepEqual([auth.body.email, auth.body.user.id], ["member@example.com", auth.body.id]);
  assert.ok(auth.body.auth.scopes.includes("event:write"));
  const me = await api.call<{ isSuperuser: boolean; username: string }>("owner", "/users/me/");
  assert.deepEqual([me.body.isSuperuser, me.body.username], [false, api.owner.email]);
});

Deno.test("teams and members of another organization are not there", async () => {
  await using api = await testApi();
  const { kv } = api.services;
  const { otherWorld } = api;
  const foreign = await createTeam(kv, { organizationId: otherWorld.organization.id, name: "Far" });
  for (const name of [foreign.id, "far"]) {
    assert.equal((await api.call("owner", `/teams/acme/${name}/`)).status, 404);
    const gift = `/projects/acme/acme-shop/teams/${name}/`;
    assert.equal((await api.call("owner", gift, { method: "POST" })).status, 404);
  }
  const path = `/organizations/acme/members/${otherWorld.owner.id}/`;
  assert.equal((await api.call("owner", path)).status, 404);
  assert.equal((await api.call("owner", path, { method: "DELETE" })).status, 404);
  const by = { role: "owner", userId: otherWorld.owner.id } as const;
  await addMember(kv, by, otherWorld.organization.id, api.owner.id, "viewer");
  assert.ok(await findTeam(kv, otherWorld.organization, "far"));
  assert.equal((await api.call("owner", "/teams/other/far/")).status, 404);
});
