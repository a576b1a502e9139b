import assert from "node:assert/strict";
import { keyOf } from "@/lib/accounts/kv.ts";
import { roleOf } from "@/lib/accounts/members.ts";
import { provisionMember } from "@/lib/accounts/provisioning.ts";
import { person } from "../../support/people.ts";
import { acme, textOf } from "../../support/ui_app.ts";

const PATH = "/organizations/acme/settings";

Deno.test("an organization that lets nobody in is not there for strangers; one that takes requests asks who decides", async () => {
  await using app = await acme();
  const { kv } = app.services;
  const ann = await person(kv, "ann");
  const visitor = app.visitor();
  assert.equal((await visitor.get("/join/acme")).location, "/sign-in?next=%2Fjoin%2Facme");
  await visitor.signIn(ann.email);
  for (const path of ["/join/acme", "/join/nowhere"]) {
    assert.equal((await visitor.get(path)).status, 404);
    assert.equal((await visitor.post(path)).status, 404);
  }
  const policy = { action: "policy", allowsRequests: "on", domainRole: "viewer", domains: "" };
  assert.equal((await app.owner.post(`${PATH}/joining`, policy)).status, 303);
  assert.match(textOf((await visitor.get("/join/acme")).html), /Ask to join Acme/);
  assert.match(textOf((await visitor.post("/join/acme")).html), /You have asked/);
  const page = await app.owner.get(PATH);
  assert.match(textOf(page.html), /Requests to join ann@example\.com Asks to join/);
  const request = /name="request" value="(\w+)"/.exec(page.html)?.[1] ?? "";
  await app.owner.post(PATH, { action: "approve", request, role: "member" });
  assert.equal(await roleOf(kv, app.organization.id, ann.id), "member");
  assert.equal((await visitor.get("/join/acme")).location, "/projects");
});

Deno.test("a confirmed address of the organization's domain is enough to join by oneself", async () => {
  await using app = await acme();
  const { kv } = app.services;
  const ann = { ...await person(kv, "ann"), emailVerifiedAt: new Date() };
  await kv.set(keyOf.user(ann.id), ann);
  const wrong = await app.owner.post(`${PATH}/joining`, { action: "policy", domains: "gmail.com" });
  assert.equal(wrong.status, 422);
  assert.match(textOf(wrong.html), /Anybody gets an address at gmail\.com/);
  await app.owner.post(`${PATH}/joining`, { action: "policy", domains: "example.com" });
  const visitor = app.visitor();
  await visitor.signIn(ann.email);
  assert.match((await visitor.get("/join")).html, /href="\/join\/acme"/);
  assert.equal((await visitor.post("/join/acme")).location, "/projects");
  assert.equal(await roleOf(kv, app.organization.id, ann.id), "viewer");
});

Deno.test("members propose, and take back what they proposed; they see nobody else's and decide nothing", async () => {
  await using app = await acme();
  const { visitor } = await app.member("member");
  const { visitor: other } = await app.member("viewer");
  const page = await visitor.get(PATH);
  assert.match(textOf(page.html), /Propose a member/);
  assert.doesNotMatch(textOf(page.html), /Invite a member/);
  await visitor.post(PATH, { action: "propose", email: "new@example.com", role: "member" });
  const own = await visitor.get(PATH);
  assert.match(textOf(own.html), /Whom you proposed .* new@example\.com/);
  assert.doesNotMatch(textOf((await other.get(PATH)).html), /new@example\.com/);
  const request = /name="request" value="(\w+)"/.exec(own.html)?.[1] ?? "";
  assert.equal(
    (await visitor.post(PATH, { action: "approve", request, role: "member" })).status,
    403,
  );
  assert.equal((await other.post(PATH, { action: "decline", request })).status, 403);
  assert.equal((await visitor.post(PATH, { action: "decline", request })).status, 303);
});

Deno.test("only owners make the token of a directory, which is shown once and replaced by the next", async () => {
  await using app = await acme();
  const path = `${PATH}/joining`;
  const { visitor } = await app.member("manager");
  assert.doesNotMatch(textOf((await visitor.get(path)).html), /SCIM/);
  assert.equal((await visitor.post(path, { action: "scim", role: "member" })).status, 403);
  const made = await app.owner.post(path, { action: "scim", role: "viewer" });
  assert.equal(made.status, 201);
  assert.equal(made.headers.get("cache-control"), "no-store");
  const token = /id="new-token"[^>]*>([^<]+)</.exec(made.html)?.[1] ?? "";
  assert.match(token, /^wpscim_[\w-]{43}[0-9A-Za-z]{6}$/);
  const ask = async (bearer: string) => {
    const response = await app.handle(
      new Request("http://localhost:8000/api/0/organizations/acme/scim/v2/Users", {
        headers: { authorization: `Bearer ${bearer}` },
      }),
    );
    await response.body?.cancel();
    return [response.status, response.headers.get("content-type")];
  };
  assert.deepEqual(await ask(token), [200, "application/scim+json; charset=utf-8"]);
  assert.ok(!(await app.owner.get(path)).html.includes(token));
  assert.equal((await app.owner.post(path, { action: "scim-end", confirm: "no" })).status, 422);
  await app.owner.post(path, { action: "scim-end", confirm: "acme" });
  assert.equal((await ask(token))[0], 401);
});

Deno.test("whom a directory disabled stands on the members page apart, and can be removed there", async () => {
  await using app = await acme();
  const { kv } = app.services;
  const { id } = app.organization;
  const { userId } = await provisionMember(kv, id, "gone@example.com", { isActive: false });
  assert.match(
    textOf((await app.owner.get(PATH)).html),
    /Disabled by the directory .* gone@example\.com/,
  );
  const { visitor } = await app.member("member");
  assert.doesNotMatch(textOf((await visitor.get(PATH)).html), /gone@example\.com/);
  await app.owner.post(PATH, { action: "remove", user: userId, confirm: "gone@example.com" });
  assert.equal((await kv.get(keyOf.member(id, userId))).value, null);
});
