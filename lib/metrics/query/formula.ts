import { t } from "../../core/language/translate.ts";
import {
  type Aggregation,
  InvalidQuery,
  type MetricQuery,
  type QueryRequest,
} from "../query_types.ts";

const MAX_QUERIES = 10;
const MAX_FORMULAS = 10;
const MAX_GROUP_LABELS = 10;
/** What alerts judge; pages and the API ask for 100 at most. */
const MAX_TOP = 500;
const MAX_NAME = 255;

/** A formula that was read. */
export interface ParsedFormula {
  readonly id: string;
  readonly unit: string;
  readonly expression: Expression;
  /** The queries that it names, each once. */
  readonly queryIds: readonly string[];
}

/**
 * Checks what does not need the database, and reads the formulas.
 *
 * @throws {InvalidQuery} for the first thing that is wrong
 */
export function checkRequest(
  { queries, formulas }: Pick<QueryRequest, "queries" | "formulas">,
): ParsedFormula[] {
  refuse(queries.length === 0, t("There is no query: name a metric."));
  refuse(
    queries.length > MAX_QUERIES,
    t("There are at most {n} query at once.|There are at most {n} queries at once.", {
      n: MAX_QUERIES,
    }),
  );
  refuse(
    formulas.length > MAX_FORMULAS,
    t("There are at most {n} formula at once.|There are at most {n} formulas at once.", {
      n: MAX_FORMULAS,
    }),
  );
  for (const query of queries) checkQuery(query);
  checkIds([...queries, ...formulas].map(({ id }) => id));
  return formulas.map(({ id, unit, expression: text }) => {
    refuse(!/^f\d{1,2}$/.test(id), t("A formula is called f1, f2 and so on, not “{id}”.", { id }));
    const expression = parseFormula(text);
    const queryIds = idsOf(expression);
    checkNames(text, queryIds, queries);
    return { id, unit, expression, queryIds };
  });
}

function checkQuery({ id, metric, groupBy, top }: MetricQuery): void {
  refuse(
    !/^[a-z]$/.test(id),
    t("A query is called by one letter from a to z, not “{id}”.", { id }),
  );
  refuse(metric === "", t("Query {id} names no metric.", { id }));
  refuse(
    metric.length > MAX_NAME,
    t("A metric's name has at most {most} characters.", { most: MAX_NAME }),
  );
  refuse(
    groupBy.length > MAX_GROUP_LABELS,
    t("Query {id} groups by {count} labels; {most} are allowed.", {
      id,
      count: groupBy.length,
      most: MAX_GROUP_LABELS,
    }),
  );
  refuse(
    !Number.isInteger(top) || top < 1 || top > MAX_TOP,
    t("Query {id} can return 1 to {most} groups.", { id, most: MAX_TOP }),
  );
}

function checkIds(ids: readonly string[]): void {
  const twice = ids.find((id, place) => ids.indexOf(id) !== place);
  refuse(twice !== undefined, t("Two queries are called {id}.", { id: twice ?? "" }));
}

function checkNames(text: string, ids: readonly string[], queries: readonly MetricQuery[]): void {
  refuse(ids.length === 0, t("The formula “{text}” names no query.", { text }));
  const unknown = ids.find((id) => !queries.some((query) => query.id === id));
  refuse(
    unknown !== undefined,
    t("The formula “{text}” names {id}, which is no query.", { text, id: unknown ?? "" }),
  );
}

function refuse(isWrong: boolean, sentence: string): void {
  if (isWrong) throw new InvalidQuery(sentence);
}

type Expression =
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "query"; readonly id: string }
  | { readonly kind: "negative"; readonly of: Expression }
  | {
    readonly kind: "operation";
    readonly operator: Operator;
    readonly left: Expression;
    readonly right: Expression;
  };

type Operator = "+" | "-" | "*" | "/";

const MAX_LENGTH = 500;
const MAX_DEPTH = 50;
const TOKEN = /\s*(\d+(?:\.\d*)?(?:e[+-]?\d+)?|\.\d+|[a-z]\w*|[-+*/()])\s*/iy;

/**
 * Reads a formula.
 *
 * @throws {InvalidQuery} saying what is wrong with it
 */
export function parseFormula(text: string): Expression {
  if (text.trim() === "") throw new InvalidQuery(t("A formula is empty: write one such as a / b."));
  if (text.length > MAX_LENGTH) {
    throw new InvalidQuery(t("A formula has at most {most} characters.", { most: MAX_LENGTH }));
  }
  const parser = new FormulaParser(text);
  const expression = parser.sum(0);
  parser.expectEnd();
  return expression;
}

