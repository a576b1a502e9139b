import assert from "node:assert/strict";
import { Secret, TOTP } from "otpauth";
import { keyOf } from "@/lib/accounts/kv.ts";
import { listSessions, type Session } from "@/lib/accounts/sessions.ts";
import { findUserByEmail } from "@/lib/accounts/users.ts";
import { PASSWORD } from "../../support/people.ts";
import { type Acme, acme, textOf, type Visitor } from "../../support/ui_app.ts";

const SECURITY = "/account/security";

/** Sets an authenticator up through the pages. @returns its secret and the recovery codes */
async function setUp(visitor: Visitor): Promise<{ secret: string; codes: string[] }> {
  const { html } = await visitor.get(`${SECURITY}/authenticator`);
  const secret = /id="totp-secret"[^>]*>([A-Z2-7]{32})</.exec(html)?.[1] ?? "";
  assert.ok(html.includes('aria-label="QR code for your authenticator app"'));
  const shown = await visitor.post(`${SECURITY}/authenticator`, { code: codeOf(secret) });
  assert.equal(shown.status, 200);
  assert.equal(shown.headers.get("cache-control"), "no-store");
  const codes = shown.html.match(/(?:[0-9A-HJKMNP-TV-Z]{4}-){5}[0-9A-HJKMNP-TV-Z]{4}/g) ?? [];
  return { secret, codes: [...new Set(codes)] };
}

/** A code that was not used yet: that of the next half minute. */
function codeOf(secret: string, later = 0): string {
  const timestamp = Date.now() + later * 30_000;
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp });
}

/** Makes it ten minutes since the people of these sessions proved who they are. */
async function age({ services: { kv } }: Acme, email: string): Promise<void> {
  const user = await findUserByEmail(kv, email);
  for (const session of await listSessions(kv, user?.id ?? "")) {
    const aged: Session = { ...session, authenticatedAt: new Date(Date.now() - 601_000) };
    await kv.set(keyOf.session(session.id), aged);
  }
}

Deno.test("with an authenticator the password leads to the second step, and a code from there in", async () => {
  await using app = await acme();
  const { secret, codes } = await setUp(app.owner);
  assert.equal(codes.length, 10);

  const visitor = app.visitor();
  const first = await visitor.post("/sign-in", {
    email: "olga@example.com",
    password: PASSWORD,
    next: "/account/sessions",
  });
  assert.equal(first.location, "/sign-in/second-factor");
  assert.equal((await visitor.get("/projects")).status, 303, "not signed in yet");
  const page = await visitor.get("/sign-in/second-factor");
  assert.match(page.html, /autocomplete="one-time-code"/);
  const wrong = await visitor.post("/sign-in/second-factor", { code: "000000" });
  assert.equal(wrong.status, 422);
  assert.match(wrong.html, /id="field-code-error"/);
  const done = await visitor.post("/sign-in/second-factor", { code: codeOf(secret, 1) });
  assert.equal(done.location, "/account/sessions");
  assert.match(textOf((await visitor.get("/account/sessions")).html), /with a second factor/);

  const other = app.visitor();
  await other.signIn("olga@example.com");
  const recovered = await other.post("/sign-in/second-factor", { code: codes[0] ?? "" });
  assert.equal(recovered.location, "/projects");
  assert.match(textOf((await other.get(SECURITY)).html), /9 codes left/);
});

Deno.test("five wrong codes lead back to the password; giving up too", async () => {
  await using app = await acme();
  await setUp(app.owner);
  const eve = app.visitor();
  await eve.signIn("olga@example.com");
  for (let i = 0; i < 5; i++) await eve.post("/sign-in/second-factor", { code: "000000" });
  const sixth = await eve.post("/sign-in/second-factor", { code: "000000" });
  assert.equal(sixth.location, "/sign-in");
  await eve.signIn("olga@example.com");
  assert.equal(
    (await eve.post("/sign-in/second-factor", { action: "cancel" })).location,
    "/sign-in",
  );
  assert.equal((await eve.get("/sign-in/second-factor")).location, "/sign-in");
});

Deno.test("what protects the account asks again after ten minutes, and goes on under a new token", async () => {
  await using app = await acme();
  await age(app, "olga@example.com");
  const { owner } = app;
  const asked = await owner.get(`${SECURITY}/authenticator`);
  assert.equal(
    asked.location,
    `/account/confirm?next=${encodeURIComponent(`${SECURITY}/authenticator`)}`,
  );
  for (
    const [path, action] of [[SECURITY, "remove-authenticator"], ["/account", "email"], [
      `${SECURITY}/recovery-codes`,
      "",
    ]] as const
  ) {
    const answer = await owner.post(path, { action });
    assert.match(answer.location ?? "", /^\/account\/confirm\?next=/, path);
  }
  const next = `${SECURITY}/authenticator`;
  const wrong = await owner.post("/account/confirm", { action: "password", password: "no", next });
  assert.equal(wrong.status, 422);
  const before = owner.cookies.get("watchpost");
  const right = await owner.post("/account/confirm", {
    action: "password",
    password: PASSWORD,
    next,
  });
  assert.equal(right.location, next);
  assert.notEqual(owner.cookies.get("watchpost"), before);
  assert.equal((await owner.get(next)).status, 200);
  const thief = app.visitor();
  thief.cookies.set("watchpost", before ?? "");
  assert.equal((await thief.get("/projects")).status, 303);
});

Deno.test("an organization that requires a second factor shows nothing else to who has none", async () => {
  await using app = await acme();
  const { visitor } = await app.member("member");
  const path = `/organizations/${app.organization.slug}/settings`;
  assert.equal((await visitor.get(path)).status, 200);

  assert.equal((await visitor.post(`${path}/security`, { action: "on", grace: "7" })).status, 403);
  await app.owner.post(`${path}/security`, { action: "on", grace: "7" });
  assert.equal((await visitor.get(path)).status, 200);
  assert.match(
    textOf((await visitor.get("/projects")).html),
    /From .+ on Acme requires a second factor\./,
  );

  await app.owner.post(`${path}/security`, { action: "off" });
  await app.owner.post(`${path}/security`, { action: "on", grace: "0" });
  const refused = await visitor.get(path);
  assert.equal(refused.location, `${SECURITY}?next=${encodeURIComponent(path)}`);
  assert.match(textOf((await visitor.get(SECURITY)).html), /Acme requires a second factor/);
  await setUp(visitor);
  assert.equal((await visitor.get(path)).status, 200);
  // Who made the rule obeys it.
  assert.equal((await app.owner.get(path)).status, 303);
});

Deno.test("sessions are listed with device and way, and end one by one or all but this one", async () => {
  await using app = await acme();
  const [one, two] = [app.visitor(), app.visitor()];
  await one.signIn("olga@example.com");
  await two.signIn("olga@example.com");
  const { html } = await app.owner.get("/account/sessions");
  const ids = [...html.matchAll(/name="session" value="([0-9a-f]{64})"/g)].map(([, id]) =>
    id ?? ""
  );
  assert.equal(ids.length, 3);
  assert.match(textOf(html), /this one/);
  assert.match(textOf(html), /by password/);

  const { visitor: stranger } = await app.member("member");
  for (const session of ids) await stranger.post("/account/sessions", { action: "end", session });
  assert.equal((await one.get("/projects")).status, 200);

  await app.owner.post("/account/sessions", { action: "others" });
  assert.equal((await one.get("/projects")).status, 303);
  assert.equal((await two.get("/projects")).status, 303);
  assert.equal((await app.owner.get("/projects")).status, 200);
});
