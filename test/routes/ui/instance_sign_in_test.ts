import assert from "node:assert/strict";
import { findIdentity, listIdentities } from "../../../lib/accounts/providers/identities.ts";
import { findProvider, secretOf } from "../../../lib/accounts/providers/provider.ts";
import { findUserByEmail } from "../../../lib/accounts/users.ts";
import { identityProvider } from "../../support/identity_provider.ts";
import { LOCAL_PROVIDERS, setUp, signInBy } from "../../support/provider_settings.ts";
import { acme, textOf } from "../../support/ui_app.ts";

const PATH = "/instance/sign-in";

Deno.test("a provider is added with a ready text, keeps its secret to itself, and is changed and deleted", async () => {
  await using idp = await identityProvider({ ids: ["keycloak"] });
  await using app = await acme(LOCAL_PROVIDERS);
  const { kv } = app.services;
  assert.match(textOf((await app.owner.get(PATH)).html), /No single sign-on yet/);
  const form = await app.owner.get(`${PATH}/new?preset=keycloak`);
  assert.match(form.html, /sign-in\/with\/keycloak\/callback/);

  const fields: Record<string, string> = {
    id: "keycloak",
    name: "Our Keycloak",
    isEnabled: "on",
    issuer: idp.issuer,
    clientId: idp.clientId,
    secret: idp.clientSecret,
    clientAuth: "client_secret_post",
    scopes: "openid email profile",
    clockSkewSec: "30",
    mayCreate: "on",
    domains: "@Example.com, bücher.example",
    groupsClaim: "groups",
    group: "/devs",
    organization: app.organization.id,
    role: "member",
    teams: "",
  };
  const wrong = await app.owner.post(`${PATH}/new?preset=keycloak`, {
    ...fields,
    issuer: "http://10.0.0.1",
  });
  assert.equal(wrong.status, 422);
  assert.match(textOf(wrong.html), /SERVICE_SIGN_IN_ALLOW/);
  const noTeam = await app.owner.post(`${PATH}/new?preset=keycloak`, {
    ...fields,
    teams: "nowhere",
  });
  assert.match(textOf(noTeam.html), /Acme has no team “nowhere”/);
  const made = await app.owner.post(`${PATH}/new?preset=keycloak`, fields);
  assert.equal(made.location, `${PATH}/keycloak`);
  const provider = await findProvider(kv, "keycloak");
  assert.ok(provider);
  assert.deepEqual(provider.domains, ["example.com", "xn--bcher-kva.example"]);
  assert.equal(await secretOf(app.services, provider), idp.clientSecret);

  const page = await app.owner.get(`${PATH}/keycloak`);
  assert.doesNotMatch(page.html, new RegExp(idp.clientSecret));
  assert.match(textOf(page.html), /Our Keycloak is saved\. Test it now\./);
  const changes = { ...fields, action: "save", name: "Keycloak", secret: "" };
  assert.equal((await app.owner.post(`${PATH}/keycloak`, changes)).location, `${PATH}/keycloak`);
  const changed = await findProvider(kv, "keycloak");
  assert.ok(changed);
  assert.equal(changed.name, "Keycloak");
  assert.equal(await secretOf(app.services, changed), idp.clientSecret);

  assert.equal(
    (await app.owner.post(`${PATH}/keycloak`, { action: "delete", confirm: "no" })).status,
    422,
  );
  assert.equal(
    (await app.owner.post(`${PATH}/keycloak`, { action: "delete", confirm: "Keycloak" })).location,
    PATH,
  );
  assert.equal(await findProvider(kv, "keycloak"), null);
});

