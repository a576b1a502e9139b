/** SCIM as Entra and Okta ask: their calls are those of their documentation. */
import assert from "node:assert/strict";
import { roleOf } from "@/lib/accounts/members.ts";
import { listOrganizationsOf } from "@/lib/accounts/organizations.ts";
import { disableScim, enableScim } from "@/lib/accounts/scim_token.ts";
import { createTeam, findTeam } from "@/lib/accounts/teams.ts";
import { findUser, findUserByEmail } from "@/lib/accounts/users.ts";
import { keyOf } from "@/lib/accounts/kv.ts";
import { apiApp } from "../../support/api_app.ts";
import { testApi } from "../../support/api_people.ts";
import { person } from "../../support/people.ts";

const USER = "urn:ietf:params:scim:schemas:core:2.0:User";
const PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

interface Resource {
  readonly id: string;
  readonly userName: string;
  readonly displayName: string;
  readonly active: boolean;
  readonly externalId?: string;
  readonly roles: readonly { readonly value: string }[];
  readonly name: { readonly givenName: string; readonly familyName: string };
  readonly members: readonly { readonly value: string }[];
  readonly totalResults: number;
  readonly itemsPerPage: number;
  readonly Resources: readonly Resource[];
  readonly detail: string;
  readonly scimType?: string;
  readonly status: string;
  readonly schemas: readonly string[];
}

async function directory() {
  const api = await testApi();
  const { kv } = api.services;
  const { token } = await enableScim(kv, api.organization.id, {
    role: "member",
    createdBy: "Olga",
  });
  const send = apiApp(api.services);
  const ask = async (method: string, path: string, body?: unknown, as = token) => {
    const response = await send(`/api/0/organizations/acme/scim/v2${path}`, {
      method,
      headers: { authorization: `Bearer ${as}`, "content-type": "application/scim+json" },
      ...body === undefined ? {} : { body: JSON.stringify(body) },
    });
    const text = await response.text();
    const decoded: Resource = text === "" ? null : JSON.parse(text);
    return { status: response.status, headers: response.headers, body: decoded };
  };
  const patch = (path: string, ...Operations: unknown[]) =>
    ask("PATCH", path, { schemas: [PATCH], Operations });
  const create = async (userName: string, more: object = {}) => {
    const answer = await ask("POST", "/Users", {
      schemas: [USER],
      userName,
      active: true,
      ...more,
    });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body;
  };
  return { ...api, kv, token, ask, patch, create };
}

Deno.test("Entra's test of a connection and of a user: asked for, made, found, disabled and enabled", async () => {
  await using scim = await directory();
  const { kv, organization: { id: org } } = scim;
  // The connection: somebody random is asked for, and a list without anybody is right.
  const none = await scim.ask("GET", `/Users?filter=userName+eq+%22${crypto.randomUUID()}%22`);
  assert.deepEqual([none.status, none.body.totalResults, none.body.Resources], [200, 0, []]);
  assert.match(none.headers.get("content-type") ?? "", /^application\/scim\+json/);

  const made = await scim.ask("POST", "/Users", {
    schemas: [USER, "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"],
    externalId: "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef",
    userName: "Test_User_ab6490ee@example.com",
    active: true,
    emails: [{ primary: true, type: "work", value: "Test_User_fd0ea19b@example.com" }],
    meta: { resourceType: "User" },
    name: { formatted: "givenName familyName", familyName: "familyName", givenName: "givenName" },
    roles: [],
  });
  assert.equal(made.status, 201);
  const { id } = made.body;
  assert.match(made.headers.get("location") ?? "", new RegExp(`/scim/v2/Users/${id}$`));
  assert.equal(await roleOf(kv, org, id), "member");
  assert.equal((await findUserByEmail(kv, "test_user_fd0ea19b@example.com"))?.id, id);

  const filter = encodeURIComponent('userName eq "test_user_AB6490EE@example.com"');
  assert.deepEqual(
    (await scim.ask("GET", `/Users?filter=${filter}`)).body.Resources.map((each) => each.id),
    [id],
  );
  // Entra's old way: names in capitals, truth as text.
  const disabled = await scim.patch(`/Users/${id}`, {
    op: "Replace",
    path: "active",
    value: "False",
  });
  assert.deepEqual([disabled.status, disabled.body.active], [200, false]);
  assert.equal(await roleOf(kv, org, id), null);
  assert.deepEqual(await listOrganizationsOf(kv, id), []);
  assert.notEqual(await findUser(kv, id), null);
  const enabled = await scim.patch(`/Users/${id}`, { op: "Add", path: "active", value: "True" });
  assert.equal(enabled.body.active, true);
  assert.equal(await roleOf(kv, org, id), "member");
  assert.equal((await listOrganizationsOf(kv, id)).length, 1);
});

