/** A search as a condition of SQL. */
import { isIP } from "node:net";
import type postgres from "postgres";
import { storable } from "../../core/errors.ts";
import { DAY_MS, HOUR_MS } from "../../core/time.ts";
import { USER_FACTS } from "../../records/error_event.ts";
import type { Queryable } from "../../store/database.ts";
import { dayOf, floorTo, inScope, type QueryScope } from "../../store/query_limits.ts";
import {
  type Comparison,
  type IssueFilter,
  type IssueNode,
  type IssueStatus,
  type IssueTerm,
  type Match,
  type Pattern,
  STACK_FIELDS,
  type StackField,
  type TimeRange,
  type UserField,
} from "./terms.ts";
import type { Searcher } from "./people.ts";
import { suggestedIssues } from "../ownership/issue_owners.ts";
import { isForReview } from "../workflow/inbox.ts";
import type { Assignee } from "../workflow/state.ts";

/** Which issues of a project are meant. */
export interface IssueSelection extends QueryScope {
  readonly projectId: string;
  readonly filter: IssueFilter;
  /** All when absent. */
  readonly statuses?: readonly IssueStatus[] | undefined;
  /** Who searches; without one, what is asked about people finds nothing. */
  readonly searcher?: Searcher | undefined;
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
  const { statuses, filter, projectId, start, end } = selection;
  const ofStatus = statuses === undefined
    ? sql``
    : sql`and i.status = any (${[...statuses]}::text[])`;
  return sql`
    i.project_id = ${projectId} and i.merged_into is null ${ofStatus}
    and i.last_seen_on >= ${dayOf(start)}::date
    and i.last_seen >= ${start} and i.first_seen < ${end}
    and ${nodeCondition(sql, selection, filter)}
  `;
}

/**
 * Whether the issue is among some others. `is true` makes Postgres look them up in a hash; joining them, it takes
 * them for a few and compares each issue with each.
 *
 * Without `distinct` it fears for its memory where an issue is found by many rows, and asks anew for each issue.
 *
 * @param ids a query for `issue_id`
 */
function isAmong(sql: Queryable, ids: postgres.Fragment): postgres.Fragment {
  return sql`(i.id in (select distinct found.issue_id from (${ids}) as found)) is true`;
}

/** A search, or a part of one, as a condition on `issues as i`. */
export function nodeCondition(
  sql: Queryable,
  selection: IssueSelection,
  node: IssueNode,
): postgres.Fragment {
  if (node.kind === "not") {
    // What an issue does not have is not what was asked for.
    return sql`(${nodeCondition(sql, selection, node.node)}) is not true`;
  }
  if (node.kind !== "and" && node.kind !== "or") return termCondition(sql, selection, node);
  const [first, ...others] = node.nodes.map((each) => nodeCondition(sql, selection, each));
  if (first === undefined) return node.kind === "and" ? sql`true` : sql`false`;
  const all = node.kind === "and"
    ? others.reduce((sum, each) => sql`${sum} and ${each}`, first)
    : others.reduce((sum, each) => sql`${sum} or ${each}`, first);
  return sql`(${all})`;
}

/** Whether a column is one of some texts. */
export function matches(
  sql: Queryable,
  column: postgres.Fragment,
  match: Match,
): postgres.Fragment {
  // Stars alone: comparing each value with them takes longer than reading it.
  if (match.some((parts) => parts.length > 1 && parts.every((part) => part === ""))) {
    return sql`${column} is not null`;
  }
  const exact = match.filter(({ length }) => length === 1).map(([text = ""]) => text);
  const patterns = match.filter(({ length }) => length > 1).map(likeOf);
  const isExact = sql`${column} = any (${exact}::text[])`;
  const isLike = sql`${column} ilike any (${patterns}::text[])`;
  if (patterns.length === 0) return isExact;
  return exact.length === 0 ? isLike : sql`(${isExact} or ${isLike})`;
}

/** The `like` pattern of a text with stars. */
function likeOf(pattern: Pattern): string {
  return pattern.map((part) => part.replaceAll(/[\\%_]/g, "\\$&")).join("%");
}

