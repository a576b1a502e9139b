import assert from "node:assert/strict";
import fc from "fast-check";
import { languageOfHeader } from "@/lib/core/language/choose_language.ts";
import { isLanguage } from "@/lib/core/language/translate.ts";

Deno.test("the language that a browser likes best is taken, whatever its order and country", () => {
  const f = (header: string | null, language: string) =>
    assert.equal(languageOfHeader(header), language, header ?? "no header");
  f("ru-RU,ru;q=0.9,en-US;q=0.8,en;q=0.7", "ru");
  f("en;q=0.5, RU ; q=0.8", "ru");
  f("ru;q=0.4,en-GB;q=0.6", "en");
  f("de, fr;q=0.9, ru;q=0.1", "ru");
  // Of two that are liked alike the first goes.
  f("en,ru", "en");
});

Deno.test("English is spoken to who reads none of our languages, or sends no list of languages", () => {
  for (const header of [null, "", "*", "de-DE,de", "ru;q=0", "ru;q=2", "ru;q=x", "Rubbish ;;,,="]) {
    assert.equal(languageOfHeader(header), "en", String(header));
  }
});

Deno.test("no header breaks the choice of a language", () => {
  fc.assert(fc.property(fc.string(), (header) => isLanguage(languageOfHeader(header))));
});
