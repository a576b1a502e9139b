import assert from "node:assert/strict";
import { PASSWORD } from "../../support/people.ts";
import { acme, textOf } from "../../support/ui_app.ts";

const NEXT = "entirely different words now";

Deno.test("a new password ends the other sessions and keeps this one", async () => {
  await using app = await acme();
  const elsewhere = app.visitor();
  await elsewhere.signIn("olga@example.com");

  const change = { action: "password", current: PASSWORD, password: NEXT };
  assert.equal((await app.owner.post("/account/security", change)).status, 303);

  assert.match(
    textOf((await app.owner.get("/account/security")).html),
    /Your password is changed\./,
  );
  assert.equal((await elsewhere.get("/account")).status, 303);
  assert.equal((await elsewhere.signIn("olga@example.com", PASSWORD)).status, 422);
  assert.equal((await elsewhere.signIn("olga@example.com", NEXT)).status, 303);
});

Deno.test("a refused password says so beside the right field", async () => {
  await using app = await acme();
  const post = (current: string, password: string) =>
    app.owner.post("/account/security", { action: "password", current, password });

  const wrong = await post("not it", NEXT);
  assert.equal(wrong.status, 422);
  assert.match(wrong.html, /id="field-current-error"/);
  const weak = await post(PASSWORD, "short");
  assert.equal(weak.status, 422);
  assert.match(weak.html, /id="field-password-error"/);
  assert.match(weak.html, /aria-describedby="field-password-error field-password-help"/);
});

Deno.test("people change their name", async () => {
  await using app = await acme();
  assert.equal((await app.owner.post("/account", { action: "rename", name: " " })).status, 422);
  await app.owner.post("/account", { action: "rename", name: "Olga O'Neill" });
  assert.match(textOf((await app.owner.get("/account")).html), /Your name is changed\./);
  assert.match((await app.owner.get("/account")).html, /value="Olga O'Neill"/);
});

Deno.test("theme and rail are kept in cookies that the server draws from", async () => {
  await using app = await acme();
  const { owner } = app;
  assert.doesNotMatch((await owner.get("/account")).html, /data-theme/);

  const answer = await owner.post("/preferences", {
    theme: "dark",
    rail: "narrow",
    next: "/account",
  });
  assert.equal(answer.location, "/account");
  const { html } = await owner.get("/account");
  assert.match(html, /<html[^>]* data-theme="dark"/);
  assert.match(html, /data-rail="narrow"/);

  await owner.post("/preferences", { theme: "pink", next: "https://evil.example" });
  assert.match((await owner.get("/account")).html, /data-theme="dark"/);
});
