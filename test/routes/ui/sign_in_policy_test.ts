import assert from "node:assert/strict";
import { keyOf } from "../../../lib/accounts/kv.ts";
import { linkIdentity } from "../../../lib/accounts/providers/identities.ts";
import { setProviderOf } from "../../../lib/accounts/providers/organization_rule.ts";
import { deleteProvider } from "../../../lib/accounts/providers/provider.ts";
import { setProviderOnly } from "../../../lib/accounts/providers/policy.ts";
import { findUserByEmail, type User } from "../../../lib/accounts/users.ts";
import { readConfig } from "../../../lib/core/config.ts";
import { identityProvider } from "../../support/identity_provider.ts";
import { PASSWORD, person } from "../../support/people.ts";
import { LOCAL_PROVIDERS, setUp, signInBy } from "../../support/provider_settings.ts";
import { acme, textOf } from "../../support/ui_app.ts";

Deno.test("passwords are turned off only by who is signed in by a provider, and then sign nobody in", async () => {
  await using idp = await identityProvider();
  await using app = await acme(LOCAL_PROVIDERS);
  const { kv } = app.services;
  await setUp(app.services, idp, { mayCreate: true });
  await person(kv, "bob");
  await assert.rejects(setProviderOnly(kv, true, {}), /Sign in by a provider yourself first/);
  await assert.rejects(setProviderOnly(kv, true, { provider: "gone" }), /yourself first/);
  await setProviderOnly(kv, true, { provider: "test" });

  const { html } = await app.visitor().get("/sign-in");
  assert.doesNotMatch(html, /name="password"/);
  assert.match(textOf(html), /Sign in with Test ID/);
  const visitor = app.visitor();
  const refused = await visitor.signIn("bob@example.com");
  assert.equal(refused.status, 403);
  assert.match(textOf(refused.html), /passwords are turned off/);
  assert.equal((await visitor.get("/account")).status, 303);
  assert.equal((await signInBy(app.visitor(), idp)).location, "/projects");

  await setProviderOnly(kv, false, null);
  assert.equal((await app.visitor().signIn("bob@example.com")).status, 303);
});

Deno.test("the administrator whom the settings name gets in by password when no provider works", async () => {
  const admin = { email: "Olga@Example.com", password: PASSWORD };
  await using app = await acme({ ...LOCAL_PROVIDERS, admin });
  const { kv } = app.services;
  await using idp = await identityProvider();
  await setUp(app.services, idp);
  await setProviderOnly(kv, true, { provider: "test" });
  const visitor = app.visitor();
  assert.match((await visitor.get("/sign-in?password")).html, /name="password"/);
  assert.equal((await visitor.signIn("olga@example.com")).status, 303);
  assert.equal((await visitor.get("/account")).status, 200);
});

const PROXY = readConfig({
  SERVICE_AUTH_HEADER: "Remote-Email",
  SERVICE_AUTH_HEADER_FROM: "10.0.0.5, 127.0.0.0/8",
}).authHeader;

/** Asks as a proxy does, from an address. */
function asking(app: Awaited<ReturnType<typeof acme>>, cookies = new Map<string, string>()) {
  return async (path: string, from: string, headers: Record<string, string>) => {
    const request = new Request(new URL(path, "http://localhost:8000"), {
      headers: {
        ...headers,
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
      },
    });
    const remoteAddr: Deno.NetAddr = { transport: "tcp", hostname: from, port: 1 };
    const response = await app.handle(request, { remoteAddr, completed: Promise.resolve() });
    for (const cookie of response.headers.getSetCookie()) {
      const [name = "", value = ""] = (cookie.split(";")[0] ?? "").split("=", 2);
      cookies.set(name, value);
    }
    await response.body?.cancel();
    return { status: response.status, location: response.headers.get("location") };
  };
}

