import assert from "node:assert/strict";
import { findApiToken, listApiTokens } from "@/lib/accounts/api_tokens.ts";
import { findOrganizationToken } from "@/lib/accounts/organization_tokens.ts";
import { listMembers, roleOf } from "@/lib/accounts/members.ts";
import { createTeam, findTeam } from "@/lib/accounts/teams.ts";
import { createUser, findUserByEmail } from "@/lib/accounts/users.ts";
import { mailServer, readable, smtpTo } from "../../support/mail_server.ts";
import { PASSWORD, person } from "../../support/people.ts";
import { acme, textOf, type Visitor } from "../../support/ui_app.ts";

const PATH = "/organizations/acme/settings";

/** Invites somebody and answers with the path of the link. */
async function invited(by: Visitor, email: string, role = "viewer") {
  const answer = await by.post(PATH, { action: "invite", email, role });
  assert.equal(answer.status, 201);
  assert.equal(answer.headers.get("cache-control"), "no-store");
  const link = /id="invite-link"[^>]*>http:\/\/localhost:8000([^<]+)</.exec(answer.html)?.[1] ?? "";
  assert.match(link, /^\/join\?invite=[\w-]{43}$/);
  return { link, token: link.split("=")[1] ?? "", html: answer.html };
}

/** Follows the link of an invitation, and answers with the page and which link it is about. */
async function opened(visitor: Visitor, link: string) {
  assert.equal((await visitor.get(link)).location, "/join");
  const page = await visitor.get("/join");
  return { ...page, link: /name="link" value="(\w+)"/.exec(page.html)?.[1] ?? "" };
}

Deno.test("inviting answers the same for every address and shows nothing of an account", async () => {
  await using app = await acme();
  await createUser(app.services.kv, {
    name: "Secret Name",
    email: "known@example.com",
    password: PASSWORD,
  });
  const texts = [];
  for (const email of ["known@example.com", "other@example.com"]) {
    const { html, token } = await invited(app.owner, email);
    const text = textOf(html).replaceAll(email, "<mail>").replaceAll(token, "<token>");
    texts.push(text.replace(/\d{4}-\S+ \S+ UTC/, "<time>"));
    await app.owner.post(PATH, { action: "withdraw", email });
    app.owner.cookies.delete("flash");
  }
  assert.equal(texts[0], texts[1]);
  await invited(app.owner, "KNOWN@example.com");
  const page = textOf((await app.owner.get(PATH)).html);
  assert.match(page, /Invited known@example\.com The link holds until/);
  assert.doesNotMatch(page, /Secret Name/);
});

Deno.test("somebody with an account joins by the link, once they are signed in and say so", async () => {
  await using app = await acme();
  const { kv } = app.services;
  const ann = await person(kv, "ann");
  const { link } = await invited(app.owner, "ann@example.com");
  const visitor = app.visitor();
  assert.match((await opened(visitor, link)).html, /href="\/sign-in\?next=%2Fjoin"/);
  await visitor.signIn("ann@example.com");
  const asked = await visitor.get("/join");
  assert.match(textOf(asked.html), /Join Acme As viewer\./);
  assert.equal(await roleOf(kv, app.organization.id, ann.id), null);
  const which = (await opened(visitor, link)).link;
  assert.equal((await visitor.post("/join", { link: which })).location, "/projects");
  assert.equal(await roleOf(kv, app.organization.id, ann.id), "viewer");
  assert.equal((await opened(visitor, link)).status, 410);

  const again = await app.owner.post(PATH, {
    action: "invite",
    email: "ann@example.com",
    role: "viewer",
  });
  assert.equal(again.status, 422);
  assert.match(textOf(again.html), /This person is a member already/);
});

Deno.test("somebody without an account makes one by the link, with a password of their own", async () => {
  await using app = await acme();
  const { link } = await invited(app.owner, "new@example.com", "member");
  const visitor = app.visitor();
  const which = (await opened(visitor, link)).link;
  const fields = { link: which, name: "New Person", email: "new@example.com" };
  const weak = await visitor.post("/join", { ...fields, password: "short" });
  assert.equal(weak.status, 422);
  assert.match(textOf(weak.html), /at least \d+ characters/i);
  assert.equal(
    (await visitor.post("/join", { ...fields, password: PASSWORD })).location,
    "/projects",
  );
  assert.equal((await visitor.get(PATH)).status, 200);
  assert.equal((await app.visitor().post("/join", { ...fields, password: PASSWORD })).status, 410);
});

