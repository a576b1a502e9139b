import assert from "node:assert/strict";
import { evaluate, idsOf, parseFormula } from "@/lib/metrics/query/formula.ts";
import { InvalidQuery } from "@/lib/metrics/query_types.ts";

const VALUES: Readonly<Record<string, number>> = { a: 6, b: 3, c: 0 };
const calculate = (text: string) => evaluate(parseFormula(text), (id) => VALUES[id] ?? null);

Deno.test("formulas are calculated as at school", () => {
  const cases: [string, number | null][] = [
    ["a", 6],
    ["a + b * 2", 12],
    ["(a + b) * 2", 18],
    ["a - b - 1", 2],
    ["a / b / 2", 1],
    ["-a + 1", -5],
    ["--b", 3],
    ["2*-b", -6],
    ["A/B*1e2", 200],
    [".5 * a", 3],
    ["a/(a+b)*3", 2],
  ];
  for (const [text, value] of cases) assert.equal(calculate(text), value, text);
});

Deno.test("a division by zero and what is missing come to nothing", () => {
  assert.equal(calculate("a / c"), null);
  assert.equal(calculate("c / c"), null);
  assert.equal(calculate("a + x"), null);
  assert.equal(calculate("x * 0"), null);
});

Deno.test("a formula tells which queries it needs", () => {
  assert.deepEqual(idsOf(parseFormula("a / (a + b) - -c * 2")), ["a", "b", "c"]);
});

Deno.test("what is no formula is refused with a sentence", () => {
  const cases: [string, RegExp][] = [
    ["", /is empty/],
    ["a +", /ends where a query or a number belongs/],
    ["(a", /closing bracket is missing/],
    ["a)", /“\)” does not belong there/],
    ["a b", /“b” does not belong there/],
    ["a ^ 2", /“\^ 2” cannot be read/],
    ["* a", /“\*” stands where/],
    ["1e999", /too large/],
    ["(".repeat(200) + "a", /nested too deeply/],
    ["-".repeat(200) + "a", /nested too deeply/],
    ["a+".repeat(300) + "a", /at most 500 characters/],
  ];
  for (const [text, message] of cases) {
    assert.throws(
      () => parseFormula(text),
      (error) => error instanceof InvalidQuery && message.test(error.message),
      text,
    );
  }
});