Deno.test("a proxy signs in by its header, from the listed addresses alone, for as long as it names the same person", async () => {
  await using app = await acme({ authHeader: PROXY, trustProxy: 1 });
  const { kv } = app.services;
  const bob = await person(kv, "bob");
  await kv.set(keyOf.user(bob.id), { ...bob, emailVerifiedAt: new Date() } satisfies User);
  const named = { "remote-email": "Bob@example.com" };

  const stranger = asking(app);
  const forged = { ...named, "x-forwarded-for": "10.0.0.5" };
  assert.equal((await stranger("/sign-in", "10.0.0.6", forged)).status, 200);
  assert.equal((await stranger("/sign-in", "::ffff:192.0.2.1", named)).status, 200);
  const doubled = { "remote-email": "bob@example.com, olga@example.com" };
  assert.equal((await stranger("/sign-in", "10.0.0.5", doubled)).status, 200);

  const ask = asking(app);
  const next = "/sign-in?next=/account";
  assert.deepEqual(await ask(next, "::ffff:10.0.0.5", named), {
    status: 303,
    location: "/account",
  });
  assert.equal((await ask("/account", "10.0.0.5", named)).status, 200);
  assert.equal((await ask("/account", "10.0.0.6", named)).status, 303, "past the proxy");
  assert.equal((await ask("/account", "10.0.0.5", {})).status, 303, "signed out there");
  const other = { "remote-email": "olga@example.com" };
  assert.equal((await ask("/account", "10.0.0.5", other)).status, 303, "somebody else there");
});

Deno.test("a proxy reaches who runs the instance only after they have connected it, and makes accounts only where it may", async () => {
  await using app = await acme({ authHeader: PROXY });
  const { kv } = app.services;
  const olga = await findUserByEmail(kv, "olga@example.com");
  assert.ok(olga);
  const named = { "remote-email": "olga@example.com" };
  const connect = "/sign-in/with/header/connect";
  const ask = asking(app);
  assert.equal((await ask("/sign-in", "127.0.0.1", named)).location, connect);
  assert.equal((await ask(`/sign-in?next=${connect}`, "127.0.0.1", named)).status, 200);
  const profile = { issuer: "header", subject: "olga@example.com", email: null, name: "" };
  await linkIdentity(kv, { providerId: "header", profile }, olga);
  assert.equal((await ask("/sign-in", "127.0.0.1", named)).location, "/projects");

  const nobody = { "remote-email": "new@example.com" };
  assert.equal((await asking(app)("/sign-in", "127.0.0.1", nobody)).location, connect);
  assert.equal(await findUserByEmail(kv, "new@example.com"), null);
  assert.ok(PROXY);
  await using open = await acme({ authHeader: { ...PROXY, mayCreate: true } });
  assert.equal((await asking(open)("/sign-in", "127.0.0.1", nobody)).location, "/projects");
  assert.ok(await findUserByEmail(open.services.kv, "new@example.com"));
});

Deno.test("an organization that requires a provider shows nothing to who came in another way, and leads them there", async () => {
  await using idp = await identityProvider();
  await using app = await acme(LOCAL_PROVIDERS);
  const { organization, services: { kv } } = app;
  await setUp(app.services, idp);
  const { user, visitor } = await app.member("member");
  const settings = `/organizations/${organization.slug}/settings/security`;
  const byPassword = await app.owner.post(settings, { action: "provider", provider: "test" });
  assert.equal(byPassword.status, 422);
  assert.match(textOf(byPassword.html), /Sign in by a provider yourself first/);
  await setProviderOf(kv, organization.id, "test", { provider: "test" });

  const away = await visitor.get(settings);
  assert.equal(away.location, `/sign-in/with/test?next=${encodeURIComponent(settings)}`);
  assert.equal((await app.owner.get(settings)).status, 200, "who runs the instance");
  const profile = { issuer: idp.issuer, subject: "alice", email: null, name: "" };
  await linkIdentity(kv, { providerId: "test", profile }, user);
  assert.equal((await signInBy(visitor, idp, { next: settings })).location, settings);
  assert.equal((await visitor.get(settings)).status, 200);

  await deleteProvider(kv, "test");
  const later = app.visitor();
  await later.signIn(user.email);
  assert.equal((await later.get(settings)).status, 200, "a provider that is gone");
});
