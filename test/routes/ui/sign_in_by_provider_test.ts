import assert from "node:assert/strict";
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from "jose";
import { keyOf } from "../../../lib/accounts/kv.ts";
import { createInvite } from "../../../lib/accounts/invites.ts";
import { addMember, roleOf } from "../../../lib/accounts/members.ts";
import { findIdentity, listIdentities } from "../../../lib/accounts/providers/identities.ts";
import { updateProvider } from "../../../lib/accounts/providers/provider.ts";
import { findUser, findUserByEmail, type User } from "../../../lib/accounts/users.ts";
import {
  type Alteration,
  type IdentityProvider,
  identityProvider,
} from "../../support/identity_provider.ts";
import { PASSWORD, person } from "../../support/people.ts";
import { LOCAL_PROVIDERS, setUp, signInBy, STRICT } from "../../support/provider_settings.ts";
import { acme, textOf } from "../../support/ui_app.ts";
import { timeBudget } from "../../support/time_budget.ts";

Deno.test("an account that a provider made is signed in by issuer and subject, whatever its address becomes", async () => {
  await using idp = await identityProvider();
  await using app = await acme(LOCAL_PROVIDERS);
  const { kv } = app.services;
  await setUp(app.services, idp, { mayCreate: true });

  const first = await signInBy(app.visitor(), idp, { next: "/account" });
  assert.equal(first.location, "/account");
  const alice = await findUserByEmail(kv, "alice@example.com");
  assert.equal(alice?.name, "Alice");
  assert.equal((await kv.get(keyOf.credential(alice.id))).value, null);

  idp.person = { ...idp.person, email: "alice@elsewhere.example" };
  const visitor = app.visitor();
  assert.equal((await signInBy(visitor, idp)).location, "/projects");
  assert.equal((await visitor.get("/account")).status, 200);
  const found = await findIdentity(kv, { issuer: idp.issuer, subject: "alice" });
  assert.equal(found?.user.id, alice.id);
  assert.equal(await findUserByEmail(kv, "alice@elsewhere.example"), null);
});

Deno.test("a provider's button leads there and back to the page one came for", async () => {
  await using idp = await identityProvider();
  await using app = await acme(LOCAL_PROVIDERS);
  await setUp(app.services, idp, { mayCreate: true });
  const visitor = app.visitor();

  const { html } = await visitor.get("/sign-in?next=/projects/new");
  assert.match(html, /href="\/sign-in\/with\/test\?next=%2Fprojects%2Fnew"/);
  const away = await visitor.get("/sign-in/with/test?next=//evil.example/");
  const url = new URL(away.location ?? "");
  assert.equal(
    url.searchParams.get("redirect_uri"),
    "http://localhost:8000/sign-in/with/test/callback",
  );
  assert.equal(url.searchParams.get("code_challenge_method"), "S256");
  assert.ok((url.searchParams.get("nonce") ?? "").length >= 40);
  const back = await idp.visit(url.href);
  assert.equal((await visitor.get(back.pathname + back.search)).location, "/projects");
});

/** Every way in which an answer may be wrong, and what the administrator reads of it. */
const FORGERIES: readonly {
  readonly what: string;
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly token?: (idp: IdentityProvider, claims: Record<string, unknown>) => Promise<string>;
}[] = [
  { what: "of another issuer", claims: { iss: "https://elsewhere.example" } },
  { what: "for another client", claims: { aud: "somebody-else" } },
  { what: "for several clients, issued to another", claims: { aud: ["watchpost", "b"], azp: "b" } },
  { what: "with another nonce", claims: { nonce: "another" } },
  { what: "without a nonce", claims: { nonce: undefined } },
  { what: "that has ended", claims: { exp: seconds(-120) } },
  { what: "that has ended by more than the clocks may differ", claims: { exp: seconds(-31) } },
  { what: "of the future", claims: { iat: seconds(120) } },
  { what: "without a subject", claims: { sub: undefined } },
  {
    what: "that another key has signed",
    token: async (_idp, claims) =>
      await signedBy((await generateKeyPair("RS256")).privateKey, claims),
  },
  {
    what: "without a signature",
    token: (_idp, claims) => Promise.resolve(new UnsecuredJWT(claims).encode()),
  },
  {
    what: "signed with the client's secret",
    token: (idp, claims) =>
      new SignJWT(claims).setProtectedHeader({ alg: "HS256" })
        .sign(new TextEncoder().encode(idp.clientSecret)),
  },
  {
    what: "whose claims were changed after it was signed",
    token: async (idp, claims) => {
      const [head, body, signature] = (await signedBy(idp.key, claims)).split(".");
      const changed = JSON.parse(
        new TextDecoder().decode(Uint8Array.fromBase64(body ?? "", URL_SAFE)),
      );
      const bytes = new TextEncoder().encode(JSON.stringify({ ...changed, sub: "bob" }));
      return `${head}.${bytes.toBase64({ ...URL_SAFE, omitPadding: true })}.${signature}`;
    },
  },
];
const URL_SAFE = { alphabet: "base64url" } as const;