Deno.test("a test sign-in shows the claims and what would follow, and changes nothing", async () => {
  await using idp = await identityProvider();
  await using app = await acme(LOCAL_PROVIDERS);
  const { kv } = app.services;
  await setUp(app.services, idp, {
    isEnabled: false,
    mayCreate: true,
    rules: [{ group: "/devs", organizationId: app.organization.id, role: "admin", teamIds: [] }],
  });
  idp.person = { ...idp.person, groups: ["/devs", "/others"], department: "Engineering" };
  const away = await app.owner.post("/sign-in/with/test", { action: "test", next: PATH });
  const url = /url=(\S+)/.exec(away.headers.get("refresh") ?? "")?.[1] ?? "";
  const back = await idp.visit(url);
  const shown = textOf((await app.owner.get(back.pathname + back.search)).html);
  assert.match(shown, /Makes an account for alice@example\.com\./);
  assert.match(shown, /\/devs → admin/);
  assert.match(shown, /"groups"/);
  assert.equal(await findUserByEmail(kv, "alice@example.com"), null);
  assert.equal(await findIdentity(kv, { issuer: idp.issuer, subject: "alice" }), null);
});

Deno.test("only who runs the instance sees and tries its providers", async () => {
  await using idp = await identityProvider();
  await using app = await acme(LOCAL_PROVIDERS);
  await setUp(app.services, idp);
  const { visitor } = await app.member("owner");
  for (const path of [PATH, `${PATH}/new?preset=google`, `${PATH}/test`]) {
    assert.equal((await visitor.get(path)).status, 403, path);
  }
  assert.equal(
    (await visitor.post(`${PATH}/test`, { action: "delete", confirm: "Test ID" })).status,
    403,
  );
  assert.equal((await visitor.post(PATH, { isProviderOnly: "on" })).status, 403);
  assert.equal((await visitor.post("/sign-in/with/test", { action: "test" })).status, 403);
});

Deno.test("people connect a provider to their account and disconnect it, but never their only way in", async () => {
  await using idp = await identityProvider();
  await using app = await acme(LOCAL_PROVIDERS);
  const { kv } = app.services;
  await setUp(app.services, idp, { mayCreate: true });
  const { user, visitor } = await app.member("member");
  const away = await visitor.post("/sign-in/with/test", {
    action: "connect",
    next: "/account/sign-ins",
  });
  const back = await idp.visit(/url=(\S+)/.exec(away.headers.get("refresh") ?? "")?.[1] ?? "");
  assert.equal((await visitor.get(back.pathname + back.search)).location, "/account/sign-ins");
  const page = await visitor.get("/account/sign-ins");
  assert.match(textOf(page.html), /Test ID is connected\./);
  const identity = /name="identity" value="([0-9a-f]+)"/.exec(page.html)?.[1] ?? "";
  assert.equal(
    (await visitor.post("/account/sign-ins", { identity })).location,
    "/account/sign-ins",
  );
  assert.deepEqual(await listIdentities(kv, user.id), []);

  idp.person = { ...idp.person, sub: "zoe", email: "zoe@example.com" };
  idp.cookies.clear();
  const zoe = app.visitor();
  await signInBy(zoe, idp);
  const only = await zoe.get("/account/sign-ins");
  assert.match(textOf(only.html), /Your only way in/);
  const found = await findUserByEmail(kv, "zoe@example.com");
  const [last] = await listIdentities(kv, found?.id ?? "");
  assert.ok(last);
  const { identityHash } = await import("../../../lib/accounts/providers/identities.ts");
  const refused = await zoe.post("/account/sign-ins", { identity: identityHash(last) });
  assert.equal(refused.status, 422);
  assert.equal((await listIdentities(kv, found?.id ?? "")).length, 1);
});

Deno.test("who has no password proves who they are by signing in at the provider anew, as themselves", async () => {
  await using idp = await identityProvider();
  await using app = await acme(LOCAL_PROVIDERS);
  await setUp(app.services, idp, { mayCreate: true });
  const zoe = app.visitor();
  await signInBy(zoe, idp);
  const away = await zoe.get("/sign-in/with/test?again=1&next=/account/security");
  const asked = new URL(away.location ?? "").searchParams;
  assert.deepEqual([asked.get("prompt"), asked.get("max_age")], ["login", "0"]);
  const back = await idp.visit(away.location ?? "");
  assert.equal((await zoe.get(back.pathname + back.search)).location, "/account/security");

  const again = await zoe.get("/sign-in/with/test?again=1");
  idp.person = { ...idp.person, sub: "somebody else" };
  idp.cookies.clear();
  const other = await idp.visit(again.location ?? "");
  assert.equal((await zoe.get(other.pathname + other.search)).status, 403);
});