function contains(
  sql: Queryable,
  projectId: string,
  { pattern, within }: Extract<IssueTerm, { kind: "text" }>,
): postgres.Fragment {
  const anywhere = `%${likeOf(pattern)}%`;
  const [word = ""] = pattern;
  const isOfMessage = sql`i.title ilike ${anywhere} or i.metadata->>'value' ilike ${anywhere}`;
  if (within === "message") return sql`(${isOfMessage})`;
  const ofAddress = pattern.length === 1 && isAddress(word)
    ? sql`or ${ofUser(sql, projectId, null, [pattern])}`
    : sql``;
  const folded = anywhere.toLowerCase();
  const inStacks = inTexts(sql, projectId, (text) => sql`kind < 2 and ${text} like ${folded}`);
  return sql`(${isOfMessage} or i.culprit ilike ${anywhere} or ${inStacks} ${ofAddress})`;
}

/** Whether stacks or messages of the issue have a text that fits. */
function inTexts(
  sql: Queryable,
  projectId: string,
  fits: (text: postgres.Fragment) => postgres.Fragment,
): postgres.Fragment {
  return isAmong(
    sql,
    sql`
      select issue_id from issue_texts
      where project_id = ${projectId} and text_id in (
        select search_texts.id from search_texts
        where search_texts.project_id = ${projectId} and ${fits(sql`search_texts.text`)}
      )
    `,
  );
}

/** Frames are in lower case: their case does not count. */
function inStack(
  sql: Queryable,
  text: postgres.Fragment,
  field: StackField | "lineno",
  match: Match | null,
): postgres.Fragment {
  if (field === "lineno") return sql`kind = 2 and ${matches(sql, text, match ?? [["", ""]])}`;
  const part = sql`split_part(${text}, chr(10), ${STACK_FIELDS.indexOf(field) + 1})`;
  if (match === null) return sql`kind = 1 and ${part} <> ''`;
  const patterns = match.map((pattern) => likeOf(pattern).toLowerCase());
  const anywhere = patterns.map((pattern) => `%${pattern}%`);
  // The whole line first: it is told at once for most of them.
  return sql`kind = 1 and ${text} like any (${anywhere}::text[])
    and ${part} like any (${patterns}::text[])`;
}

/** An e-mail address or one of the Internet is somebody's. */
function isAddress(word: string): boolean {
  return /^[^\s@]+@[^\s@]+$/.test(word) || isIP(word) !== 0;
}

