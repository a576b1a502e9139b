import assert from "node:assert/strict";
import { fieldWords } from "@/lib/audit/field_words.ts";
import { inLanguage } from "@/lib/core/request_scope.ts";

const inRussian = (name: string) => inLanguage({ language: "ru" }, () => fieldWords(name));

Deno.test("a changed field is called as people know it, one of a part with the part's name", () => {
  assert.equal(fieldWords("sampleRate"), "Sample rate");
  assert.equal(inRussian("retention.logs"), "Хранение, дней: логи");
  assert.equal(inRussian("eu.production.isMuted"), "eu.production: Без уведомлений");
});

Deno.test("a field that nobody has named stands for itself", () => {
  for (const name of ["somethingNew", "constructor", "a.toString", ".isMuted", ""]) {
    assert.equal(fieldWords(name), name);
  }
});
