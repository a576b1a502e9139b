import assert from "node:assert/strict";
import { setupCode } from "@/lib/accounts/setup.ts";
import { textOf, uiApp } from "../../support/ui_app.ts";

const FIRST = {
  organizationName: "Acme",
  name: "Ann",
  email: "ann@example.com",
  password: "four unrelated words indeed",
};

Deno.test("a fresh instance leads to the first account and wants the code of the console", async () => {
  await using app = await uiApp();
  const visitor = app.visitor();
  assert.equal((await visitor.get("/")).location, "/sign-up");

  const stranger = await visitor.post("/sign-up", { ...FIRST, code: "AAAA-BBBB-CCCC" });
  assert.equal(stranger.status, 422);
  assert.match(textOf(stranger.html), /This is not the code that the console printed\./);
  assert.match(stranger.html, /value="ann@example.com"/, "what was entered is kept");
  assert.doesNotMatch(stranger.html, /four unrelated words indeed/, "but not the password");
  assert.equal((await visitor.get("/projects")).location, "/sign-in?next=%2Fprojects");
});

Deno.test("the code makes the first account, which is signed in and led to its first project", async () => {
  await using app = await uiApp();
  const visitor = app.visitor();
  const code = await setupCode(app.services.kv);

  const weak = await visitor.post("/sign-up", { ...FIRST, code, password: "short" });
  assert.equal(weak.status, 422);
  assert.match(weak.html, /href="#field-password"/, "the summary links to the field");

  const done = await visitor.post("/sign-up", { ...FIRST, code });
  assert.equal(done.status, 303);
  assert.equal(done.location, "/projects/new");
  assert.match(textOf((await visitor.get("/projects/new")).html), /Welcome to Watchpost, Ann\./);
});

Deno.test("sign-up is over once the instance has an account", async () => {
  await using app = await uiApp();
  const code = await setupCode(app.services.kv);
  await app.visitor().post("/sign-up", { ...FIRST, code });

  const late = app.visitor();
  assert.equal((await late.get("/")).location, "/sign-in");
  assert.match(textOf((await late.get("/sign-up")).html), /This Watchpost is set up/);
  const second = await late.post("/sign-up", { ...FIRST, email: "eve@example.com", code });
  assert.equal(second.status, 409);
  assert.equal((await late.get("/projects")).status, 303);
});
