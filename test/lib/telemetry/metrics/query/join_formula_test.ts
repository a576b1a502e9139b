import assert from "node:assert/strict";
import { parseFormula } from "../../../../../lib/telemetry/metrics/query/formula.ts";
import { InvalidQuery } from "../../../../../lib/telemetry/metrics/query/invalid_query.ts";
import { joinFormula } from "../../../../../lib/telemetry/metrics/query/join_formula.ts";

const STEPS = 100;
const figures = { min: 1, max: 1, avg: 1, last: 1 };
const part = (groups: number) => ({
  id: "a",
  groupBy: ["host"],
  groups: Array.from({ length: groups }, (_, place) => ({
    key: `["host","${place}"]`,
    labels: { host: String(place) },
    values: new Array<number>(STEPS).fill(1),
    figures,
  })),
});
const formula = (expression: string) => ({
  id: "f1",
  unit: "",
  expression: parseFormula(expression),
  queryIds: ["a"],
});

Deno.test("a formula is calculated for ten thousand groups", () => {
  const joined = joinFormula(formula("a / (a + 1) * 100"), [part(10_000)], STEPS);
  assert.equal(joined.length, 10_000);
  assert.equal(joined[0]?.values[0], 50);
});

Deno.test("a long formula of very many groups is refused, since it would hold up everybody", () => {
  const long = formula(new Array(125).fill("a").join(" + "));
  assert.throws(
    () => joinFormula(long, [part(10_000)], STEPS),
    (error) => error instanceof InvalidQuery && /too long for 10000 groups/.test(error.message),
  );
  assert.equal(joinFormula(long, [part(10)], STEPS)[0]?.values[0], 125);
});
