import assert from "node:assert/strict";
import { inLanguage } from "@/lib/core/request_scope.ts";
import { problemWords } from "@/lib/sourcemaps/mod.ts";
import { sentencesIn } from "@/test/support/stored_sentences.ts";

const inRussian = (sentence: string) =>
  inLanguage({ language: "ru" }, () => problemWords(sentence));

Deno.test("every reason for which a source map was not used is read in Russian", () => {
  const sentences = [
    ...sentencesIn("lib/sourcemaps/mapping", /\b(?:new BadMap|problem)\(/g),
    ...sentencesIn("lib/sourcemaps/proguard", /\bproblem\(/g),
  ];
  assert.ok(sentences.length > 15, `only ${sentences.length} were found`);
  const left = sentences.map((each) =>
    each.replace("nothing for 7:", "nothing for line 1, column 7:")
  )
    .filter((each) => !/[а-яё]/i.test(inRussian(each)));
  assert.deepEqual(left, []);
});

Deno.test("the release, the dist and the file of a reason stay what they are", () => {
  assert.equal(
    inRussian(
      "Release shop@1.4.0, dist web, has no uploaded file ~/app.js. Upload it under this name, or inject debug ids before you deploy.",
    ),
    "В релизе shop@1.4.0, dist web, нет загруженного файла ~/app.js. Загрузите его под этим именем или добавьте debug id перед развёртыванием.",
  );
});