Deno.test("the token of an invitation leaves the address at once, and no page that it opens is kept or told of", async () => {
  await using app = await acme();
  const { link, token } = await invited(app.owner, "ann@example.com");
  const visitor = app.visitor();
  const first = await visitor.get(link);
  assert.deepEqual([first.status, first.location], [303, "/join"]);
  assert.match(first.headers.get("set-cookie") ?? "", /HttpOnly; SameSite=Lax/);
  const page = await visitor.get("/join");
  for (const { headers } of [first, page]) {
    assert.equal(headers.get("cache-control"), "no-store");
    assert.equal(headers.get("referrer-policy"), "no-referrer");
  }
  assert.ok(!page.html.includes(token));
});

Deno.test("links that were guessed, used or withdrawn show the same page", async () => {
  await using app = await acme();
  const withdrawn = await invited(app.owner, "bob@example.com");
  await app.owner.post(PATH, { action: "withdraw", email: "bob@example.com" });
  const pages = [];
  for (
    const link of [
      withdrawn.link,
      `/join?invite=${"x".repeat(43)}`,
      "/join?invite=",
      "/join?invite=%00",
    ]
  ) {
    const page = await opened(app.visitor(), link);
    assert.equal(page.status, 410);
    pages.push(textOf(page.html));
  }
  assert.equal(new Set(pages).size, 1);
});

Deno.test("who is invited by another address is asked first, or refused where the invitation is for its address only", async () => {
  await using app = await acme();
  const { kv } = app.services;
  const ann = await person(kv, "ann");
  const visitor = app.visitor();
  await visitor.signIn("ann@example.com");
  const bound = await invited(app.owner, "boss@example.com", "manager");
  const refused = await opened(visitor, bound.link);
  assert.match(
    textOf(refused.html),
    /This invitation is for boss@example\.com only\. You are signed in as ann@example\.com\./,
  );
  const { link } = await invited(app.owner, "team@example.com");
  const asked = await opened(visitor, link);
  assert.match(
    textOf(asked.html),
    /team@example\.com was invited; you are signed in as ann@example\.com\. Join with this account\?/,
  );
  // A form of a page about another link shows the page again.
  const other = await visitor.post("/join", { link: "0123456789abcdef" });
  assert.equal(other.status, 422);
  await visitor.post("/join", { link: asked.link });
  assert.equal(await roleOf(kv, app.organization.id, ann.id), "viewer");
});

Deno.test("a team of five joins by links, with their roles and into their team", async () => {
  await using app = await acme();
  const { kv } = app.services;
  const team = await createTeam(kv, { organizationId: app.organization.id, name: "Checkout" });
  const roles = ["viewer", "member", "admin", "manager", "owner"];
  for (const [i, role] of roles.entries()) {
    const email = `p${i}@example.com`;
    const made = await app.owner.post(PATH, { action: "invite", email, role, teams: team.id });
    const link = /id="invite-link"[^>]*>http:\/\/localhost:8000([^<]+)</.exec(made.html)?.[1] ?? "";
    const visitor = app.visitor();
    const which = (await opened(visitor, link)).link;
    const fields = { link: which, name: `Person ${i}`, email, password: PASSWORD };
    assert.equal((await visitor.post("/join", fields)).location, "/projects");
    assert.equal((await visitor.get(PATH)).status, 200);
  }
  const members = await listMembers(kv, app.organization.id);
  assert.deepEqual(members.slice(1).map(({ role }) => role), roles);
  assert.equal((await findTeam(kv, app.organization, team.id))?.memberIds.length, 5);
});

Deno.test("with a mail server the link goes by mail and nobody else sees it; following it confirms the address", async () => {
  await using server = await mailServer({ hasNoTls: true });
  await using app = await acme({ smtp: smtpTo(server) });
  const form = { action: "invite", email: "ann@example.com", role: "member", way: "mail" };
  const made = await app.owner.post(PATH, form);
  assert.equal(made.status, 303);
  const mail = readable(server.mails[0]);
  assert.match(mail, /Olga Owner invites you to Acme on Watchpost\./);
  const link = /http:\/\/localhost:8000(\/join\?invite=[\w-]{43})/.exec(mail)?.[1] ?? "";
  const visitor = app.visitor();
  const which = (await opened(visitor, link)).link;
  await visitor.post("/join", { link: which, name: "Ann", email: form.email, password: PASSWORD });
  assert.ok((await findUserByEmail(app.services.kv, form.email))?.emailVerifiedAt);
  assert.match(textOf((await app.owner.get(PATH)).html), /ann@example\.com/);
});

