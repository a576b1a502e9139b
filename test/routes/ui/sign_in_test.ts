import assert from "node:assert/strict";
import { PASSWORD } from "../../support/people.ts";
import { acme, textOf } from "../../support/ui_app.ts";

Deno.test("signing in leads to the page one came for, and never to another host", async () => {
  await using app = await acme();
  const signIn = (next: string) =>
    app.visitor().post("/sign-in", { email: "olga@example.com", password: PASSWORD, next });

  assert.equal((await signIn("/projects/new?x=1")).location, "/projects/new?x=1");
  assert.equal((await signIn("")).location, "/projects");
  assert.equal((await signIn("https://evil.example/")).location, "/projects");
  assert.equal((await signIn("//evil.example/")).location, "/projects");
});

Deno.test("an unknown mail and a wrong password get the same answer", async () => {
  await using app = await acme();
  const answer = async (email: string) => {
    const { status, html } = await app.visitor().signIn(email, "not the password");
    return { status, text: textOf(html) };
  };
  const wrong = await answer("olga@example.com");
  assert.equal(wrong.status, 422);
  assert.match(wrong.text, /The email or the password is wrong\./);
  assert.deepEqual(await answer("nobody@example.com"), wrong);
});

Deno.test("too many wrong passwords are answered with 429 and when to come back", async () => {
  await using app = await acme();
  const eve = app.visitor();
  let answer = await eve.signIn("victim@example.com", "guess");
  for (let attempt = 0; attempt < 20 && answer.status === 422; attempt++) {
    answer = await eve.signIn("victim@example.com", "guess");
  }
  assert.equal(answer.status, 429);
  assert.ok(Number(answer.headers.get("retry-after")) > 0);
  assert.match(textOf(answer.html), /Too many attempts\. Try again in \d+ m/);
});

Deno.test("who has signed out signs in again while a stranger guesses from the same address", async () => {
  await using app = await acme();
  await app.owner.post("/sign-out");
  const eve = app.visitor();
  let answer = await eve.signIn("olga@example.com", "guess");
  for (let attempt = 0; attempt < 20 && answer.status === 422; attempt++) {
    answer = await eve.signIn("olga@example.com", "guess");
  }
  assert.equal(answer.status, 429);
  assert.equal((await app.owner.signIn("olga@example.com")).status, 303);
});

Deno.test("signing out ends the session for everybody who has the cookie", async () => {
  await using app = await acme();
  const thief = app.visitor();
  for (const [name, value] of app.owner.cookies) thief.cookies.set(name, value);
  assert.equal((await thief.get("/projects")).status, 200);

  const out = await app.owner.post("/sign-out");
  assert.equal(out.location, "/sign-in");
  assert.equal(app.owner.cookies.has("watchpost"), false);
  assert.equal((await thief.get("/projects")).status, 303);
});

Deno.test("a form that another site sends is refused", async () => {
  await using app = await acme();
  const cookie = [...app.owner.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const forged = await app.handle(
    new Request("http://localhost:8000/sign-out", {
      method: "POST",
      body: new URLSearchParams(),
      headers: { cookie, "sec-fetch-site": "cross-site" },
    }),
  );
  await forged.body?.cancel();
  assert.equal(forged.status, 403);
  assert.equal((await app.owner.get("/projects")).status, 200);
});

Deno.test("signing in again ends the session that the browser had before", async () => {
  await using app = await acme();
  const thief = app.visitor();
  for (const [name, value] of app.owner.cookies) thief.cookies.set(name, value);

  await app.owner.signIn("olga@example.com");

  assert.equal((await app.owner.get("/projects")).status, 200);
  assert.equal((await thief.get("/projects")).status, 303);
});
