import { Turns } from "../../core/turns.ts";
import { type AnsweredGroup, extremesOf, largestFirst } from "./answer.ts";
import type { ParsedFormula } from "./check_request.ts";
import { evaluate, sizeOf } from "./formula.ts";
import { InvalidQuery } from "../invalid_query.ts";

/** What a formula needs of a query. */
export interface FormulaPart {
  readonly id: string;
  readonly groupBy: readonly string[];
  readonly groups: readonly AnsweredGroup[];
}

/** Numbers and operations, over all groups and steps: half a second. */
const MAX_WORK = 20_000_000;
/** The key of the one group of a query that is not grouped. */
const NO_LABELS = "[]";

/**
 * Calculates a formula for every group: groups of queries meet by equal labels, and the one group of a query without
 * labels meets them all. Groups without any value are left out. Others get their turn meanwhile.
 *
 * @throws {InvalidQuery} when its queries are grouped by different labels, or it is too long for so many groups
 */
export async function joinFormula(
  { id, expression }: ParsedFormula,
  parts: readonly FormulaPart[],
  stepCount: number,
): Promise<AnsweredGroup[]> {
  checkLabels(id, parts);
  const byKey = new Map(parts.map((part) => [
    part.id,
    new Map(part.groups.map((group) => [group.key, group])),
  ]));
  const groupOf = (queryId: string, key: string) =>
    byKey.get(queryId)?.get(key) ?? byKey.get(queryId)?.get(NO_LABELS);
  const isGrouped = parts.some(({ groupBy }) => groupBy.length > 0);
  const groups = new Map(
    parts.filter(({ groupBy }) => !isGrouped || groupBy.length > 0)
      .flatMap(({ groups }) => groups)
      .map((group) => [group.key, group.labels]),
  );
  if (groups.size * stepCount * sizeOf(expression) > MAX_WORK) {
    throw new InvalidQuery(
      `Formula ${id} is too long for ${groups.size} groups: group by less, or choose a longer step.`,
    );
  }
  const turns = new Turns();
  const joined: AnsweredGroup[] = [];
  for (const [key, labels] of groups) {
    await turns.breathe();
    const values = Array.from(
      { length: stepCount },
      (_, step) => evaluate(expression, (queryId) => groupOf(queryId, key)?.values[step] ?? null),
    );
    if (values.every((value) => value === null)) continue;
    const avg = evaluate(expression, (queryId) => groupOf(queryId, key)?.figures.avg ?? null);
    joined.push({ key, labels, values, figures: { ...extremesOf(values), avg } });
  }
  return joined.sort(largestFirst);
}

function checkLabels(id: string, parts: readonly FormulaPart[]): void {
  const [first, ...others] = parts.filter(({ groupBy }) => groupBy.length > 0);
  const wordsOf = ({ groupBy }: FormulaPart) => [...new Set(groupBy)].sort().join(", ");
  const other = first && others.find((part) => wordsOf(part) !== wordsOf(first));
  if (first === undefined || other === undefined) return;
  throw new InvalidQuery(
    `Formula ${id} joins ${first.id}, by ${wordsOf(first)}, with ${other.id}, by ${
      wordsOf(other)
    }: group both by the same labels, or one of them by none.`,
  );
}
