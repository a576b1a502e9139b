import type postgres from "postgres";
import type { Queryable } from "./database.ts";
import type { IssueFilter, IssueTerm } from "./issue_filter.ts";
import type { IssueStatus } from "./issue_status.ts";
import { likePattern } from "./like_pattern.ts";
import { DAY_MS, dayOf, inScope, type QueryScope } from "./scope_filter.ts";

/** Which issues of a project are meant. */
export interface IssueSelection extends QueryScope {
  readonly projectId: string;
  readonly filter: IssueFilter;
  /** All when absent. */
  readonly statuses?: readonly IssueStatus[] | undefined;
}

/** The `where` condition on `issues as i` for a selection. */
export function matching(
  sql: Queryable,
  selection: IssueSelection,
  now: Date = new Date(),
): postgres.Fragment {
  const { projectId, statuses, filter, start, end } = selection;
  const conditions = [
    ...filter.text.map((word) => contains(sql, word)),
    ...filter.terms.map((term) => {
      const condition = termCondition(sql, projectId, term);
      return term.negated ? sql`not (${condition})` : condition;
    }),
    ...scopeConditions(sql, selection, now),
  ];
  return sql`
    i.project_id = ${projectId}
    ${statuses === undefined ? sql`` : sql`and i.status = any (${[...statuses]}::text[])`}
    and i.last_seen_on >= ${
    dayOf(start)
  }::date and i.last_seen >= ${start} and i.first_seen < ${end}
    ${conditions.reduce((all, condition) => sql`${all} and ${condition}`, sql``)}
  `;
}

function contains(sql: Queryable, word: string): postgres.Fragment {
  const pattern = `%${likePattern(word)}%`;
  return sql`(i.title ilike ${pattern} or i.culprit ilike ${pattern} or i.metadata->>'value' ilike ${pattern})`;
}

/**
 * Whether an issue happened within the scope. A range that reaches to the present is told by the issue and by its
 * tags, which know when they were last seen; one that lies in the past needs the tallies.
 */
function scopeConditions(
  sql: Queryable,
  scope: IssueSelection,
  now: Date,
): postgres.Fragment[] {
  const { projectId, environments, releases, start, end } = scope;
  if (end.getTime() < now.getTime() - DAY_MS) {
    return [sql`exists (
      select from issue_days d
      where d.project_id = ${projectId} and d.issue_id = i.id
        and d.day >= ${dayOf(start)}::date and d.day <= ${dayOf(new Date(end.getTime() - 1))}::date
      ${inScope(sql, scope)}
    )`];
  }
  const seen = (key: string, values: readonly string[]) =>
    values.length === 0 ? [] : [sql`exists (
      select from issue_tags t
      where t.project_id = ${projectId} and t.key = ${key} and t.value = any (${[
      ...values,
    ]}::text[])
        and t.issue_id = i.id and t.last_seen >= ${dayOf(start)}::date
    )`];
  return [...seen("environment", environments), ...seen("release", releases)];
}

function termCondition(sql: Queryable, projectId: string, term: IssueTerm): postgres.Fragment {
  switch (term.kind) {
    case "column":
      return sql`i.${sql(term.column)} like ${likePattern(term.value)}`;
    case "release":
      return sql`i.${sql(term.column)} like ${likePattern(term.value)}`;
    case "regressed":
      return sql`i.is_regressed`;
    case "time":
      return term.after
        ? sql`i.${sql(term.column)} >= ${term.at}`
        : sql`i.${sql(term.column)} < ${term.at}`;
    case "count":
      return sql`i.${sql(term.column)} ${operators(sql)[term.operator]} ${term.value}`;
    case "tag":
      return tagCondition(sql, projectId, term.key, term.value);
  }
}

function operators(sql: Queryable) {
  return { ">": sql`>`, ">=": sql`>=`, "<": sql`<`, "<=": sql`<=`, "=": sql`=` };
}

function tagCondition(
  sql: Queryable,
  projectId: string,
  key: string,
  value: string | null,
): postgres.Fragment {
  const ofValue = value === null
    ? sql``
    : value.includes("*")
    ? sql`and t.value like ${likePattern(value)}`
    : sql`and t.value = ${value}`;
  return sql`exists (
    select from issue_tags t
    where t.project_id = ${projectId} and t.key = ${key} ${ofValue} and t.issue_id = i.id
  )`;
}
