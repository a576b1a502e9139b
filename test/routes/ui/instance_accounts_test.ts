import assert from "node:assert/strict";
import { plannedRemoval, planRemoval } from "@/lib/accounts/factor_removal.ts";
import {
  beginAuthenticator,
  confirmAuthenticator,
  hasSecondFactor,
} from "@/lib/accounts/second_factors.ts";
import { findUser } from "@/lib/accounts/users.ts";
import { Secret, TOTP } from "otpauth";
import { PASSWORD } from "../../support/people.ts";
import { acme, textOf } from "../../support/ui_app.ts";

Deno.test("administrators find accounts by name and email; to everybody else the pages do not exist", async () => {
  await using app = await acme();
  const { user, visitor } = await app.member("manager");
  const found = textOf((await app.owner.get("/instance/accounts?q=MANAGER@")).html);
  assert.match(found, /manager@example\.com/);
  assert.doesNotMatch(found, /olga@example\.com manager/);
  assert.match(
    textOf((await app.owner.get("/instance/accounts?q=zzz")).html),
    /No account has this/,
  );
  for (const path of ["/instance/accounts", `/instance/accounts/${user.id}`]) {
    assert.equal((await visitor.get(path)).status, 404);
    assert.equal((await app.visitor().get(path)).status, 303);
  }
  const refused = await visitor.post(`/instance/accounts/${user.id}`, { action: "disable" });
  assert.equal(refused.status, 404);
  assert.equal((await app.owner.get("/instance/accounts/nobody")).status, 404);
});

Deno.test("a disabled account signs nobody in and its sessions end; enabled again it does", async () => {
  await using app = await acme();
  const { user, visitor } = await app.member("member");
  const path = `/instance/accounts/${user.id}`;
  await app.owner.post(path, { action: "disable" });
  assert.equal((await visitor.get("/projects")).status, 303);
  const refused = await app.visitor().signIn(user.email);
  assert.equal(refused.status, 403);
  assert.match(textOf(refused.html), /This account is disabled/);
  assert.equal((await app.visitor().signIn(user.email, "wrong password here")).status, 422);
  await app.owner.post(path, { action: "enable" });
  assert.equal((await app.visitor().signIn(user.email)).status, 303);
  assert.match(textOf((await app.owner.get("/instance/audit")).html), /member@example\.com/);
});

Deno.test("nobody disables or deletes their own account, nor the only owner of an organization", async () => {
  await using app = await acme();
  const { user: admin } = await app.member("owner");
  const olga = `/instance/accounts/${(await findOlga(app)).id}`;
  assert.equal((await app.owner.post(olga, { action: "disable" })).status, 422);
  const own = await app.owner.post(olga, { action: "delete", confirm: "olga@example.com" });
  assert.equal(own.status, 422);
  const other = `/instance/accounts/${admin.id}`;
  assert.equal((await app.owner.post(other, { action: "delete", confirm: "nope" })).status, 422);
  const deleted = await app.owner.post(other, { action: "delete", confirm: admin.email });
  assert.equal(deleted.location, "/instance/accounts");
});

Deno.test("of a deleted account the name is gone, and what was written stays by another", async () => {
  await using app = await acme();
  const { user, visitor } = await app.member("member");
  const { kv } = app.services;
  await app.owner.post(`/instance/accounts/${user.id}`, { action: "delete", confirm: user.email });
  assert.equal((await visitor.get("/projects")).status, 303);
  assert.equal((await app.visitor().signIn(user.email)).status, 422);
  const left = await findUser(kv, user.id);
  assert.equal(left?.name, "Deleted user");
  assert.ok(!left?.email.includes("member"));
  app.owner.cookies.delete("flash");
  const members = await app.owner.get(`/organizations/${app.organization.slug}/settings`);
  assert.doesNotMatch(textOf(members.html), /member@example\.com/);
  for await (const entry of kv.list({ prefix: [] })) {
    if (entry.key[0] === "audit_entry") continue;
    assert.ok(!Deno.inspect(entry, { depth: 9 }).includes(user.email), String(entry.key));
  }
});

Deno.test("a link that an administrator hands over leads to a new password, without mail", async () => {
  await using app = await acme();
  const { user } = await app.member("member");
  const made = await app.owner.post(`/instance/accounts/${user.id}`, { action: "link" });
  assert.equal(made.headers.get("cache-control"), "no-store");
  const link = /\/reset-password\?token=[\w-]{43}/.exec(made.html)?.[0] ?? "";
  const person = app.visitor();
  await person.get(link);
  const password = "entirely different words now";
  assert.equal((await person.post("/reset-password", { password })).location, "/sign-in");
  assert.equal((await person.signIn(user.email, password)).location, "/projects");
});

Deno.test("a second factor goes 24 hours after an administrator's word, unless its owner cancels it", async () => {
  await using app = await acme();
  const { services: { kv, config } } = app;
  const { user, visitor } = await app.member("member");
  const stores = { kv, config };
  const { secret } = await beginAuthenticator(stores, user, "test");
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  await confirmAuthenticator(stores, user, code);
  const path = `/instance/accounts/${user.id}`;
  await app.owner.post(path, { action: "factors" });
  assert.equal((await app.visitor().signIn(user.email)).location, "/sign-in/second-factor");
  assert.match(textOf((await visitor.get("/account/security")).html), /removes your second factor/);
  await visitor.post("/account/security", { action: "keep-factors" });
  assert.equal(await plannedRemoval(kv, user.id), null);

  await planRemoval(kv, user, Date.now() - 24 * 60 * 60_000 - 1);
  assert.equal((await app.visitor().signIn(user.email, PASSWORD)).location, "/projects");
  assert.equal(await hasSecondFactor(kv, user.id), false);
});

async function findOlga({ services: { kv } }: Awaited<ReturnType<typeof acme>>) {
  const { value: id } = await kv.get<string>(["user_by_email", "olga@example.com"]);
  const user = await findUser(kv, id ?? "");
  assert.ok(user);
  return user;
}
