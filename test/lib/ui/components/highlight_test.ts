import assert from "node:assert/strict";
import { inTime } from "@/test/support/time_budget.ts";
import fc from "fast-check";
import { highlightLines, type Language, languageOfFile } from "@/lib/ui/components/highlight.ts";

Deno.test("highlightLines() colours tokens and keeps lines apart", () => {
  assert.deepEqual(highlightLines('const a = "x";\n// done', "javascript"), [
    [
      { text: "const", class: "hljs-keyword" },
      { text: " a = ", class: "" },
      { text: '"x"', class: "hljs-string" },
      { text: ";", class: "" },
    ],
    [{ text: "// done", class: "hljs-comment" }],
  ]);
});

Deno.test("highlightLines() loses and adds no character in any language", () => {
  const languages: Language[] = [
    "bash",
    "css",
    "go",
    "java",
    "javascript",
    "json",
    "php",
    "python",
    "ruby",
    "sql",
    "typescript",
    "xml",
    "text",
  ];
  const code = fc.string({ unit: fc.constantFrom(..."<>&\"'/*#$ab0 \n{}()=;&lt;😀") });
  fc.assert(fc.property(code, fc.constantFrom(...languages), (text, language) => {
    const lines = highlightLines(text, language);
    const back = lines.map((tokens) => tokens.map((token) => token.text).join("")).join("\n");
    assert.equal(back, text);
  }));
});

Deno.test("highlightLines() shows very long code plain", () => {
  const [line] = highlightLines("1".repeat(100_001), "javascript");
  assert.deepEqual(line?.map((token) => token.class), [""]);
});

Deno.test("languageOfFile() goes by the ending", () => {
  const f = (name: string, language: Language) => assert.equal(languageOfFile(name), language);
  f("app/main.ts", "typescript");
  f("https://example.com/app.min.js?v=1", "javascript");
  f("views.py", "python");
  f("Makefile", "text");
});

Deno.test("source that grammars would take long for is shown plain, and all other in good time", () => {
  const languages = ["java", "typescript", "php", "javascript", "bash", "ruby", "json"] as const;
  for (const language of languages) {
    for (const part of ["$a$", "a", "eyJ", "a b ", "/1", "(", "\n", `${"$a$".repeat(333)}\n`]) {
      const code = part.repeat(100_000 / part.length);
      const source = language === "json" ? code : code.slice(0, 20_000);
      // What a grammar hangs on takes minutes; twenty thousand lines take half a second on a quiet machine.
      const lines = inTime(
        1_500,
        () => highlightLines(source, language),
        `${language} ${part.slice(0, 4)}`,
      );
      assert.equal(lines.map((line) => line.map(({ text }) => text).join("")).join("\n"), source);
      inTime(50, () => language === "json" || highlightLines(code, language), language);
    }
  }
});