for (const { what, claims = {}, token } of FORGERIES) {
  Deno.test(`an ID token ${what} signs nobody in`, async () => {
    await using idp = await identityProvider();
    await using app = await acme(LOCAL_PROVIDERS);
    await setUp(app.services, idp, { mayCreate: true });
    idp.alter = forging(async (real) => {
      const forged = { ...real, ...claims };
      return await (token ?? ((of, all) => signedBy(of.key, all)))(idp, forged);
    });
    const visitor = app.visitor();
    const answer = await signInBy(visitor, idp);
    assert.equal(answer.status, 502, textOf(answer.html));
    assert.equal((await visitor.get("/account")).status, 303);
    assert.equal(await findUserByEmail(app.services.kv, "alice@example.com"), null);
  });
}

Deno.test("an ID token that ended by less than the clocks may differ signs in", async () => {
  await using idp = await identityProvider();
  await using app = await acme(LOCAL_PROVIDERS);
  await setUp(app.services, idp, { mayCreate: true, clockSkewSec: 120 });
  idp.alter = forging((real) => signedBy(idp.key, { ...real, exp: seconds(-90) }));
  assert.equal((await signInBy(app.visitor(), idp)).location, "/projects");
});

Deno.test("a provider that changes its keys is followed at once", async () => {
  await using idp = await identityProvider();
  await using app = await acme(LOCAL_PROVIDERS);
  await setUp(app.services, idp, { mayCreate: true });
  assert.equal((await signInBy(app.visitor(), idp)).location, "/projects");

  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const { d: _, p: __, q: ___, dp: ____, dq: _____, qi: ______, ...jwk } = await exportJWK(
    privateKey,
  );
  const forge = forging((real) => signedBy(privateKey, real, "two"));
  const keys = JSON.stringify({ keys: [{ ...jwk, kid: "two", alg: "RS256", use: "sig" }] });
  idp.alter = (path, answer) => path === "/jwks" ? { ...answer, body: keys } : forge(path, answer);
  // The keys that are kept are some seconds old: the first try may fail, and has them fetched again.
  await signInBy(app.visitor(), idp);
  assert.equal((await signInBy(app.visitor(), idp)).location, "/projects");
});

Deno.test("an answer holds once, in the browser that asked, with the state that was asked for", async () => {
  await using idp = await identityProvider({ ids: ["test", "other"] });
  await using app = await acme(LOCAL_PROVIDERS);
  await setUp(app.services, idp, { mayCreate: true });
  await setUp(app.services, idp, { mayCreate: true }, "other");
  const visitor = app.visitor();
  const away = await visitor.get("/sign-in/with/test");
  const back = await idp.visit(away.location ?? "");
  const path = back.pathname + back.search;

  assert.equal((await app.visitor().get(path)).status, 400, "another browser");
  const swapped = new URL(back);
  swapped.searchParams.set("state", "another");
  assert.equal((await visitor.get(swapped.pathname + swapped.search)).status, 400, "another state");
  const crossed = path.replace("/with/test/", "/with/other/");
  assert.equal((await visitor.get(crossed)).status, 400, "another provider");

  const kept = new Map(visitor.cookies);
  assert.equal((await visitor.get(path)).location, "/projects");
  const thief = app.visitor();
  for (const [name, value] of kept) thief.cookies.set(name, value);
  assert.equal((await thief.get(path)).status, 400, "once more, with the same cookies");
});

Deno.test("an answer that names another issuer than the provider's is refused", async () => {
  await using idp = await identityProvider();
  await using app = await acme(LOCAL_PROVIDERS);
  await setUp(app.services, idp, { mayCreate: true });
  const visitor = app.visitor();
  const away = await visitor.get("/sign-in/with/test");
  const back = await idp.visit(away.location ?? "");
  assert.equal(back.searchParams.get("iss"), idp.issuer);
  back.searchParams.set("iss", "https://elsewhere.example");
  assert.equal((await visitor.get(back.pathname + back.search)).status, 502);
});

