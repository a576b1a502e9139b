import assert from "node:assert/strict";
import { parseRules, problemText, ruleText } from "@/lib/errors/ownership/rules.ts";

function read(line: string): string[] {
  const { rules, problems } = parseRules(line);
  return problems.length > 0 ? problems.map(problemText) : rules.map(ruleText);
}

Deno.test("a rule is a matcher with its owners, in Sentry's ways to write it", () => {
  const f = (line: string, ...expected: string[]) => assert.deepEqual(read(line), expected);
  f("src/cart/* Ann@Acme.example", "path:src/cart/* ann@acme.example");
  f("  path:src/cart.ts   #shop ann@acme.example ", "path:src/cart.ts #shop ann@acme.example");
  f("module:com.acme.* #shop", "module:com.acme.* #shop");
  f("url:https://*/cart #shop", "url:https://*/cart #shop");
  f("tags.user.email:*@acme.example #shop", "tags.user.email:*@acme.example #shop");
  f('path:"src/my cart/*" #shop', 'path:"src/my cart/*" #shop');
  f('tags.said:"\\"hi\\" \\\\ there" #shop', 'tags.said:"\\"hi\\" \\\\ there" #shop');
  f("src:x #shop", "path:src:x #shop");
  f("# a comment\r\n\r\n  # another\n a #b", "path:a #b");
});

Deno.test("a mistake is told with its line and column", () => {
  const f = (line: string, expected: RegExp) => assert.match(read(line)[0] ?? "", expected);
  f("src/cart.ts", /^Line 1, column 12: An owner is missing/);
  f("\n path: #shop", /^Line 2, column 7: The pattern is missing/);
  f('path:"src #shop', /^Line 1, column 6: The quotation mark is not closed/);
  f('path:"" #shop', /^Line 1, column 6: The pattern is empty/);
  f('path:"a"b #shop', /^Line 1, column 9: After the pattern/);
  f("src/* #shop # mine", /^Line 1, column 13: A team is # with its slug/);
  f("codeowners:/src #shop", /^Line 1, column 1: .*CODEOWNERS file alone/);
});

Deno.test("what is right beside a mistake is read, and mistakes end at twenty", () => {
  const { rules, problems } = parseRules(`a #shop\n${"broken\n".repeat(50)}`);
  assert.deepEqual(rules.map(({ line }) => line), [1]);
  assert.equal(problems.length, 20);
});