Deno.test("Entra's changes: without a path, with filters in the path, of things we keep nothing of", async () => {
  await using scim = await directory();
  const { id } = await scim.create("ann@example.com", { displayName: "Ann" });
  const changed = await scim.patch(
    `/Users/${id}`,
    { op: "Replace", value: { displayName: "Ann Lee", "name.givenName": "Ann", title: "Boss" } },
    { op: "Replace", path: 'emails[type eq "work"].value', value: "other@example.com" },
    { op: "Add", path: 'roles[primary eq "True"].value', value: "admin" },
    { op: "Add", path: "externalId", value: "e-1" },
    {
      op: "Add",
      path: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department",
      value: "Sales",
    },
  );
  assert.equal(changed.status, 200);
  const { displayName, roles, externalId } = changed.body;
  assert.deepEqual([displayName, roles[0]?.value, externalId], ["Ann Lee", "admin", "e-1"]);
  // The address is the person's, not the directory's.
  assert.equal((await findUser(scim.kv, id))?.email, "ann@example.com");
  const byExternal = await scim.ask("GET", '/Users?filter=externalId eq "e-1"');
  assert.equal(byExternal.body.totalResults, 1);
  const owner = await scim.patch(`/Users/${id}`, { op: "replace", path: "roles", value: "owner" });
  assert.deepEqual([owner.status, owner.body.scimType], [400, "invalidValue"]);
});

Deno.test("Okta's provisioning: the first page, one who is there already, PUT, and deactivation in the value", async () => {
  await using scim = await directory();
  const page = await scim.ask("GET", "/Users?startIndex=1&count=2");
  assert.deepEqual([page.body.itemsPerPage, page.body.Resources.length], [2, 2]);
  assert.ok(page.body.totalResults > 2);
  const okta = {
    schemas: [USER],
    userName: "test.user@okta.local",
    name: { givenName: "Test", familyName: "User" },
    emails: [{ primary: true, value: "test.user@okta.local", type: "work" }],
    displayName: "Test User",
    locale: "en-US",
    externalId: "00ujl29u0le5T6Aj10h7",
    groups: [],
    password: "1mz050nq",
    active: true,
  };
  const made = await scim.ask("POST", "/Users", okta);
  assert.equal(made.status, 201);
  const again = await scim.ask("POST", "/Users", okta);
  assert.deepEqual(
    [again.status, again.body.scimType, again.body.status, again.body.schemas],
    [409, "uniqueness", "409", ["urn:ietf:params:scim:api:messages:2.0:Error"]],
  );
  const { id } = made.body;
  assert.equal((await scim.kv.get(keyOf.credential(id))).value, null);
  const put = await scim.ask("PUT", `/Users/${id}`, { ...okta, displayName: "Another Name", id });
  assert.equal(put.body.displayName, "Another Name");
  const off = await scim.patch(`/Users/${id}`, { op: "replace", value: { active: false } });
  assert.equal(off.body.active, false);
  assert.equal((await scim.ask("GET", `/Users/${id}`)).body.active, false);
});