Deno.test("who says no at the provider is told so, and nothing is wrong", async () => {
  await using idp = await identityProvider();
  await using app = await acme(LOCAL_PROVIDERS);
  await setUp(app.services, idp);
  const visitor = app.visitor();
  const state = new URL((await visitor.get("/sign-in/with/test")).location ?? "").searchParams.get(
    "state",
  );
  const query = new URLSearchParams({
    error: "access_denied",
    state: state ?? "",
    iss: idp.issuer,
  });
  const answer = await visitor.get(`/sign-in/with/test/callback?${query}`);
  assert.equal(answer.status, 403);
  assert.match(textOf(answer.html), /You did not sign in at Test ID\./);
});

Deno.test("a provider that is away, answers garbage or redirects gets a sentence, and the next try asks anew", async () => {
  await using idp = await identityProvider();
  await using app = await acme(LOCAL_PROVIDERS);
  await setUp(app.services, idp, { mayCreate: true });
  const discovery: readonly { status: number; body: string }[] = [
    { status: 500, body: "" },
    { status: 200, body: "<html>" },
    { status: 200, body: "[]" },
    { status: 200, body: "{}" },
    { status: 200, body: JSON.stringify({ issuer: "https://elsewhere.example" }) },
    { status: 200, body: "x".repeat(600_000) },
  ];
  for (const broken of discovery) {
    idp.alter = (path, answer) => path.startsWith("/.well-known") ? broken : answer;
    const answer = await app.visitor().get("/sign-in/with/test");
    assert.equal(answer.status, 502, broken.body.slice(0, 50));
    assert.match(textOf(answer.html), /Test ID cannot be reached now/);
  }
  for (const body of ["", "null", "{}", '{"access_token":1}', '{"error":"server_error"}']) {
    idp.alter = (path, answer) => path === "/token" ? { ...answer, body } : answer;
    assert.equal((await signInBy(app.visitor(), idp)).status, 502, body);
  }
  idp.alter = (_path, answer) => answer;
  assert.equal((await signInBy(app.visitor(), idp)).location, "/projects");
});

Deno.test("ten megabytes of groups are refused in time, without taking the memory", async () => {
  await using idp = await identityProvider();
  await using app = await acme(LOCAL_PROVIDERS);
  await setUp(app.services, idp, { mayCreate: true });
  const groups = Array.from({ length: 400_000 }, (_, n) => `group number ${n} of many`);
  idp.alter = forging((real) => signedBy(idp.key, { ...real, groups }));
  const started = performance.now();
  assert.equal((await signInBy(app.visitor(), idp)).status, 502);
  assert.ok(performance.now() - started < timeBudget(8_000));
});

Deno.test("an address that has an account opens it for nobody: its owner signs in and connects it", async () => {
  await using idp = await identityProvider();
  await using app = await acme(LOCAL_PROVIDERS);
  const { kv } = app.services;
  await setUp(app.services, idp, { mayCreate: true });
  const alice = await person(kv, "alice");
  const visitor = app.visitor();

  const back = await signInBy(visitor, idp, { next: "/account" });
  assert.equal(back.location, "/sign-in/with/test/connect");
  const asked = await visitor.get("/sign-in/with/test/connect");
  assert.match(textOf(asked.html), /which no account is connected to/);
  assert.equal(
    (await visitor.post("/sign-in/with/test/connect")).location?.startsWith("/sign-in"),
    true,
  );

  await visitor.signIn("alice@example.com");
  assert.match(
    textOf((await visitor.get("/sign-in/with/test/connect")).html),
    /will be in your account alice@example\.com/,
  );
  assert.equal((await visitor.post("/sign-in/with/test/connect")).location, "/account");
  const [identity] = await listIdentities(kv, alice.id);
  assert.equal(identity?.subject, "alice");
  const later = app.visitor();
  assert.equal((await signInBy(later, idp)).location, "/projects");
  assert.match(textOf((await later.get("/account")).html), /alice@example\.com/);
});

