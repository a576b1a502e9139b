/** Errors within windows: how many, and of how many users. */
import {
  type IssueFilter,
  type IssueTerm,
  matching,
  matchingButScope,
  parseIssueSearch,
} from "../../errors/mod.ts";
import { DAY_MS, HOUR_MS } from "../../core/time.ts";
import type postgres from "postgres";
import { isFactKey } from "../../records/error_event.ts";
import type { Queryable, Sql } from "../../store/database.ts";
import { likePattern } from "../../store/values.ts";
import { ceilTo, floorTo, inScope, withinTime } from "../../store/query_limits.ts";

/** From here on whole hours are read as such. */
const MIN_HOURS_MS = 6 * HOUR_MS;
/**
 * Counts the events of each window.
 *
 * @param windows at least one
 * @returns as many counts
 * @throws {QueryTooSlow} when it takes longer than `timeoutMs`
 */
export async function countEvents(
  sql: Sql,
  selection: ErrorSelection,
  windows: readonly Window[],
  timeoutMs: number,
): Promise<number[]> {
  const rows = await withinTime(sql, timeoutMs, (tx) =>
    tx<{ place: number; count: string }[]>`
      select place, sum(times_seen) as count
      from (${
      windows.map((window, place) => countsIn(tx, selection, window, place))
        .reduce((all, part) => tx`${all} union all ${part}`)
    }) as counted
      group by place
    `);
  const counts = new Map(rows.map(({ place, count }) => [place, Number(count)]));
  return windows.map((_, place) => counts.get(place) ?? 0);
}

/**
 * Counts the events, or their different users, of stretches of time that are divided into steps.
 *
 * @param windows at least one, each a whole number of steps long
 * @returns for each of them a count for each step
 * @throws {QueryTooSlow} as `countEvents()`
 */
export async function countOverTime(
  sql: Sql,
  selection: ErrorSelection & { readonly measure: "events" | "users" },
  windows: readonly Window[],
  { stepMs, timeoutMs }: { readonly stepMs: number; readonly timeoutMs: number },
): Promise<number[][]> {
  const rows = await withinTime(
    sql,
    timeoutMs,
    (tx) =>
      tx<{ place: number; step: number; count: string }[]>`
      select place, step, ${
        selection.measure === "users" ? tx`count(distinct user_key)` : tx`count(*)`
      } as count
      from (${
        windows.map((window, place) => {
          const since = tx`extract(epoch from events."timestamp" - ${window.start}::timestamptz)`;
          const step = tx`floor(${since} * 1000 / ${stepMs}::float8)::int as step`;
          return eventsIn(tx, selection, window, tx`${place}::int as place, ${step}, user_key`);
        }).reduce((all, part) => tx`${all} union all ${part}`)
      }) as seen
      group by place, step
    `,
  );
  const counts = windows.map(({ start, end }) =>
    Array.from({ length: Math.round((end.getTime() - start.getTime()) / stepMs) }, () => 0)
  );
  for (const { place, step, count } of rows) {
    const line = counts[place];
    if (line !== undefined && step < line.length) line[step] = Number(count);
  }
  return counts;
}

/** Rows of `(place, times_seen)`. */
function countsIn(
  sql: Queryable,
  selection: ErrorSelection,
  window: Window,
  place: number,
): postgres.Fragment {
  const one = sql`${place}::int as place, 1 as times_seen`;
  const first = ceilTo(HOUR_MS, window.start);
  const last = floorTo(HOUR_MS, window.end);
  const isShort = window.end.getTime() - window.start.getTime() < MIN_HOURS_MS;
  if (isShort || selection.search !== "") return eventsIn(sql, selection, window, one);
  return sql`
    ${eventsIn(sql, selection, { start: window.start, end: first }, one)}
    union all
    select ${place}::int, times_seen from issue_hours
    where project_id = ${selection.projectId} and hour >= ${first} and hour < ${last}
      ${inScope(sql, { environments: selection.environments, releases: [] })}
    union all
    ${eventsIn(sql, selection, { start: last, end: window.end }, one)}
  `;
}

/** An issue that began or came back. */
interface AlertingIssue {
  readonly issueId: string;
  readonly title: string;
  readonly timesSeen: number;
  /** When it began or came back. */
  readonly changedAt: Date;
}

/** Events that a client kept while it was offline begin issues that are new all the same. */
const LATE_MS = DAY_MS;

/**
 * The issues that began, or came back after they had been resolved, within the window, by the time at which that was
 * received. New ones that the rule has alerted of before the window are left out, since a person may reopen one.
 *
 * @throws {QueryTooSlow} as `countEvents()`
 */
export async function findChangedIssues(
  sql: Sql,
  selection: ErrorSelection & {
    readonly measure: "new_issue" | "regression";
    /** Null: a rule that is still being written. */
    readonly ruleId: string | null;
  },
  window: Window,
  { limit, timeoutMs }: { readonly limit: number; readonly timeoutMs: number },
): Promise<AlertingIssue[]> {
  const { projectId, environments, search, measure, ruleId } = selection;
  const late = new Date(window.start.getTime() - LATE_MS);
  const range = { start: late, end: new Date(window.end.getTime() + HOUR_MS) };
  const { filter } = parseIssueSearch(search, window.end);
  const isNew = measure === "new_issue";
  const rows = await withinTime(
    sql,
    timeoutMs,
    (tx) =>
      tx<(Omit<AlertingIssue, "timesSeen"> & { timesSeen: string })[]>`
      select i.id::text as "issueId", i.title, i.times_seen as "timesSeen", i.status_changed_at as "changedAt" from issues as i
      where ${
        matching(tx, {
          projectId,
          environments,
          releases: [],
          ...range,
          filter,
          statuses: ["unresolved"],
        }, window.end)
      }
        and i.status_changed_at >= ${window.start} and i.status_changed_at < ${window.end}
        and ${isNew ? tx`not i.is_regressed and i.first_seen >= ${late}` : tx`i.is_regressed`}
        ${
        ruleId === null || !isNew ? tx`` : tx`
        and i.id::text not in (
          select "group" from alert_history
          where project_id = ${projectId} and rule_id = ${ruleId}
            and "at" >= ${late} and "at" < ${window.start} and to_status = 'firing'
        )
      `
      }
      order by i.status_changed_at, i.id
      limit ${limit}
    `,
  );
  return rows.map(({ timesSeen, ...issue }) => ({ ...issue, timesSeen: Number(timesSeen) }));
}

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
function eventsIn(
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