Deno.test("groups are teams: made, found, with members added, replaced and removed in each of the ways", async () => {
  await using scim = await directory();
  const { kv, organization } = scim;
  const [ann, bob] = [await scim.create("ann@example.com"), await scim.create("bob@example.com")];
  const made = await scim.ask("POST", "/Groups", {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:Group"],
    externalId: "8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159",
    displayName: "Checkout",
  });
  assert.equal(made.status, 201);
  const path = `/Groups/${made.body.id}`;
  const ids = async () => (await findTeam(kv, organization, made.body.id))?.memberIds;
  // Entra adds a list, and removes by one.
  await scim.patch(path, {
    op: "Add",
    path: "members",
    value: [{ value: ann.id }, { value: bob.id }],
  });
  assert.deepEqual(await ids(), [ann.id, bob.id]);
  const removed = await scim.patch(path, { op: "Remove", path: `members[value eq "${ann.id}"]` });
  assert.equal(removed.status, 200, JSON.stringify(removed.body));
  assert.deepEqual(await ids(), [bob.id]);
  await scim.patch(path, { op: "Remove", path: "members", value: [{ value: bob.id }] });
  assert.deepEqual(await ids(), []);
  // Okta replaces, and renames without a path.
  await scim.patch(path, { op: "replace", path: "members", value: [{ value: ann.id }] });
  assert.deepEqual(await ids(), [ann.id]);
  const named = await scim.patch(path, {
    op: "replace",
    value: { id: made.body.id, displayName: "Pay" },
  });
  assert.equal(named.body.displayName, "Pay");
  const found = await scim.ask(
    "GET",
    '/Groups?excludedAttributes=members&filter=displayName eq "pay"',
  );
  assert.equal(found.body.Resources[0]?.members, undefined);
  assert.equal(found.body.totalResults, 1);
  const put = await scim.ask("PUT", path, { displayName: "Pay", members: [{ value: bob.id }] });
  assert.deepEqual(put.body.members.map(({ value }) => value), [bob.id]);
  const stranger = await scim.patch(path, {
    op: "add",
    path: "members",
    value: [{ value: "nobody" }],
  });
  assert.deepEqual([stranger.status, stranger.body.scimType], [400, "invalidValue"]);
  const taken = await scim.ask("POST", "/Groups", { displayName: "PAY" });
  assert.equal(taken.status, 409);
  assert.equal((await scim.ask("DELETE", path)).status, 204);
  assert.equal((await scim.ask("GET", path)).status, 404);
});

Deno.test("everybody's team is no group, and teams of another organization are not there", async () => {
  await using scim = await directory();
  const { kv, organization, otherWorld } = scim;
  const far = await createTeam(kv, { organizationId: otherWorld.organization.id, name: "Far" });
  for (const id of [organization.id, far.id, "everyone"]) {
    assert.equal((await scim.ask("DELETE", `/Groups/${id}`)).status, 404, id);
  }
  for (const method of ["GET", "DELETE"]) {
    assert.equal((await scim.ask(method, `/Users/${otherWorld.owner.id}`)).status, 404);
  }
});

Deno.test("the last owner is never disabled, demoted or removed", async () => {
  await using scim = await directory();
  const { kv, owner, organization } = scim;
  const path = `/Users/${owner.id}`;
  assert.equal(
    (await scim.patch(path, { op: "replace", path: "active", value: false })).status,
    400,
  );
  assert.equal(
    (await scim.patch(path, { op: "replace", path: "roles", value: "viewer" })).status,
    400,
  );
  assert.equal((await scim.ask("DELETE", path)).status, 400);
  assert.equal(await roleOf(kv, organization.id, owner.id), "owner");
});

Deno.test("an account of somebody else becomes a member only where its address is confirmed", async () => {
  await using scim = await directory();
  const { kv, organization } = scim;
  const squatter = await person(kv, "victim");
  const post = () => scim.ask("POST", "/Users", { userName: "victim@example.com" });
  const refused = await post();
  assert.deepEqual([refused.status, refused.body.scimType], [409, "uniqueness"]);
  assert.equal(await roleOf(kv, organization.id, squatter.id), null);
  await kv.set(keyOf.user(squatter.id), { ...squatter, emailVerifiedAt: new Date() });
  assert.equal((await post()).body.id, squatter.id);
  // Its name is the person's own.
  await scim.patch(`/Users/${squatter.id}`, { op: "replace", path: "displayName", value: "Owned" });
  assert.equal((await findUser(kv, squatter.id))?.name, squatter.name);
});

Deno.test("removing somebody ends the membership and leaves the account", async () => {
  await using scim = await directory();
  const { id } = await scim.create("ann@example.com");
  assert.equal((await scim.ask("DELETE", `/Users/${id}`)).status, 204);
  assert.equal((await scim.ask("DELETE", `/Users/${id}`)).status, 404);
  assert.notEqual(await findUser(scim.kv, id), null);
});