Deno.test("a mail that is not taken is told, and the link can be made by hand then", async () => {
  await using server = await mailServer({ hasNoTls: true, refuseWith: { code: 550, text: "No" } });
  await using app = await acme({ smtp: smtpTo(server) });
  const form = { action: "invite", email: "ann@example.com", role: "member", way: "mail" };
  const refused = await app.owner.post(PATH, form);
  assert.equal(refused.status, 422);
  assert.match(textOf(refused.html), /The mail could not be sent/);
  const made = await app.owner.post(PATH, { action: "relink", email: form.email });
  assert.equal(made.status, 201);
  assert.match(made.html, /id="invite-link"/);
});

Deno.test("an admin invites no owners", async () => {
  await using app = await acme();
  const { visitor } = await app.member("admin");
  const add = { action: "invite", email: "new@example.com", role: "owner" };
  const refused = await visitor.post(PATH, add);
  assert.equal(refused.status, 422);
  assert.match(textOf(refused.html), /Only owners can make or unmake owners\./);
});

Deno.test("the first administrator cannot lock everybody out", async () => {
  await using app = await acme();
  const { user } = await app.member("owner");
  const olga = await findUserByEmail(app.services.kv, "olga@example.com");
  const self = { user: olga?.id ?? "", confirm: "olga@example.com" };
  // Stepping down and leaving is allowed while another owner stays, and the instance keeps its administrator.
  await app.owner.post(PATH, { ...self, action: "role", role: "viewer" });
  await app.owner.post(PATH, { ...self, action: "remove" });
  assert.equal((await app.owner.get("/instance")).status, 200);
  const demote = { action: "role", user: user.id, role: "viewer" };
  assert.equal((await app.owner.post(PATH, demote)).status, 422);
  assert.equal(await roleOf(app.services.kv, app.organization.id, user.id), "owner");
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
  assert.doesNotMatch(textOf(html), /Invite a member|API tokens/);
  assert.equal((await visitor.get(`${PATH}/tokens`)).status, 403);

  const role = await visitor.post(PATH, { action: "role", user: user.id, role: "owner" });
  assert.equal(role.status, 403);
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

Deno.test("a token takes Sentry's names of scopes, and says which it does not know", async () => {
  await using app = await acme();
  const create = { action: "create", name: "Tool" };
  const path = `${PATH}/tokens`;
  const refused = await app.owner.post(path, {
    ...create,
    sentryScopes: "org:read org:everything",
  });
  assert.equal(refused.status, 422);
  assert.match(textOf(refused.html), /"org:everything" is no scope of Sentry's/);
  const names = "org:read, event:write project:releases";
  assert.equal((await app.owner.post(path, { ...create, sentryScopes: names })).status, 201);
  const [token] = await listApiTokens(app.services.kv, app.organization.id);
  assert.deepEqual(token?.scopes.toSorted(), [
    "issue:write",
    "organization:read",
    "project:read",
    "release:read",
    "release:write",
  ]);
});

Deno.test("a token of the organization is shown once, names its server, and is for admins to make", async () => {
  await using app = await acme();
  const { kv, config } = app.services;
  const path = `${PATH}/tokens`;
  const created = await app.owner.post(path, { action: "create-ci", name: "Build" });
  assert.equal(created.status, 201);
  assert.equal(created.headers.get("cache-control"), "no-store");
  const token = /id="new-token"[^>]*>([^<]+)</.exec(created.html)?.[1] ?? "";
  const [prefix, claims = "", secret = "", ...more] = token.split("_");
  assert.deepEqual([prefix, secret.length, more.length], ["sntrys", 43, 0]);
  const { iat, ...named } = JSON.parse(atob(claims));
  assert.equal(typeof iat, "number");
  assert.deepEqual(named, { url: config.baseUrl, region_url: config.baseUrl, org: "acme" });
  for await (const entry of kv.list({ prefix: [] })) {
    assert.ok(!Deno.inspect(entry, { depth: 9 }).includes(secret));
  }
  const page = await app.owner.get(path);
  assert.ok(!page.html.includes(secret));
  assert.match(textOf(page.html), /Build sntrys_….{4} Created by Olga Owner/);

  const { visitor: member } = await app.member("member");
  assert.doesNotMatch(textOf((await member.get(path)).html), /Organization tokens/);
  assert.equal((await member.post(path, { action: "create-ci", name: "Mine" })).status, 403);
  const found = await findOrganizationToken(kv, token);
  const remove = { action: "delete-ci", token: found?.id ?? "" };
  assert.equal((await member.post(path, { ...remove, confirm: "Build" })).status, 403);
  assert.equal((await app.owner.post(path, { ...remove, confirm: "Other" })).status, 422);
  assert.equal((await app.owner.post(path, { ...remove, confirm: "Build" })).status, 303);
  assert.equal(await findOrganizationToken(kv, token), null);
});

Deno.test("members see and delete their own tokens only, managers all", async () => {
  await using app = await acme();
  const path = `${PATH}/tokens`;
  const create = { action: "create", name: "Olga's token", scopes: "project:read" };
  await app.owner.post(path, create);
  const [token] = await listApiTokens(app.services.kv, app.organization.id);
  const remove = { action: "delete", token: token?.id ?? "", confirm: "Olga's token" };

  const { visitor: member } = await app.member("member");
  assert.doesNotMatch(textOf((await member.get(path)).html), /Olga's token/);
  assert.equal((await member.post(path, remove)).status, 404);

  const { visitor: manager } = await app.member("manager");
  assert.match(
    textOf((await manager.get(path)).html),
    /Olga's token wpt_….{4} Acts for Olga Owner/,
  );
  const rotate = { action: "rotate", token: token?.id ?? "", overlapDays: "1" };
  assert.equal((await manager.post(path, rotate)).status, 404);
  assert.equal((await manager.post(path, remove)).status, 303);
});

Deno.test("a token is made for a network and a time, and rotated: the new one is shown once", async () => {
  await using app = await acme();
  const path = `${PATH}/tokens`;
  const create = { action: "create", name: "CI", scopes: "project:read", expiresInDays: "30" };
  const wrong = await app.owner.post(path, { ...create, networks: "everywhere" });
  assert.equal(wrong.status, 422);
  assert.match(textOf(wrong.html), /"everywhere" is no address and no network/);
  const made = await app.owner.post(path, { ...create, networks: "10.0.0.0/8" });
  const tokenIn = (html: string) => /id="new-token"[^>]*>([^<]+)</.exec(html)?.[1] ?? "";
  const [token] = await listApiTokens(app.services.kv, app.organization.id);
  assert.match(textOf((await app.owner.get(path)).html), /Expires .* · only from 10\.0\.0\.0\/8/);
  const rotated = await app.owner.post(path, {
    action: "rotate",
    token: token?.id ?? "",
    overlapDays: "7",
  });
  assert.equal(rotated.headers.get("cache-control"), "no-store");
  assert.notEqual(tokenIn(rotated.html), tokenIn(made.html));
  assert.match(textOf((await app.owner.get(path)).html), /the one before holds until/);
});

Deno.test("only owners rename the organization, and its address stays", async () => {
  await using app = await acme();
  const path = `${PATH}/general`;
  assert.equal((await app.owner.post(path, { name: "Acme Inc." })).location, path);
  assert.match(textOf((await app.owner.get(path)).html), /Saved\..*Acme Inc\./);
  const { visitor } = await app.member("admin");
  assert.equal((await visitor.post(path, { name: "Mine" })).status, 403);
});

Deno.test("a form that names somebody or something by 3,000 characters is answered like any that names nothing", async () => {
  await using app = await acme();
  const long = "7".repeat(3_000);
  const forms: [path: string, fields: Record<string, string>, status: number][] = [
    [PATH, { action: "role", user: long, role: "viewer" }, 404],
    [PATH, { action: "remove", user: long }, 404],
    [`${PATH}/general`, { action: "restore", project: long }, 404],
    ["/instance", { organization: long, quota: "5" }, 404],
    ["/projects/new", { organization: long, name: "Shop", platform: "node" }, 404],
    ["/join", { invite: long }, 410],
  ];
  for (const [path, fields, status] of forms) {
    const answer = await app.owner.post(path, fields);
    assert.equal(answer.status, status, `${path} ${JSON.stringify(fields).slice(0, 40)}`);
  }
});
