import assert from "node:assert/strict";
import { rich, t } from "@/lib/core/language/translate.ts";
import { currentScope, inLanguage, inScope } from "@/lib/core/request_scope.ts";

Deno.test("a message is its English text where no language was chosen", () => {
  assert.equal(t("Sign in"), "Sign in");
});

Deno.test("a message is translated within the scope of a Russian reader, across what it awaits", async () => {
  const said = await inLanguage({ language: "ru" }, async () => {
    await Promise.resolve();
    return t("Sign in");
  });
  assert.equal(said, "Войти");
});

Deno.test("n chooses the plural of the reader's language", () => {
  const all = (language: "en" | "ru") =>
    inLanguage({ language }, () => [1, 2, 5, 21, 1.5].map((n) => t("{n} event|{n} events", { n })));
  assert.deepEqual(all("en"), ["1 event", "2 events", "5 events", "21 events", "1.5 events"]);
  assert.deepEqual(all("ru"), ["1 событие", "2 события", "5 событий", "21 событие", "1,5 события"]);
});

Deno.test("numbers are written as the reader's language does", () => {
  const said = inLanguage({ language: "ru" }, () => t("{n} event|{n} events", { n: 12_345 }));
  assert.equal(said, "12\u00a0345 событий");
});

Deno.test("rich() keeps the parts of a message in order", () => {
  assert.deepEqual(rich("{n} event|{n} events", { n: 3 }), ["3", " events"]);
});

Deno.test("whom a mail is written for does not change who asked", () => {
  const asker = { ...currentScope().asker, label: "ann@example.com" };
  const seen = inScope(
    { language: "en", timeZone: "UTC", asker },
    () => inLanguage({ language: "ru" }, () => currentScope().asker.label),
  );
  assert.equal(seen, "ann@example.com");
});
