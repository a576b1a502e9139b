/** Which answers may stand upon each other: the sum of their groups means something. */
import type { Aggregation, MetricQuery } from "../query_types.ts";
import { type Expression, idsOf } from "./formula.ts";

/** A group's value is the sum of its series' values; a sum of quantiles or means is nothing that anybody measured. */
const ADDING: readonly Aggregation[] = ["sum", "last", "count", "rate", "increase"];

/** Whether the values of a query's groups add up to the value of all. */
export function addsUp({ aggregation }: Pick<MetricQuery, "aggregation">): boolean {
  return ADDING.includes(aggregation);
}

/** The same for a formula: sums and differences of such queries, and multiples by what is one number for all groups. */
export function formulaAddsUp(
  expression: Expression,
  queries: readonly Pick<MetricQuery, "id" | "aggregation" | "groupBy">[],
): boolean {
  switch (expression.kind) {
    case "number":
      return false;
    case "query":
      return queries.some((query) => query.id === expression.id && addsUp(query));
    case "negative":
      return formulaAddsUp(expression.of, queries);
    case "operation": {
      const { operator, left, right } = expression;
      const [leftAdds, rightAdds] = [left, right].map((side) => formulaAddsUp(side, queries));
      if (operator === "+" || operator === "-") return leftAdds === true && rightAdds === true;
      const scalesLeft = leftAdds === true && isOneNumber(right, queries);
      return scalesLeft || operator === "*" && rightAdds === true && isOneNumber(left, queries);
    }
  }
}

function isOneNumber(
  expression: Expression,
  queries: readonly Pick<MetricQuery, "id" | "groupBy">[],
): boolean {
  return idsOf(expression).every((id) =>
    queries.some((query) => query.id === id && query.groupBy.length === 0)
  );
}
