import assert from "node:assert/strict";
import { findUserByEmail } from "@/lib/accounts/users.ts";
import { acme, textOf, uiApp } from "../../support/ui_app.ts";

const RUSSIAN = { "accept-language": "ru-RU,ru;q=0.9", "sec-fetch-site": "same-origin" };

Deno.test("a page is in the language that the browser asks for", async () => {
  await using app = await uiApp();
  const response = await app.handle(
    new Request("http://localhost:8000/sign-in", { headers: RUSSIAN }),
  );
  const html = await response.text();
  assert.match(html, /<html lang="ru"/);
  const other = await app.visitor().get("/sign-in");
  assert.match(other.html, /<html lang="en"/);
});

Deno.test("an error page is in the language that the browser asks for", async () => {
  await using app = await uiApp();
  const response = await app.handle(
    new Request("http://localhost:8000/nothing", { headers: RUSSIAN }),
  );
  assert.equal(response.status, 404);
  assert.match(textOf(await response.text()), /Здесь ничего нет/);
});

Deno.test("programs are answered in English, whatever they accept", async () => {
  await using app = await uiApp();
  const url = "http://localhost:8000/api/0/organizations/";
  const [said, plain] = await Promise.all(
    [RUSSIAN, {}].map(async (headers) =>
      await (await app.handle(new Request(url, { headers }))).text()
    ),
  );
  assert.equal(said, plain);
});

Deno.test("a visitor chooses a language for the browser, and comes back to the page", async () => {
  await using app = await uiApp();
  const visitor = app.visitor();
  const answer = await visitor.post("/preferences", {
    language: "ru",
    next: "/sign-in?next=/account",
  });
  assert.equal(answer.location, "/sign-in?next=/account");
  assert.match((await visitor.get("/sign-in")).html, /<html lang="ru"/);
  await visitor.post("/preferences", { language: "xx" });
  assert.match((await visitor.get("/sign-in")).html, /<html lang="ru"/);
});

Deno.test("an account's language and time zone go before those of the browser", async () => {
  await using app = await acme();
  const { owner } = app;
  const saved = await owner.post("/account/language", { language: "ru", timeZone: "Asia/Tokyo" });
  assert.equal(saved.location, "/account/language");
  owner.cookies.set("language", "en");
  const { html } = await owner.get("/account");
  assert.match(html, /<html lang="ru" data-zone="Asia\/Tokyo"/);
  assert.match(html, /\d\d\.\d\d\.\d{4} \d\d:\d\d:\d\d GMT\+9/);
  assert.match(html, /<script[^>]* src="\/messages\.ru\.js/);
});

Deno.test("times are shown in UTC for who asks for it", async () => {
  await using app = await acme();
  const { owner } = app;
  await owner.post("/account/language", { language: "en", timeZone: "Asia/Tokyo" });
  await owner.post("/preferences", { times: "utc" });
  assert.match((await owner.get("/account")).html, /data-zone="UTC"/);
  await owner.post("/preferences", { times: "zone" });
  assert.match((await owner.get("/account")).html, /data-zone="Asia\/Tokyo"/);
});

Deno.test("a language or time zone that does not exist is refused at its field", async () => {
  await using app = await acme();
  const { owner } = app;
  const before = await findUserByEmail(app.services.kv, "olga@example.com");
  for (
    const fields of [{ language: "xx", timeZone: "UTC" }, { language: "en", timeZone: "Moon" }]
  ) {
    const answer = await owner.post("/account/language", fields);
    assert.equal(answer.status, 422);
    assert.match(answer.html, /aria-invalid="true"/);
  }
  const user = await findUserByEmail(app.services.kv, "olga@example.com");
  assert.deepEqual(user, before);
});
