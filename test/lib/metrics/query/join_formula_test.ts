import assert from "node:assert/strict";
import { parseFormula } from "@/lib/metrics/query/formula.ts";
import { InvalidQuery } from "@/lib/metrics/query_types.ts";
import { joinFormula } from "@/lib/metrics/query/run_queries.ts";

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

Deno.test("a formula is calculated for ten thousand groups", async () => {
  const joined = await joinFormula(formula("a / (a + 1) * 100"), [part(10_000)], STEPS);
  assert.equal(joined.length, 10_000);
  assert.equal(joined[0]?.values[0], 50);
});

Deno.test("a long formula of very many groups is refused, since it would take long", async () => {
  const long = formula(new Array(125).fill("a").join(" + "));
  await assert.rejects(
    joinFormula(long, [part(10_000)], STEPS),
    (error) => error instanceof InvalidQuery && /too long for 10,000 groups/.test(error.message),
  );
  assert.equal((await joinFormula(long, [part(10)], STEPS))[0]?.values[0], 125);
});

Deno.test("others get their turn while a formula of many groups is calculated", async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  await joinFormula(formula("a * a + a / 2 - a"), [part(10_000)], STEPS);
  clearInterval(timer);
  assert.ok(turns > 2, `${turns} turns`);
});
