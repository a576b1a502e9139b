import type { MetricQuery, QueryRequest } from "../query_types.ts";
import { type Expression, idsOf, parseFormula } from "./formula.ts";
import { InvalidQuery } from "../invalid_query.ts";

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
  refuse(queries.length === 0, "There is no query: name a metric.");
  refuse(queries.length > MAX_QUERIES, `There are at most ${MAX_QUERIES} queries at once.`);
  refuse(formulas.length > MAX_FORMULAS, `There are at most ${MAX_FORMULAS} formulas at once.`);
  for (const query of queries) checkQuery(query);
  checkIds([...queries, ...formulas].map(({ id }) => id));
  return formulas.map(({ id, unit, expression: text }) => {
    refuse(!/^f\d{1,2}$/.test(id), `A formula is called f1, f2 and so on, not “${id}”.`);
    const expression = parseFormula(text);
    const queryIds = idsOf(expression);
    checkNames(text, queryIds, queries);
    return { id, unit, expression, queryIds };
  });
}

function checkQuery({ id, metric, groupBy, top }: MetricQuery): void {
  refuse(!/^[a-z]$/.test(id), `A query is called by one letter from a to z, not “${id}”.`);
  refuse(metric === "", `Query ${id} names no metric.`);
  refuse(metric.length > MAX_NAME, `A metric's name has at most ${MAX_NAME} characters.`);
  refuse(
    groupBy.length > MAX_GROUP_LABELS,
    `Query ${id} groups by ${groupBy.length} labels; ${MAX_GROUP_LABELS} are allowed.`,
  );
  refuse(
    !Number.isInteger(top) || top < 1 || top > MAX_TOP,
    `Query ${id} can answer 1 to ${MAX_TOP} groups.`,
  );
}

function checkIds(ids: readonly string[]): void {
  const twice = ids.find((id, place) => ids.indexOf(id) !== place);
  refuse(twice !== undefined, `Two queries are called ${twice}.`);
}

function checkNames(text: string, ids: readonly string[], queries: readonly MetricQuery[]): void {
  refuse(ids.length === 0, `The formula “${text}” names no query.`);
  const unknown = ids.find((id) => !queries.some((query) => query.id === id));
  refuse(unknown !== undefined, `The formula “${text}” names ${unknown}, which is no query.`);
}

function refuse(isWrong: boolean, sentence: string): void {
  if (isWrong) throw new InvalidQuery(sentence);
}
