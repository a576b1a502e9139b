/** Searches of errors, spans and logs in Sentry's grammar, as conditions of SQL. */
import type postgres from "postgres";
import { ApiError } from "../api/route.ts";
import { isOfCalendar } from "../core/time.ts";
import { parseShortId } from "../errors/mod.ts";
import type { Queryable } from "../store/database.ts";
import { likePattern } from "../store/values.ts";
import {
  parseSearchTree,
  type SearchFilter,
  type SearchNode,
  type SearchValue,
  textOf,
} from "../ui/search_tree.ts";
import { type Column, columnOf, type Dataset, errors } from "./datasets.ts";

/** What a search may name besides fields. */
export interface Projects {
  readonly projects: readonly { readonly id: string; readonly slug: string }[];
}

/** What a search means of errors: a condition on a row `t` of the events of one project. @throws {ApiError} 400 */
export function eventsMatching(
  sql: Queryable,
  query: string,
  project: { readonly id: string; readonly slug: string },
): postgres.Fragment {
  return conditionOf(sql, errors, query, { projects: [project] });
}

/**
 * The condition that a search means.
 *
 * @throws {ApiError} 400 for what makes no sense
 */
export function conditionOf(
  sql: Queryable,
  dataset: Dataset,
  query: string,
  scope: Projects,
): postgres.Fragment {
  const { node, problems: [problem] } = parseSearchTree(query, () => true);
  if (problem !== undefined) {
    throw ApiError.detail(400, `Error parsing search query: "${problem.part}": ${problem.reason}`);
  }
  return meaning(node);

  function meaning(node: SearchNode): postgres.Fragment {
    switch (node.kind) {
      case "and":
        return joined(node.nodes, sql` and `, sql`true`);
      case "or":
        return joined(node.nodes, sql` or `, sql`false`);
      case "not":
        return sql`not coalesce(${meaning(node.node)}, false)`;
      case "text":
        return sql`${dataset.text(sql)} ilike ${`%${likePattern(textOf(node.value))}%`}::text`;
      case "filter":
        return node.isNegated
          ? sql`not coalesce((${positive(node)}), false)`
          : sql`coalesce((${positive(node)}), false)`;
    }
  }

  function joined(
    nodes: readonly SearchNode[],
    by: postgres.Fragment,
    none: postgres.Fragment,
  ): postgres.Fragment {
    const [first, ...others] = nodes;
    if (first === undefined) return none;
    return sql`(${others.reduce((all, each) => sql`${all}${by}${meaning(each)}`, meaning(first))})`;
  }

  function positive({ key, isTag, values }: SearchFilter): postgres.Fragment {
    if (!isTag && key === "has") {
      return anyOf(values, (value) => {
        const column = columnOf(dataset, textOf(value));
        return column.type === "string"
          ? sql`${column.of(sql)} <> ''`
          : sql`${column.of(sql)} is not null`;
      });
    }
    if (!isTag && (key === "project" || key === "project.name")) {
      const named = values.map(textOf);
      const ids = scope.projects
        .filter(({ slug, id }) => named.some((name) => name === slug || name === id))
        .map(({ id }) => id);
      return sql`t.project_id = any (${ids}::bigint[])`;
    }
    if (!isTag && key === "issue" && "issue" in dataset.columns) {
      return anyOf(values, (value) => ofIssue(textOf(value)));
    }
    const column = columnOf(dataset, isTag ? `tags[${key}]` : key);
    return anyOf(values, (value) => compared(column, key, value));
  }

  function anyOf(
    values: readonly SearchValue[],
    one: (value: SearchValue) => postgres.Fragment,
  ): postgres.Fragment {
    const [first, ...others] = values;
    if (first === undefined) return sql`false`;
    return sql`(${others.reduce((all, each) => sql`${all} or ${one(each)}`, one(first))})`;
  }

  function ofIssue(text: string): postgres.Fragment {
    const short = parseShortId(text);
    const projectId = scope.projects.find(({ slug }) => slug === short?.slug)?.id;
    if (short === null || projectId === undefined) return sql`false`;
    return sql`t.project_id = ${projectId} and t.issue_id = (
      select id from issues where project_id = ${projectId} and number = ${short.number}
    )`;
  }

  function compared(column: Column, key: string, value: SearchValue): postgres.Fragment {
    const of = column.of(sql);
    const text = textOf(value);
    if (column.type === "string") {
      if (text === "") return sql`coalesce(${of}, '') = ''`;
      return value.parts.length > 1
        ? sql`${of} ilike ${value.parts.map(likePattern).join("%")}::text`
        : sql`${of} = ${text}::text`;
    }
    const [, operator = "=", operand = ""] = /^(>=|<=|>|<|=)?(.*)$/s.exec(text) ?? [];
    const by = OPERATORS(sql)[operator] ?? sql`=`;
    if (column.type === "date") {
      const time = new Date(operand);
      if (!isOfCalendar(time.getTime())) {
        throw wrongValue(key, text, "a date as 2026-11-20T12:00:00Z");
      }
      return sql`${of} ${by} ${time}`;
    }
    const number = numberOf(operand);
    if (number === null) throw wrongValue(key, text, "a number, or a duration as 300ms");
    return sql`${of} ${by} ${number}::float8`;
  }
}

function OPERATORS(sql: Queryable): Readonly<Record<string, postgres.Fragment>> {
  return { ">": sql`>`, ">=": sql`>=`, "<": sql`<`, "<=": sql`<=`, "=": sql`=` };
}

const UNITS: Readonly<Record<string, number>> = {
  "": 1,
  ms: 1,
  s: 1_000,
  min: 60_000,
  m: 60_000,
  h: 3_600_000,
  hr: 3_600_000,
  d: 86_400_000,
};

/** A number; durations are milliseconds. */
function numberOf(text: string): number | null {
  const [, digits, unit = ""] = /^(-?\d{1,15}(?:\.\d{1,9})?)([a-z]*)$/i.exec(text.trim()) ?? [];
  const factor = Object.hasOwn(UNITS, unit.toLowerCase()) ? UNITS[unit.toLowerCase()] : undefined;
  return digits === undefined || factor === undefined ? null : Number(digits) * factor;
}

function wrongValue(key: string, text: string, wanted: string): ApiError {
  return ApiError.detail(
    400,
    `Error parsing search query: ${key}: "${text.slice(0, 40)}": write ${wanted}`,
  );
}