Deno.test("only the organization's provisioning token opens SCIM, and it opens nothing else", async () => {
  await using scim = await directory();
  const { kv, organization, otherWorld, token } = scim;
  const other = await enableScim(kv, otherWorld.organization.id, {
    role: "member",
    createdBy: "x",
  });
  for (const wrong of ["", "wrong", other.token, `${token}x`, "bootstrap-token-0123456789"]) {
    const answer = await scim.ask("GET", "/Users", undefined, wrong);
    assert.equal(answer.status, 401, wrong);
    assert.deepEqual(answer.body.schemas, ["urn:ietf:params:scim:api:messages:2.0:Error"]);
  }
  const send = apiApp(scim.services);
  const headers = { authorization: `Bearer ${token}` };
  const api = await send("/api/0/organizations/acme/", { headers });
  await api.body?.cancel();
  assert.equal(api.status, 401);
  const next = await enableScim(kv, organization.id, { role: "viewer", createdBy: "Olga" });
  assert.equal((await scim.ask("GET", "/Users")).status, 401);
  assert.equal((await scim.ask("GET", "/Users", undefined, next.token)).status, 200);
  await disableScim(kv, organization.id);
  assert.equal((await scim.ask("GET", "/Users", undefined, next.token)).status, 401);
});

Deno.test("what is no request of SCIM's is answered in its shape, and never with a fault of ours", async () => {
  await using scim = await directory();
  const { id } = await scim.create("ann@example.com");
  const wrong: [method: string, path: string, body: unknown, status: number][] = [
    ["GET", "/Users?filter=userName co %22a%22", undefined, 400],
    ["GET", "/Users?filter=title eq %22a%22", undefined, 400],
    ["GET", "/Users?filter=userName eq %22\\q%22", undefined, 400],
    ["GET", "/Users?startIndex=x", undefined, 400],
    ["GET", `/Users/${"7".repeat(3_000)}`, undefined, 404],
    ["GET", "/Nothing", undefined, 404],
    ["PATCH", "/Users", {}, 405],
    ["POST", "/Users", {}, 400],
    ["POST", "/Users", [], 400],
    ["POST", "/Users", { userName: "no address" }, 400],
    ["POST", "/Users", { userName: { a: 1 } }, 400],
    ["PUT", `/Users/${id}`, { active: "perhaps" }, 400],
    ["PATCH", `/Users/${id}`, {}, 400],
    ["PATCH", `/Users/${id}`, { Operations: [{ op: "move" }] }, 400],
    ["PATCH", `/Users/${id}`, { Operations: [{ op: "replace", value: 7 }] }, 400],
    ["PATCH", `/Users/${id}`, { Operations: Array(101).fill({ op: "add", path: "x" }) }, 400],
    ["POST", "/Groups", { displayName: "" }, 400],
    ["POST", "/Groups", { displayName: "A", members: [7] }, 400],
    ["POST", "/Groups", { displayName: "A", members: { value: "x".repeat(3_000) } }, 400],
  ];
  for (const [method, path, body, status] of wrong) {
    const answer = await scim.ask(method, path, body);
    const message = `${method} ${path.slice(0, 60)} ${JSON.stringify(answer.body)}`;
    assert.equal(answer.status, status, message);
    assert.equal(answer.body.status, String(status), message);
  }
  // Names that mean something to JavaScript mean nothing here.
  await scim.patch(`/Users/${id}`, { op: "add", path: "__proto__.x", value: 1 });
  await scim.patch(`/Users/${id}`, { op: "add", value: { "constructor.prototype.x": 1 } });
  assert.equal(Reflect.get({}, "x"), undefined);
});

Deno.test("the server says what it can, with the addresses of its kinds and schemas", async () => {
  await using scim = await directory();
  const config = await scim.ask("GET", "/ServiceProviderConfig");
  assert.equal(config.status, 200);
  assert.equal((await scim.ask("GET", "/ResourceTypes")).body.totalResults, 2);
  assert.equal((await scim.ask("GET", `/Schemas/${USER}`)).body.id, USER);
  assert.equal((await scim.ask("GET", "/Schemas/urn:none")).status, 404);
});

Deno.test("what a directory does is in the audit log as its doing", async () => {
  await using scim = await directory();
  const { id } = await scim.create("ann@example.com");
  await scim.patch(`/Users/${id}`, { op: "replace", path: "active", value: false });
  await scim.ask("DELETE", `/Users/${id}`);
  const entries = await Array.fromAsync(
    scim.kv.list<{ event: string; by: { kind: string }; target: { id: string } }>({
      prefix: ["audit_entry"],
    }),
    ({ value }) => value,
  );
  const told = entries.filter(({ target }) => target.id === id)
    .map(({ event, by }) => `${by.kind} ${event}`);
  assert.deepEqual(told, ["scim member.add", "scim member.edit", "scim member.remove"]);
});