/** By whom an account may be taken over by its address, and whether it may. */
const TRUST: readonly {
  readonly what: string;
  readonly isTrusted?: boolean;
  readonly isVerifiedThere?: unknown;
  readonly isVerifiedHere?: boolean;
  readonly isAdmin?: boolean;
  readonly isLet: boolean;
}[] = [
  { what: "all is verified and trusted", isLet: true },
  { what: "the provider is not trusted", isTrusted: false, isLet: false },
  {
    what: "the provider does not say that it is verified",
    isVerifiedThere: undefined,
    isLet: false,
  },
  { what: "the provider says that it is not", isVerifiedThere: false, isLet: false },
  { what: "the provider says so as a text", isVerifiedThere: "true", isLet: false },
  { what: "nobody has verified it here", isVerifiedHere: false, isLet: false },
  { what: "it is an administrator's of the instance", isAdmin: true, isLet: false },
];

for (const { what, isLet, ...given } of TRUST) {
  const { isTrusted = true, isVerifiedHere = true, isAdmin = false } = given;
  Deno.test(`an account ${isLet ? "is" : "is not"} found by its address where ${what}`, async () => {
    await using idp = await identityProvider();
    await using app = await acme(LOCAL_PROVIDERS);
    const { kv } = app.services;
    await setUp(app.services, idp, { isTrusted });
    const alice = await person(kv, "alice");
    await kv.set(
      keyOf.user(alice.id),
      {
        ...alice,
        isInstanceAdmin: isAdmin,
        ...isVerifiedHere ? { emailVerifiedAt: new Date() } : {},
      } satisfies User,
    );
    const earlier = app.visitor();
    await earlier.signIn("alice@example.com");
    const verified = "isVerifiedThere" in given ? given.isVerifiedThere : true;
    idp.person = { ...idp.person, email_verified: verified };

    const { location } = await signInBy(app.visitor(), idp);
    assert.equal(location, isLet ? "/projects" : "/sign-in/with/test/connect");
    assert.equal((await listIdentities(kv, alice.id)).length, isLet ? 1 : 0);
    // Whoever made the account before may have been somebody else: they are out.
    assert.equal((await earlier.get("/account")).status, isLet ? 303 : 200);
    const again = await app.visitor().signIn("alice@example.com", PASSWORD);
    assert.equal(again.status, isLet ? 422 : 303);
  });
}

Deno.test("accounts are made for verified addresses of the allowed domains, and for members of the required group", async () => {
  await using idp = await identityProvider();
  await using app = await acme(LOCAL_PROVIDERS);
  const { kv, config } = app.services;
  await setUp(app.services, idp, {
    mayCreate: true,
    domains: ["example.com"],
    requiredGroup: "staff",
  });
  const tries: readonly [Record<string, unknown>, boolean][] = [
    [{ email: "a@evil-example.com", groups: ["staff"] }, false],
    [{ email: "a@example.com.evil.example", groups: ["staff"] }, false],
    [{ email: "a@example.com", groups: ["staff"], email_verified: false }, false],
    [{ email: "a@example.com", groups: ["Staff"] }, false],
    [{ email: "a@example.com", groups: "staff of others" }, false],
    [{ email: undefined, groups: ["staff"] }, false],
    [{ email: "A@Example.com", groups: ["staff"] }, true],
  ];
  for (const [claims, isLet] of tries) {
    idp.person = { sub: crypto.randomUUID(), email_verified: true, ...claims };
    idp.cookies.clear();
    const { location } = await signInBy(app.visitor(), idp);
    assert.equal(
      location,
      isLet ? "/projects" : "/sign-in/with/test/connect",
      JSON.stringify(claims),
    );
  }
  assert.equal((await findUserByEmail(kv, "a@example.com"))?.email, "a@example.com");
  await updateProvider({ kv, config }, "test", {
    ...STRICT,
    issuer: idp.issuer,
    clientId: "watchpost",
    mayCreate: false,
  }, null);
  idp.person = { sub: "late", email: "late@example.com", email_verified: true, groups: ["staff"] };
  idp.cookies.clear();
  assert.equal((await signInBy(app.visitor(), idp)).location, "/sign-in/with/test/connect");
});