/** The ids that a formula names, each once. */
export function idsOf(expression: Expression): string[] {
  switch (expression.kind) {
    case "number":
      return [];
    case "query":
      return [expression.id];
    case "negative":
      return idsOf(expression.of);
    case "operation":
      return [...new Set([...idsOf(expression.left), ...idsOf(expression.right)])];
  }
}

/** Of how many numbers, queries and operations a formula is made: each takes as long as another. */
export function sizeOf(expression: Expression): number {
  switch (expression.kind) {
    case "number":
    case "query":
      return 1;
    case "negative":
      return 1 + sizeOf(expression.of);
    case "operation":
      return 1 + sizeOf(expression.left) + sizeOf(expression.right);
  }
}

/**
 * What a formula comes to.
 *
 * @param valueOf of a query; null where it has none
 * @returns null where a part has none, or where it divides by zero
 */
export function evaluate(
  expression: Expression,
  valueOf: (id: string) => number | null,
): number | null {
  switch (expression.kind) {
    case "number":
      return expression.value;
    case "query":
      return valueOf(expression.id);
    case "negative": {
      const value = evaluate(expression.of, valueOf);
      return value === null ? null : -value;
    }
    case "operation": {
      const left = evaluate(expression.left, valueOf);
      const right = evaluate(expression.right, valueOf);
      return left === null || right === null ? null : calculated(expression.operator, left, right);
    }
  }
}

function calculated(operator: Operator, left: number, right: number): number | null {
  const value = result(operator, left, right);
  return Number.isFinite(value) ? value : null;
}

function result(operator: Operator, left: number, right: number): number {
  switch (operator) {
    case "+":
      return left + right;
    case "-":
      return left - right;
    case "*":
      return left * right;
    case "/":
      return left / right;
  }
}

class FormulaParser {
  #place = 0;
  #token: string | null = null;

  constructor(readonly text: string) {
    this.#advance();
  }

  sum(depth: number): Expression {
    let left = this.#product(depth);
    for (let operator = this.#token; operator === "+" || operator === "-"; operator = this.#token) {
      this.#advance();
      left = { kind: "operation", operator, left, right: this.#product(depth) };
    }
    return left;
  }

  expectEnd(): void {
    if (this.#token !== null) {
      throw this.#problem(t("“{token}” does not belong there", { token: this.#token }));
    }
  }

  #product(depth: number): Expression {
    let left = this.#factor(depth);
    for (let operator = this.#token; operator === "*" || operator === "/"; operator = this.#token) {
      this.#advance();
      left = { kind: "operation", operator, left, right: this.#factor(depth) };
    }
    return left;
  }

  #factor(depth: number): Expression {
    if (depth > MAX_DEPTH) throw this.#problem(t("it is nested too deeply"));
    const token = this.#token;
    if (token === null) throw this.#problem(t("it ends where a query or a number belongs"));
    this.#advance();
    if (token === "-") return { kind: "negative", of: this.#factor(depth + 1) };
    if (token === "(") return this.#bracket(depth);
    if (/^[\d.]/.test(token)) return this.#number(token);
    if (/^[a-z]/i.test(token)) return { kind: "query", id: token.toLowerCase() };
    throw this.#problem(t("“{token}” stands where a query or a number belongs", { token }));
  }

  #bracket(depth: number): Expression {
    const inner = this.sum(depth + 1);
    if (this.#token !== ")") throw this.#problem(t("a closing bracket is missing"));
    this.#advance();
    return inner;
  }

  #number(token: string): Expression {
    const value = Number(token);
    if (!Number.isFinite(value)) throw this.#problem(t("{token} is too large", { token }));
    return { kind: "number", value };
  }

  #advance(): void {
    TOKEN.lastIndex = this.#place;
    const found = TOKEN.exec(this.text);
    if (found === null && this.#place < this.text.length) {
      throw this.#problem(
        t("“{text}” cannot be read", { text: this.text.slice(this.#place, this.#place + 10) }),
      );
    }
    this.#place = found === null ? this.text.length : TOKEN.lastIndex;
    this.#token = found?.[1] ?? null;
  }

  #problem(what: string): InvalidQuery {
    return new InvalidQuery(
      t("The formula “{text}” cannot be read: {reason}.", { text: this.text, reason: what }),
    );
  }
}

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
