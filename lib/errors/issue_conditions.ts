import { isIP } from "node:net";
import type postgres from "postgres";
import { storable } from "../core/errors.ts";
import { DAY_MS } from "../core/time.ts";
import { USER_FACTS } from "../records/error_event.ts";
import type { Queryable } from "../store/database.ts";
import { dayOf, inScope, type QueryScope } from "../store/query_limits.ts";
import { likePattern } from "../store/values.ts";
import type { IssueFilter, IssueStatus, IssueTerm } from "./issue_search.ts";

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
  return scopeConditions(sql, selection, now).reduce(
    (all, condition) => sql`${all} and ${condition}`,
    matchingButScope(sql, selection),
  );
}

/** The same for issues of which is known already that they happened within the scope. */
export function matchingButScope(sql: Queryable, selection: IssueSelection): postgres.Fragment {
  const { projectId, statuses, filter, start, end } = selection;
  const conditions = [
    ...filter.text.map((word) => contains(sql, projectId, word)),
    ...filter.terms.map((term) => {
      const condition = termCondition(sql, selection, term);
      return term.negated ? sql`not (${condition})` : condition;
    }),
  ];
  const ofStatus = statuses === undefined
    ? sql``
    : sql`and i.status = any (${[...statuses]}::text[])`;
  return sql`
    i.project_id = ${projectId} and i.merged_into is null ${ofStatus}
    and i.last_seen_on >= ${dayOf(start)}::date
    and i.last_seen >= ${start} and i.first_seen < ${end}
    ${conditions.reduce((all, condition) => sql`${all} and ${condition}`, sql``)}
  `;
}

/**
 * Whether the issue is among some others. `is true` makes Postgres look them up in a hash; joining them, it takes
 * them for a few and compares each issue with each.
 *
 * @param ids a query for issue ids
 */
function isAmong(sql: Queryable, ids: postgres.Fragment): postgres.Fragment {
  return sql`(i.id in (${ids})) is true`;
}

function contains(sql: Queryable, projectId: string, word: string): postgres.Fragment {
  const pattern = `%${likePattern(word)}%`;
  const ofAddress = isAddress(word) ? sql`or ${ofUser(sql, projectId, word)}` : sql``;
  return sql`(
    i.title ilike ${pattern} or i.culprit ilike ${pattern} or i.metadata->>'value' ilike ${pattern}
    ${ofAddress}
  )`;
}

/** An e-mail address or one of the Internet is somebody's. */
function isAddress(word: string): boolean {
  return /^[^\s@]+@[^\s@]+$/.test(word) || isIP(word) !== 0;
}

/** Whether the issue happened to a user, whichever of its names is told. */
function ofUser(sql: Queryable, projectId: string, value: string): postgres.Fragment {
  const kinds = Object.keys(USER_FACTS);
  const [kind = "", ...rest] = value.split(":");
  const isNamed = kinds.includes(kind) && rest.length > 0;
  const name = isNamed ? rest.join(":") : value;
  const meant = isNamed ? [kind] : kinds;
  const isAny = value.includes("*");
  const matches = (texts: readonly string[]) =>
    isAny ? sql`like any (${texts.map(likePattern)}::text[])` : sql`= any (${[...texts]}::text[])`;
  return isAmong(
    sql,
    sql`
      select issue_id from issue_users
      where project_id = ${projectId} and user_key ${
      matches(meant.map((each) => `${each}:${name}`))
    }
      union all
      select issue_id from issue_tags
      where project_id = ${projectId} and key = any (${meant.map((each) => `user.${each}`)}::text[])
        and value ${matches([name])}
    `,
  );
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
    const days = sql`
      select issue_id from issue_days
      where project_id = ${projectId} and day >= ${dayOf(start)}::date
        and day <= ${dayOf(new Date(end.getTime() - 1))}::date
      ${inScope(sql, scope)}
    `;
    return [isAmong(sql, days)];
  }
  return [
    ...seenSince(sql, scope, "environment", environments),
    ...seenSince(sql, scope, "release", releases),
  ];
}

function seenSince(
  sql: Queryable,
  { projectId, start }: IssueSelection,
  key: string,
  values: readonly string[],
): postgres.Fragment[] {
  if (values.length === 0) return [];
  const tagged = sql`
    select issue_id from issue_tags
    where project_id = ${projectId} and key = ${key} and value = any (${
    values.map(storable)
  }::text[])
      and last_seen >= ${dayOf(start)}::date
  `;
  return [isAmong(sql, tagged)];
}

function termCondition(
  sql: Queryable,
  { projectId, start, end }: IssueSelection,
  term: IssueTerm,
): postgres.Fragment {
  switch (term.kind) {
    case "column":
      return sql`i.${sql(term.column)} like ${likePattern(term.value)}`;
    case "release":
      return sql`i.${sql(term.column)} like ${likePattern(term.value)}`;
    case "user":
      return ofUser(sql, projectId, term.value);
    case "error": {
      const { field, value } = term;
      const stored = sql`i.metadata->>${field}`;
      const isOfIssue = value === null
        ? sql`${stored} is not null`
        : sql`${stored} ${likeOrEqual(sql, value)}`;
      // Issues know the exception that they are named after; those beside it are known since events have facts.
      return sql`(${isOfIssue} or ${tagCondition(sql, projectId, `error.${field}`, value)})`;
    }
    case "trace":
      return isAmong(
        sql,
        sql`
          select issue_id from events
          where project_id = ${projectId} and trace_id = ${term.traceId}::uuid
            and "timestamp" >= ${start} and "timestamp" < ${end}
        `,
      );
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
  const ofValue = value === null ? sql`` : sql`and value ${likeOrEqual(sql, value)}`;
  const tagged = sql`
    select issue_id from issue_tags
    where project_id = ${projectId} and key = ${key} ${ofValue}
  `;
  return isAmong(sql, tagged);
}

function likeOrEqual(sql: Queryable, value: string): postgres.Fragment {
  return value.includes("*") ? sql`like ${likePattern(value)}` : sql`= ${value}`;
}