Deno.test("who comes by a provider with an open invitation gets an account, and is asked whether to join", async () => {
  await using idp = await identityProvider();
  await using app = await acme(LOCAL_PROVIDERS);
  const { kv } = app.services;
  await setUp(app.services, idp);
  const olga = await findUserByEmail(kv, "olga@example.com");
  const by = { role: "owner", userId: olga?.id ?? "" } as const;
  const invite = (email: string) =>
    createInvite(kv, by, app.organization.id, { email, role: "member", onlyThisAddress: true });
  const visitor = app.visitor();
  await visitor.get(`/join?invite=${(await invite("bob@example.com")).token}`);
  const refused = await signInBy(visitor, idp, { next: "/join" });
  assert.equal(refused.location, "/sign-in/with/test/connect", "invited was somebody else");

  await visitor.get(`/join?invite=${(await invite("alice@example.com")).token}`);
  assert.match((await visitor.get("/join")).html, /\/sign-in\/with\/test\?next=%2Fjoin/);
  const elsewhere = await signInBy(visitor, idp, { next: "/projects" });
  assert.equal(elsewhere.location, "/sign-in/with/test/connect", "the invitation was left");
  assert.equal((await signInBy(visitor, idp, { next: "/join" })).location, "/join");
  const alice = await findUserByEmail(kv, "alice@example.com");
  assert.equal(await roleOf(kv, app.organization.id, alice?.id ?? ""), null);
  assert.match(textOf((await visitor.get("/join")).html), /Join Acme/);
});

Deno.test("groups make, change and end memberships at each sign-in, and leave those made by hand", async () => {
  await using idp = await identityProvider();
  await using app = await acme(LOCAL_PROVIDERS);
  const { kv } = app.services;
  const organizationId = app.organization.id;
  const rule = (group: string, role: "viewer" | "member" | "admin" | "owner") => ({
    group,
    organizationId,
    role,
    teamIds: [],
  });
  await setUp(app.services, idp, {
    mayCreate: true,
    rules: [rule("*", "viewer"), rule("/devs", "member"), rule("/leads", "admin")],
  });
  const roleWith = async (groups: unknown) => {
    idp.person = { ...idp.person, groups };
    await signInBy(app.visitor(), idp);
    const user = await findUserByEmail(kv, "alice@example.com");
    return await roleOf(kv, organizationId, user?.id ?? "");
  };
  assert.equal(await roleWith(["/devs", "/leads", "others"]), "admin");
  assert.equal(await roleWith(["/devs"]), "member");
  assert.equal(await roleWith(["devs"]), "viewer");
  assert.equal(await roleWith({ "/devs": true }), "viewer");
  assert.equal(await roleWith("/leads"), "admin");

  const byHand = await person(kv, "hand");
  const olga = await findUserByEmail(kv, "olga@example.com");
  await addMember(
    kv,
    { role: "owner", userId: olga?.id ?? "" },
    organizationId,
    byHand.id,
    "viewer",
  );
  const visitor = app.visitor();
  idp.cookies.clear();
  idp.person = { sub: "hand", email: "hand@example.com", groups: ["/leads"] };
  await signInBy(visitor, idp);
  await visitor.signIn("hand@example.com");
  await visitor.post("/sign-in/with/test/connect");
  await signInBy(app.visitor(), idp);
  assert.equal(await roleOf(kv, organizationId, byHand.id), "viewer");
});

Deno.test("the last owner stays one, whatever the groups say", async () => {
  await using idp = await identityProvider();
  await using app = await acme(LOCAL_PROVIDERS);
  const { kv } = app.services;
  const organizationId = app.organization.id;
  await setUp(app.services, idp, {
    mayCreate: true,
    rules: [{ group: "owners", organizationId, role: "owner", teamIds: [] }],
  });
  idp.person = { ...idp.person, groups: ["owners"] };
  await signInBy(app.visitor(), idp);
  const alice = await findUserByEmail(kv, "alice@example.com");
  assert.equal(await roleOf(kv, organizationId, alice?.id ?? ""), "owner");
  const olga = await findUserByEmail(kv, "olga@example.com");
  await kv.delete(keyOf.member(organizationId, olga?.id ?? ""));

  idp.person = { ...idp.person, groups: [] };
  await signInBy(app.visitor(), idp);
  assert.equal(await roleOf(kv, organizationId, alice?.id ?? ""), "owner");
});

Deno.test("where a group is required, who is in none is refused, also with an account, and is not told the groups", async () => {
  await using idp = await identityProvider();
  await using app = await acme(LOCAL_PROVIDERS);
  const organizationId = app.organization.id;
  await setUp(app.services, idp, {
    mayCreate: true,
    needsGroup: true,
    rules: [
      { group: "*", organizationId, role: "viewer", teamIds: [] },
      { group: "secret-project", organizationId, role: "member", teamIds: [] },
    ],
  });
  idp.person = { ...idp.person, groups: ["secret-project"] };
  assert.equal((await signInBy(app.visitor(), idp)).location, "/projects");
  idp.person = { ...idp.person, groups: ["canteen"] };
  const refused = await signInBy(app.visitor(), idp);
  assert.equal(refused.status, 403);
  assert.doesNotMatch(refused.html, /secret-project|canteen/);
});

