import assert from "node:assert/strict";
import { addsUp, formulaAddsUp, parseFormula } from "@/lib/metrics/query/formula.ts";
import { AGGREGATIONS } from "@/lib/metrics/query_types.ts";

Deno.test("groups of sums and counts add up, those of means, extremes and quantiles do not", () => {
  assert.deepEqual(
    AGGREGATIONS.filter((aggregation) => addsUp({ aggregation })),
    ["sum", "last", "count", "rate", "increase"],
  );
});

Deno.test("a formula adds up when it is a sum, or a multiple by what all groups share", () => {
  const queries = [
    { id: "a", aggregation: "rate", groupBy: ["route"] },
    { id: "b", aggregation: "sum", groupBy: ["route"] },
    { id: "p", aggregation: "p95", groupBy: ["route"] },
    { id: "t", aggregation: "rate", groupBy: [] },
  ] as const;
  const adding = (text: string) => formulaAddsUp(parseFormula(text), queries);
  for (const text of ["a", "a - b", "-a", "100 * a / t", "(a + b) * 2"]) {
    assert.equal(adding(text), true, text);
  }
  for (const text of ["a / b", "p", "a + p", "2 * p", "1 / a", "a + 1"]) {
    assert.equal(adding(text), false, text);
  }
});
