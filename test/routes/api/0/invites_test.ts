import assert from "node:assert/strict";
import { createTeam } from "@/lib/accounts/teams.ts";
import { testApi } from "@/test/support/api_people.ts";
import { mailServer, readable, smtpTo } from "@/test/support/mail_server.ts";

const MEMBERS = "/organizations/acme/members/";

interface Invited {
  readonly id: string;
  readonly email: string;
  readonly orgRole: string;
  readonly pending: boolean;
  readonly inviterName: string | null;
  readonly teams: readonly string[];
  readonly inviteLink: string | null;
}

Deno.test("an invitation is made with teams, found by its id, sent again and taken back", async () => {
  await using api = await testApi();
  await createTeam(api.services.kv, { organizationId: api.organization.id, name: "Backend" });
  const made = await api.call<Invited>("owner", MEMBERS, {
    method: "POST",
    body: {
      email: "new@example.com",
      orgRole: "member",
      teamRoles: [{ teamSlug: "backend", role: "contributor" }],
    },
  });
  assert.equal(made.status, 201);
  assert.deepEqual(made.body.teams, ["backend"]);
  assert.equal(made.body.inviterName, api.owner.name);
  const one = `${MEMBERS}${made.body.id}/`;
  assert.equal((await api.call<Invited>("owner", one)).body.pending, true);
  assert.equal((await api.call("viewer", one)).status, 404);
  const body = { reinvite: true, regenerate: true };
  const again = await api.call<Invited>("owner", one, { method: "PUT", body });
  assert.notEqual(again.body.inviteLink, made.body.inviteLink);
  const raised = await api.call<Invited>("owner", one, {
    method: "PUT",
    body: { orgRole: "admin" },
  });
  assert.equal(raised.body.orgRole, "admin");
  assert.equal((await api.call("owner", one, { method: "DELETE" })).status, 204);
  assert.equal((await api.call("owner", one)).status, 404);
});

Deno.test("inviting a member, or to a role above one's own, is answered with 400 as Sentry does", async () => {
  await using api = await testApi();
  const invite = (body: unknown) =>
    api.call<Record<string, string[]>>("admin", MEMBERS, { method: "POST", body });
  const member = await invite({ email: "viewer@example.com" });
  assert.equal(member.status, 400);
  assert.deepEqual(member.body, { email: ["The user viewer@example.com is already a member"] });
  const above = await invite({ email: "new@example.com", orgRole: "owner" });
  assert.deepEqual([above.status, Object.keys(above.body)], [400, ["role"]]);
  const teams = await invite({ email: "new@example.com", teams: ["nowhere"] });
  assert.deepEqual([teams.status, Object.keys(teams.body)], [400, ["teams"]]);
});

Deno.test("with a mail server the API sends the link and does not answer it, unless it is asked to", async () => {
  await using server = await mailServer({ hasNoTls: true });
  await using api = await testApi({ smtp: smtpTo(server) });
  const invite = (body: unknown) => api.call<Invited>("owner", MEMBERS, { method: "POST", body });
  const sent = await invite({ email: "ann@example.com" });
  assert.equal(sent.body.inviteLink, null);
  assert.match(readable(server.mails[0]), /\/join\?invite=[\w-]{43}/);
  const told = await invite({ email: "bob@example.com", sendInvite: false });
  assert.match(told.body.inviteLink ?? "", /\/join\?invite=[\w-]{43}$/);
  assert.equal(server.mails.length, 1);
});

Deno.test("accept-invite tells what a link needs, and joins nobody", async () => {
  await using api = await testApi();
  const { body } = await api.call<Invited>("owner", MEMBERS, {
    method: "POST",
    body: { email: "new@example.com" },
  });
  const token = body.inviteLink?.split("=")[1] ?? "";
  const path = `/accept-invite/acme/${body.id}/${token}/`;
  const told = await api.call<{ orgSlug: string; needsAuthentication: boolean }>("nobody", path);
  assert.deepEqual([told.body.orgSlug, told.body.needsAuthentication], ["acme", true]);
  assert.equal((await api.call("stranger", path, { method: "POST" })).status, 403);
  const wrong = await api.call("nobody", `/accept-invite/other/${body.id}/${token}/`);
  assert.deepEqual([wrong.status, wrong.body], [400, { details: ["Invalid invite code"] }]);
});

Deno.test("a member proposes somebody by the API, and a manager decides", async () => {
  await using api = await testApi();
  const path = "/organizations/acme/invite-requests/";
  const made = await api.call<Invited & { inviteStatus: string }>("member", path, {
    method: "POST",
    body: { email: "new@example.com", orgRole: "member" },
  });
  assert.equal(made.status, 201);
  assert.equal(made.body.inviteStatus, "requested_to_be_invited");
  assert.equal((await api.call("member", path)).status, 403);
  const [listed] = (await api.call<Invited[]>("manager", path)).body;
  assert.equal(listed?.email, "new@example.com");
  const one = `${path}${made.body.id}/`;
  assert.equal((await api.call("viewer", one)).status, 404);
  assert.equal((await api.call("member", one)).status, 200);
  const body = { approve: 1, orgRole: "member" };
  assert.equal((await api.call("member", one, { method: "PUT", body })).status, 403);
  const granted = await api.call<Invited>("manager", one, { method: "PUT", body });
  assert.match(granted.body.inviteLink ?? "", /\/join\?invite=[\w-]{43}$/);
  assert.equal((await api.call("manager", one)).status, 404);
});