Deno.test("who was made a member by groups is signed in for twelve hours at most", async () => {
  await using idp = await identityProvider();
  await using app = await acme(LOCAL_PROVIDERS);
  const { kv } = app.services;
  await setUp(app.services, idp, {
    mayCreate: true,
    rules: [{ group: "*", organizationId: app.organization.id, role: "member", teamIds: [] }],
  });
  await signInBy(app.visitor(), idp);
  const alice = await findUserByEmail(kv, "alice@example.com");
  const sessions = await Array.fromAsync(
    kv.list<string>({ prefix: ["session_of", alice?.id ?? ""] }),
  );
  const session = await kv.get<{ endsAt?: Date }>(keyOf.session(sessions[0]?.value ?? ""));
  const hours = ((session.value?.endsAt?.getTime() ?? Infinity) - Date.now()) / 3_600_000;
  assert.ok(hours > 11.9 && hours <= 12, String(hours));
});

Deno.test("an identity belongs to one account: another cannot connect it", async () => {
  await using idp = await identityProvider();
  await using app = await acme(LOCAL_PROVIDERS);
  const { kv } = app.services;
  await setUp(app.services, idp, { mayCreate: true });
  await signInBy(app.visitor(), idp);
  const bob = await person(kv, "bob");
  const visitor = app.visitor();
  await visitor.signIn("bob@example.com");
  const away = await visitor.post("/sign-in/with/test", { action: "connect" });
  const url = /url=(\S+)/.exec(away.headers.get("refresh") ?? "")?.[1] ?? "";
  const back = await idp.visit(url);
  const answer = await visitor.get(back.pathname + back.search);
  assert.equal(answer.status, 403);
  assert.match(textOf(answer.html), /connected to another account/);
  assert.deepEqual(await listIdentities(kv, bob.id), []);
});

Deno.test("a browser keeps its five latest ways to a provider, those of pages that lead there as well", async () => {
  await using idp = await identityProvider();
  await using app = await acme(LOCAL_PROVIDERS);
  await setUp(app.services, idp);
  await person(app.services.kv, "bob");
  const visitor = app.visitor();
  await visitor.signIn("bob@example.com");
  const attempts = () => [...visitor.cookies.keys()].filter((name) => /watchpost_with_/.test(name));

  const first = await visitor.post("/sign-in/with/test", { action: "connect" });
  assert.ok(first.headers.has("refresh"));
  const [oldest = ""] = attempts();
  for (let more = 0; more < 5; more++) {
    await visitor.post("/sign-in/with/test", { action: "connect" });
  }

  assert.equal(attempts().length, 5);
  assert.ok(!attempts().includes(oldest));
});

Deno.test("an identity of an account that is gone is nobody's", async () => {
  await using idp = await identityProvider();
  await using app = await acme(LOCAL_PROVIDERS);
  const { kv } = app.services;
  await setUp(app.services, idp, { mayCreate: true });
  await signInBy(app.visitor(), idp);
  const first = await findUserByEmail(kv, "alice@example.com");
  await kv.delete(keyOf.user(first?.id ?? ""));
  await kv.delete(keyOf.userByEmail("alice@example.com"));
  assert.equal((await signInBy(app.visitor(), idp)).location, "/projects");
  const second = await findUserByEmail(kv, "alice@example.com");
  assert.notEqual(second?.id, first?.id);
  assert.equal(await findUser(kv, first?.id ?? ""), null);
});

function seconds(offset: number): number {
  return Math.floor(Date.now() / 1000) + offset;
}

function signedBy(key: CryptoKey, claims: Record<string, unknown>, kid = "one"): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid }).sign(key);
}

/** Puts another ID token into the answer of the token endpoint, made from the claims of the real one. */
function forging(forge: (claims: Record<string, unknown>) => Promise<string>): Alteration {
  return async (path, answer) => {
    if (path !== "/token") return answer;
    const tokens = JSON.parse(answer.body);
    const body = new TextDecoder().decode(
      Uint8Array.fromBase64(tokens.id_token.split(".")[1], URL_SAFE),
    );
    return {
      ...answer,
      body: JSON.stringify({ ...tokens, id_token: await forge(JSON.parse(body)) }),
    };
  };
}
