import assert from "node:assert/strict";
import { storedWords } from "@/lib/core/language/stored_words.ts";
import { inLanguage } from "@/lib/core/request_scope.ts";

const words = storedWords([
  "The response has status {status}; expected is {expected}.",
  "Within {seconds} s no response came.",
]);
const inRussian = (sentence: string) => inLanguage({ language: "ru" }, () => words(sentence));

Deno.test("a sentence that was stored in English is read in the reader's language, with its values", () => {
  const stored = "The response has status 503; expected is 200-299.";
  assert.equal(inRussian(stored), "Статус ответа — 503; ожидается 200-299.");
  assert.equal(words(stored), stored);
});

Deno.test("a sentence of another kind is read as it was stored", () => {
  const stored = "The response has status 503; expected is 200-299. And more";
  assert.equal(inRussian(stored), stored);
  assert.equal(inRussian(""), "");
});
