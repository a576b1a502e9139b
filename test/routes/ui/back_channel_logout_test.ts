import assert from "node:assert/strict";
import { generateKeyPair, SignJWT } from "jose";
import { type IdentityProvider, identityProvider } from "../../support/identity_provider.ts";
import { LOCAL_PROVIDERS, setUp, signInBy } from "../../support/provider_settings.ts";
import { type Acme, acme, type Visitor } from "../../support/ui_app.ts";

const EVENTS = { "http://schemas.openid.net/event/backchannel-logout": {} };
const PATH = "/sign-in/with/test/back-channel-logout";

Deno.test("who signs out at the provider is signed out here, in the browsers of that session alone", async () => {
  let tell: (request: Request) => Promise<Response> = () => Promise.reject(new Error("no app yet"));
  await using idp = await identityProvider({ fetch: (request) => tell(request) });
  await using app = await acme(LOCAL_PROVIDERS);
  const told: number[] = [];
  tell = async (request) => {
    const response = await app.handle(request);
    told.push(response.status);
    return response;
  };
  await setUp(app.services, idp, { mayCreate: true });
  const elsewhere = await signedIn(app, idp);
  const cookiesThere = new Map(idp.cookies);
  idp.cookies.clear();
  const here = await signedIn(app, idp);
  assert.notDeepEqual([...cookiesThere], [...idp.cookies]);

  await signOutThere(idp);
  assert.deepEqual(told, [200]);
  assert.equal(await isSignedIn(here), false);
  assert.equal(await isSignedIn(elsewhere), true);
});

Deno.test("a logout token with a subject alone ends all sessions that began by this provider, and no other", async () => {
  await using idp = await identityProvider();
  await using app = await acme(LOCAL_PROVIDERS);
  await setUp(app.services, idp, { mayCreate: true });
  const [one, two] = [await signedIn(app, idp), await signedIn(app, idp)];
  const token = await logoutToken(idp, { sub: "alice" });

  assert.equal((await tellLogout(app, token)).status, 200);
  assert.equal(await isSignedIn(one), false);
  assert.equal(await isSignedIn(two), false);
  assert.equal(await isSignedIn(app.owner), true);

  const later = await signedIn(app, idp);
  assert.equal((await tellLogout(app, token)).status, 400, "the same token again");
  assert.equal(await isSignedIn(later), true);
});

Deno.test("a logout token that is wrong in any way ends nothing", async () => {
  await using idp = await identityProvider();
  await using app = await acme(LOCAL_PROVIDERS);
  await setUp(app.services, idp, { mayCreate: true });
  const visitor = await signedIn(app, idp);
  const other = (await generateKeyPair("RS256")).privateKey;
  const wrong: readonly [string, Promise<string>][] = [
    ["another issuer", logoutToken(idp, { sub: "alice", iss: "https://elsewhere.example" })],
    ["another client", logoutToken(idp, { sub: "alice", aud: "somebody-else" })],
    ["an ID token", logoutToken(idp, { sub: "alice", events: undefined })],
    ["another event", logoutToken(idp, { sub: "alice", events: { "urn:other": {} } })],
    [
      "an event that is no object",
      logoutToken(idp, { sub: "alice", events: { [Object.keys(EVENTS)[0] ?? ""]: 1 } }),
    ],
    ["a nonce", logoutToken(idp, { sub: "alice", nonce: "n" })],
    ["nobody", logoutToken(idp, {})],
    ["no jti", logoutToken(idp, { sub: "alice", jti: undefined })],
    ["ended", logoutToken(idp, { sub: "alice", exp: now() - 120 })],
    ["old", logoutToken(idp, { sub: "alice", iat: now() - 3_600, exp: now() + 60 })],
    ["another key", logoutToken(idp, { sub: "alice" }, other)],
    ["another type", logoutToken(idp, { sub: "alice" }, idp.key, "at+jwt")],
    ["garbage", Promise.resolve("a.b.c")],
    ["nothing", Promise.resolve("")],
    ["much", Promise.resolve("x".repeat(20_000))],
  ];
  for (const [what, token] of wrong) {
    const answer = await tellLogout(app, await token);
    assert.equal(answer.status, 400, what);
    assert.equal(answer.headers.get("cache-control"), "no-store");
  }
  assert.equal(await isSignedIn(visitor), true);
  const gone = await app.handle(
    new Request(`http://localhost:8000/sign-in/with/none/back-channel-logout`, {
      method: "POST",
      body: new URLSearchParams({ logout_token: "x" }),
    }),
  );
  assert.equal(gone.status, 404);
});

async function signedIn(app: Acme, idp: IdentityProvider): Promise<Visitor> {
  const visitor = app.visitor();
  await signInBy(visitor, idp);
  assert.equal(await isSignedIn(visitor), true);
  return visitor;
}

async function isSignedIn(visitor: Visitor): Promise<boolean> {
  return (await visitor.get("/account")).status === 200;
}

function now(): number {
  return Math.floor(Date.now() / 1000);
}

function logoutToken(
  idp: IdentityProvider,
  claims: Record<string, unknown>,
  key = idp.key,
  typ = "logout+jwt",
): Promise<string> {
  return new SignJWT({
    iss: idp.issuer,
    aud: idp.clientId,
    iat: now(),
    exp: now() + 120,
    jti: crypto.randomUUID(),
    events: EVENTS,
    ...claims,
  }).setProtectedHeader({ alg: "RS256", kid: "one", typ }).sign(key);
}

/** From a server: without cookies, and without saying where it comes from. */
function tellLogout(app: Acme, token: string): Promise<Response> {
  return app.handle(
    new Request(`http://localhost:8000${PATH}`, {
      method: "POST",
      body: new URLSearchParams({ logout_token: token }),
    }),
  );
}

/** As a person would, by the page of the provider that asks whether to. */
async function signOutThere(idp: IdentityProvider): Promise<void> {
  const cookie = () => [...idp.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const page = await fetch(`${idp.issuer}/session/end`, { headers: { cookie: cookie() } });
  const html = await page.text();
  for (const set of page.headers.getSetCookie()) {
    const [name = "", value = ""] = (set.split(";")[0] ?? "").split("=", 2);
    idp.cookies.set(name, value);
  }
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(html)?.[1] ?? "";
  const done = await fetch(`${idp.issuer}/session/end/confirm`, {
    method: "POST",
    redirect: "manual",
    headers: { cookie: cookie() },
    body: new URLSearchParams({ xsrf, logout: "yes" }),
  });
  await done.body?.cancel();
}
