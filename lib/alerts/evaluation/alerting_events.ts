/** The events that an alert is about, as conditions on `events`. */
import type postgres from "postgres";
import type { Queryable } from "../../store/database.ts";
import { matchingButScope } from "../../errors/issue_conditions.ts";
import type { IssueFilter, IssueTerm } from "../../errors/issue_filter.ts";
import { isFactKey } from "../../records/event_facts.ts";
import { parseIssueSearch } from "../../errors/issue_search.ts";
import { likePattern } from "../../store/like_pattern.ts";
import { inScope } from "../../store/scope_filter.ts";

/** Which errors of a project are meant. */
export interface ErrorSelection {
  readonly projectId: string;
  /** Empty means all. */
  readonly environments: readonly string[];
  /** In the words of the issue search. */
  readonly search: string;
}

/** A stretch of time; `end` is exclusive. */
export interface Window {
  readonly start: Date;
  readonly end: Date;
}

/**
 * A query for the events of a window. What a search says of tags, levels, platforms and users is asked of each event,
 * the rest of its issue.
 *
 * @param columns what it selects
 */
export function eventsIn(
  sql: Queryable,
  { projectId, environments, search }: ErrorSelection,
  { start, end }: Window,
  columns: postgres.Fragment,
): postgres.Fragment {
  const { filter, statuses } = parseIssueSearch(search, end);
  const { ofEvents, ofIssues } = split(filter);
  const conditions = ofEvents.map((term) => eventCondition(sql, term)).reduce(
    (all, condition) => sql`${all} and ${condition}`,
    sql``,
  );
  const asksIssues = ofIssues.text.length + ofIssues.terms.length > 0 || statuses !== undefined;
  const scope = { environments: [], releases: [], start, end };
  const issues = asksIssues
    ? sql`
      and events.issue_id in (
        select i.id from issues as i
        where ${matchingButScope(sql, { projectId, ...scope, filter: ofIssues, statuses })}
      )
    `
    : sql``;
  return sql`
    select ${columns} from events
    where events.project_id = ${projectId}
      and events."timestamp" >= ${start} and events."timestamp" < ${end}
      ${inScope(sql, { environments, releases: [] })} ${conditions} ${issues}
  `;
}

type Term = IssueFilter["terms"][number];
type EventTerm = Extract<IssueTerm, { kind: "column" | "tag" | "user" | "trace" }>;

function split(
  filter: IssueFilter,
): { ofEvents: (EventTerm & { readonly negated: boolean })[]; ofIssues: IssueFilter } {
  const isOfEvents = (term: Term): term is EventTerm & { readonly negated: boolean } =>
    (term.kind === "tag" && !isFactKey(term.key)) || ["user", "trace"].includes(term.kind) ||
    (term.kind === "column" && term.column !== "type");
  return {
    ofEvents: filter.terms.filter(isOfEvents),
    ofIssues: { text: filter.text, terms: filter.terms.filter((term) => !isOfEvents(term)) },
  };
}

/** Tags that are columns of events. */
const TAG_COLUMNS = new Set(["environment", "release", "transaction"]);

function eventCondition(
  sql: Queryable,
  term: EventTerm & { readonly negated: boolean },
): postgres.Fragment {
  const condition = positive(sql, term);
  // What an event does not have is not what was asked for.
  return term.negated ? sql`(${condition}) is not true` : condition;
}

function positive(sql: Queryable, term: EventTerm): postgres.Fragment {
  switch (term.kind) {
    case "column":
      return sql`events.${sql(term.column)} like ${likePattern(term.value)}`;
    case "user":
      return sql`events.user_key like ${likePattern(term.value)}`;
    case "trace":
      return sql`events.trace_id = ${term.traceId}::uuid`;
    case "tag": {
      const value = TAG_COLUMNS.has(term.key)
        ? sql`nullif(events.${sql(term.key)}, '')`
        : sql`(events.tags->>${term.key}::text)`;
      return term.value === null
        ? sql`${value} is not null`
        : sql`${value} like ${likePattern(term.value)}`;
    }
  }
}
