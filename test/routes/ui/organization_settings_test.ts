import assert from "node:assert/strict";
import { findApiToken, listApiTokens } from "../../../lib/control/api_tokens.ts";
import { roleOf } from "../../../lib/control/members.ts";
import { findUserByEmail } from "../../../lib/control/users.ts";
import { person } from "../../support/people.ts";
import { acme, textOf } from "../../support/ui_app.ts";

const PATH = "/organizations/acme/settings";

Deno.test("somebody with an account is added by their mail address", async () => {
  await using app = await acme();
  const ann = await person(app.services.kv, "ann");
  const add = { action: "add", email: "ANN@example.com", name: "", role: "viewer" };
  assert.equal((await app.owner.post(PATH, add)).location, PATH);
  assert.match(textOf((await app.owner.get(PATH)).html), /ann is a member now\./);
  assert.equal(await roleOf(app.services.kv, app.organization.id, ann.id), "viewer");

  const again = await app.owner.post(PATH, add);
  assert.equal(again.status, 422);
  assert.match(textOf(again.html), /This person is a member already/);
});

Deno.test("somebody without one gets an account with a password that is shown once", async () => {
  await using app = await acme();
  const add = { action: "add", email: "new@example.com", name: "New Person", role: "member" };
  const created = await app.owner.post(PATH, add);
  assert.equal(created.status, 201);
  assert.equal(created.headers.get("cache-control"), "no-store");
  const password = /id="new-password"[^>]*>([^<]+)</.exec(created.html)?.[1] ?? "";
  assert.match(password, /^[0-9a-f]{4}(-[0-9a-f]{4}){4}$/);
  assert.ok(!(await app.owner.get(PATH)).html.includes(password));

  const visitor = app.visitor();
  assert.equal((await visitor.signIn("new@example.com", password)).status, 303);
  assert.equal((await visitor.get(PATH)).status, 200);
});

Deno.test("an admin makes no owners, and no account is left behind by the attempt", async () => {
  await using app = await acme();
  const { visitor } = await app.member("admin");
  const add = { action: "add", email: "new@example.com", name: "New", role: "owner" };
  const refused = await visitor.post(PATH, add);
  assert.equal(refused.status, 422);
  assert.match(textOf(refused.html), /Only owners can make or unmake owners\./);
  assert.equal(await findUserByEmail(app.services.kv, "new@example.com"), null);
});

Deno.test("roles are changed, members removed, and the last owner stays", async () => {
  await using app = await acme();
  const { kv } = app.services;
  const { id } = app.organization;
  const { user } = await app.member("member");
  await app.owner.post(PATH, { action: "role", user: user.id, role: "admin" });
  assert.equal(await roleOf(kv, id, user.id), "admin");

  const remove = { action: "remove", user: user.id };
  assert.equal((await app.owner.post(PATH, { ...remove, confirm: "no" })).status, 422);
  await app.owner.post(PATH, { ...remove, confirm: user.email });
  assert.equal(await roleOf(kv, id, user.id), null);

  const olga = await findUserByEmail(kv, "olga@example.com");
  const self = { user: olga?.id ?? "", role: "member", confirm: "olga@example.com" };
  for (const action of ["role", "remove"]) {
    const answer = await app.owner.post(PATH, { ...self, action });
    assert.equal(answer.status, 422);
    assert.match(textOf(answer.html), /Make somebody else an owner first/);
  }
});

Deno.test("viewers see the members, change nobody, and may leave", async () => {
  await using app = await acme();
  const { visitor, user } = await app.member("viewer");
  const { html } = await visitor.get(PATH);
  assert.match(textOf(html), /Olga Owner/);
  assert.doesNotMatch(textOf(html), /Add a member|API tokens/);
  assert.equal((await visitor.get(`${PATH}/tokens`)).status, 403);

  const role = await visitor.post(PATH, { action: "role", user: user.id, role: "owner" });
  assert.equal(role.status, 422);
  assert.match(textOf(role.html), /Nobody can raise their own role\./);

  const leave = { action: "remove", user: user.id, confirm: user.email };
  assert.equal((await visitor.post(PATH, leave)).location, "/projects");
  assert.equal((await visitor.get(PATH)).status, 404);
});

Deno.test("an API token is shown once, works, and is deleted with its name typed", async () => {
  await using app = await acme();
  const { kv } = app.services;
  const path = `${PATH}/tokens`;
  const scopes: [string, string][] = [["scopes", "project:read"], ["scopes", "issue:write"]];
  const none = await app.owner.post(path, [["action", "create"], ["name", "CI"]]);
  assert.equal(none.status, 422);
  assert.match(textOf(none.html), /Choose at least one scope\./);

  const created = await app.owner.post(path, [["action", "create"], ["name", "CI"], ...scopes]);
  assert.equal(created.status, 201);
  const token = /id="new-token"[^>]*>([^<]+)</.exec(created.html)?.[1] ?? "";
  const found = await findApiToken(kv, token);
  assert.deepEqual(found?.scopes, ["project:read", "issue:write"]);
  assert.ok(!(await app.owner.get(path)).html.includes(token));

  const remove = { action: "delete", token: found?.id ?? "" };
  assert.equal((await app.owner.post(path, { ...remove, confirm: "" })).status, 422);
  assert.equal((await app.owner.post(path, { ...remove, confirm: "CI" })).status, 303);
  assert.equal(await findApiToken(kv, token), null);
});

Deno.test("members see and delete their own tokens only, admins all", async () => {
  await using app = await acme();
  const path = `${PATH}/tokens`;
  const create = { action: "create", name: "Olga's token", scopes: "project:read" };
  await app.owner.post(path, create);
  const [token] = await listApiTokens(app.services.kv, app.organization.id);
  const remove = { action: "delete", token: token?.id ?? "", confirm: "Olga's token" };

  const { visitor: member } = await app.member("member");
  assert.doesNotMatch(textOf((await member.get(path)).html), /Olga's token/);
  assert.equal((await member.post(path, remove)).status, 404);

  const { visitor: admin } = await app.member("admin");
  assert.match(textOf((await admin.get(path)).html), /Olga's token Acts for Olga Owner/);
  assert.equal((await admin.post(path, remove)).status, 303);
});

Deno.test("only owners rename the organization, and its address stays", async () => {
  await using app = await acme();
  const path = `${PATH}/general`;
  assert.equal((await app.owner.post(path, { name: "Acme Inc." })).location, path);
  assert.match(textOf((await app.owner.get(path)).html), /Saved\..*Acme Inc\./);
  const { visitor } = await app.member("admin");
  assert.equal((await visitor.post(path, { name: "Mine" })).status, 403);
});
