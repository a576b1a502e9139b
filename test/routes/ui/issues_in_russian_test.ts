import assert from "node:assert/strict";
import { failure, shop } from "@/test/support/shop.ts";
import { textOf, type Visitor } from "@/test/support/ui_app.ts";

async function readsRussian(visitor: Visitor): Promise<void> {
  await visitor.post("/account/language", { language: "ru", timeZone: "UTC" });
}

Deno.test("an issue is worked on in Russian: its page, what became of it, and its activity", async () => {
  await using app = await shop();
  await app.store(failure("Cannot read price", { release: "shop@1.4.0" }));
  const { owner } = app;
  await readsRussian(owner);
  const list = textOf((await owner.get(app.path)).html);
  assert.match(list, /Нерешённые\s*1/);
  assert.match(list, /Показаны 1–1 из 1/);
  const done = await owner.post(`${app.path}/1`, { action: "archive", until: "events-10" });
  const page = textOf((await owner.get(done.location ?? "")).html);
  assert.match(page, /В архив перенесена 1 проблема\./);
  assert.match(page, /: в архив до 10 новых событий/);
  assert.doesNotMatch(page, /archived|unresolved|events/);
});

Deno.test("what somebody entered wrong is said in Russian", async () => {
  await using app = await shop();
  await app.store(failure("Cannot read price"));
  const { owner } = app;
  await readsRussian(owner);
  const search = await owner.get(`${app.path}?query=${encodeURIComponent("timesSeen:many")}`);
  assert.match(textOf(search.html), /Напишите число, например/);
  const mapping = await owner.post(app.path.replace("/issues", "/settings/code"), {
    action: "create",
    host: "github",
    address: "nowhere",
    defaultBranch: "",
  });
  assert.match(textOf(mapping.html), /Введите имя ветки, например main\./);
});