/** Whether the issue happened to a user, whichever of its names is told. */
function ofUser(
  sql: Queryable,
  projectId: string,
  field: UserField | null,
  match: Match | null,
): postgres.Fragment {
  const meant = field === null ? Object.keys(USER_FACTS) : [field];
  const names: Match = match ?? [["", ""]];
  const keys = meant.flatMap((each) =>
    names.map(([first = "", ...rest]) => [`${each}:${first}`, ...rest])
  );
  return isAmong(
    sql,
    sql`
      select issue_id from issue_users
      where project_id = ${projectId} and ${matches(sql, sql`user_key`, keys)}
      union all
      select issue_id from issue_tags
      where project_id = ${projectId} and key = any (${meant.map((each) => `user.${each}`)}::text[])
        and ${matches(sql, sql`value`, names)}
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
    case "text":
      return contains(sql, projectId, term);
    case "column":
    case "release": {
      const column = sql`i.${sql(term.column)}`;
      return term.match === null ? sql`${column} <> ''` : matches(sql, column, term.match);
    }
    case "user":
      return ofUser(sql, projectId, term.field, term.match);
    case "error": {
      const { field, match } = term;
      const stored = sql`(i.metadata->>${field})`;
      const isOfIssue = match === null ? sql`${stored} is not null` : matches(sql, stored, match);
      // Issues know the exception that they are named after; those beside it are known since events have facts.
      const inFacts = tagCondition(sql, projectId, `error.${field}`, match);
      return sql`(${isOfIssue} or ${inFacts})`;
    }
    case "trace":
      return isAmong(
        sql,
        sql`
          select issue_id from events
          where project_id = ${projectId} and trace_id = any (${[...term.traceIds]}::uuid[])
            and "timestamp" >= ${start} and "timestamp" < ${end}
        `,
      );
    case "event":
      return isAmong(
        sql,
        sql`
          select issue_id from event_ids
          where project_id = ${projectId} and event_id = any (${[...term.eventIds]}::uuid[])
        `,
      );
    case "issue":
      return sql`i.id = any (${[...term.ids]}::bigint[])`;
    case "number":
      // What was merged is looked for in what it is part of.
      return sql`(i.number = ${term.number} or i.id in (
        select merged_into from issues
        where project_id = ${projectId} and number = ${term.number} and merged_into is not null
      ))`;
    case "project":
      if (term.names.includes(projectId)) return sql`true`;
      return sql`exists (
        select 1 from control_projects
        where control_projects.project_id = ${projectId} and slug = any (${[...term.names]}::text[])
      )`;
    case "status":
      return sql`i.status = any (${[...term.statuses]}::text[])`;
    case "substatus":
      return sql`i.substatus is not distinct from ${term.substatus}`;
    case "for_review":
      return isForReview(sql);
    case "priority":
      return sql`i.priority = any (${[...term.priorities]}::text[])`;
    case "assigned":
      return assignedTo(sql, term.to);
    case "suggested":
      return sql`(
        i.assignee_id is null and ${isAmong(sql, suggestedIssues(sql, projectId, term.to))}
      )`;
    case "linked":
      return isAmong(sql, sql`select issue_id from issue_links where project_id = ${projectId}`);
    case "marked":
      return isAmong(
        sql,
        sql`
          select issue_id from issue_people
          where project_id = ${projectId} and user_id = any (${[...term.by]}::text[])
            and ${term.as === "bookmarked" ? sql`is_bookmarked` : sql`subscription <> 'off'`}
        `,
      );
    case "regressed_in":
      return isAmong(
        sql,
        sql`
          select issue_id from issue_activity
          where project_id = ${projectId} and type = 'set_regression'
            and ${matches(sql, sql`(data->>'version')`, term.match)}
        `,
      );
    case "time":
      return within(sql, sql`i.${sql(term.column)}`, term);
    case "seen":
      return seen(sql, projectId, term);
    case "count":
      return sql`i.${sql(term.column)} ${operators(sql)[term.operator]} ${term.value}::numeric`;
    case "tag":
      return tagCondition(sql, projectId, term.key, term.match);
    case "stack":
      return inTexts(sql, projectId, (text) => inStack(sql, text, term.field, term.match));
    case "version":
    case "people":
      // What was not settled before is not known.
      return sql`false`;
  }
}

/** Whether one of these has the issue; anybody at all when they are not told. */
function assignedTo(sql: Queryable, assignees: readonly Assignee[] | null): postgres.Fragment {
  if (assignees === null) return sql`i.assignee_id is not null`;
  const idsOf = (kind: Assignee["kind"]) =>
    assignees.filter((each) => each.kind === kind).map(({ id }) => id);
  const ofKind = (kind: Assignee["kind"]) =>
    sql`(i.assignee_kind = ${kind} and i.assignee_id = any (${idsOf(kind)}::text[]))`;
  return sql`(${ofKind("user")} or ${ofKind("team")})`;
}

function within(
  sql: Queryable,
  column: postgres.Fragment,
  { from, to }: TimeRange,
): postgres.Fragment {
  const after = from === null ? sql`` : sql`and ${column} >= ${from}`;
  const before = to === null ? sql`` : sql`and ${column} < ${to}`;
  return sql`(true ${after} ${before})`;
}

/** Whether something happened in a time: open ranges are told by the issue itself, others by its hours. */
function seen(sql: Queryable, projectId: string, { from, to }: TimeRange): postgres.Fragment {
  if (from === null || to === null) {
    return from === null
      ? within(sql, sql`i.first_seen`, { from, to })
      : within(sql, sql`i.last_seen`, { from, to });
  }
  return isAmong(
    sql,
    sql`
      select issue_id from issue_hours
      where project_id = ${projectId} and hour >= ${floorTo(HOUR_MS, from)} and hour < ${to}
    `,
  );
}

function operators(sql: Queryable): Record<Comparison, postgres.Fragment> {
  return {
    ">": sql`>`,
    ">=": sql`>=`,
    "<": sql`<`,
    "<=": sql`<=`,
    "=": sql`=`,
    "!=": sql`<>`,
  };
}

function tagCondition(
  sql: Queryable,
  projectId: string,
  key: string,
  match: Match | null,
): postgres.Fragment {
  const ofValue = match === null ? sql`` : sql`and ${matches(sql, sql`value`, match)}`;
  const tagged = sql`
    select issue_id from issue_tags
    where project_id = ${projectId} and key = ${key} ${ofValue}
  `;
  return isAmong(sql, tagged);
}
