/** Errors within windows: how many, and of how many users. */
import {
  allOf,
  conditionsOf,
  type IssueNode,
  type IssueTerm,
  matches,
  matching,
  matchingButScope,
  parseIssueSearch,
  type Searcher,
  settle,
} from "../../errors/mod.ts";
import { DAY_MS, HOUR_MS } from "../../core/time.ts";
import type postgres from "postgres";
import { isFactKey, USER_FACTS } from "../../records/error_event.ts";
import type { Queryable, Sql } from "../../store/database.ts";
import { eventsWithShared, tagOf } from "../../store/event_tags.ts";
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
  const understood = await understand(sql, selection, windows);
  const rows = await withinTime(sql, timeoutMs, (tx) =>
    tx<{ place: number; count: string }[]>`
      select place, sum(times_seen) as count
      from (${
      understood.map((window, place) => countsIn(tx, selection, window, place))
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
  const understood = await understand(sql, selection, windows);
  const rows = await withinTime(
    sql,
    timeoutMs,
    (tx) =>
      tx<{ place: number; step: number; count: string }[]>`
      select place, step, ${
        selection.measure === "users" ? tx`count(distinct user_key)` : tx`count(*)`
      } as count
      from (${
        understood.map((window, place) => {
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
  window: Understood,
  place: number,
): postgres.Fragment {
  const one = sql`${place}::int as place, 1 as times_seen`;
  const first = ceilTo(HOUR_MS, window.start);
  const last = floorTo(HOUR_MS, window.end);
  const isShort = window.end.getTime() - window.start.getTime() < MIN_HOURS_MS;
  if (isShort || selection.search !== "") return eventsIn(sql, selection, window, one);
  return sql`
    ${eventsIn(sql, selection, { ...window, end: first }, one)}
    union all
    select ${place}::int, times_seen from issue_hours
    where project_id = ${selection.projectId} and hour >= ${first} and hour < ${last}
      ${inScope(sql, { environments: selection.environments, releases: [] })}
    union all
    ${eventsIn(sql, selection, { ...window, start: last }, one)}
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
  const { projectId, environments, search, searcher, measure, ruleId } = selection;
  const late = new Date(window.start.getTime() - LATE_MS);
  const range = { start: late, end: new Date(window.end.getTime() + HOUR_MS) };
  const { filter: asked } = parseIssueSearch(search, window.end);
  const filter = await settle(sql, projectId, asked, searcher);
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
        and ${
        isNew
          ? tx`i.substatus in ('new', 'ongoing') and i.first_seen >= ${late}`
          : tx`i.substatus = 'regressed'`
      }
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
  /** Finds the people and teams that the search names. */
  readonly searcher: Searcher;
}

/** A stretch of time; `end` is exclusive. */
export interface Window {
  readonly start: Date;
  readonly end: Date;
}

/** A window with what the search means in it: its relative times count from the window's end. */
interface Understood extends Window {
  readonly search: IssueNode;
}

async function understand(
  sql: Sql,
  { projectId, search, searcher }: ErrorSelection,
  windows: readonly Window[],
): Promise<Understood[]> {
  return await Promise.all(windows.map(async (window) => {
    const { filter, statuses } = parseIssueSearch(search, window.end);
    const status = statuses === undefined ? [] : [{ kind: "status", statuses } as const];
    const all = allOf([filter, ...status]);
    return { ...window, search: await settle(sql, projectId, all, searcher) };
  }));
}

/**
 * A query for the events of a window. What a search says of tags, levels, platforms and users is asked of each event,
 * the rest of its issue.
 *
 * @param columns what it selects
 */
function eventsIn(
  sql: Queryable,
  { projectId, environments }: ErrorSelection,
  { start, end, search }: Understood,
  columns: postgres.Fragment,
): postgres.Fragment {
  const ofIssues = (node: IssueNode) =>
    sql`
      events.issue_id in (
        select i.id from issues as i
        where ${
      matchingButScope(sql, {
        projectId,
        environments: [],
        releases: [],
        start,
        end,
        filter: node,
      })
    }
      )
    `;
  return sql`
    select ${columns} from ${eventsWithShared(sql)} as events
    where events.project_id = ${projectId}
      and events."timestamp" >= ${start} and events."timestamp" < ${end}
      ${inScope(sql, { environments, releases: [] })} and ${condition(sql, search, ofIssues)}
  `;
}

/** @param ofIssues a condition on the issue of an event */
function condition(
  sql: Queryable,
  node: IssueNode,
  ofIssues: (node: IssueNode) => postgres.Fragment,
): postgres.Fragment {
  if (isOfIssue(node)) return isEmpty(node) ? sql`true` : ofIssues(node);
  switch (node.kind) {
    case "and": {
      // What is asked of issues is asked once, together.
      const rest = allOf(conditionsOf(node).filter(isOfIssue));
      const parts = node.nodes.filter((each) => !isOfIssue(each));
      return [...parts, ...isEmpty(rest) ? [] : [rest]]
        .map((each) => condition(sql, each, ofIssues))
        .reduce((all, each) => sql`${all} and ${each}`);
    }
    case "or": {
      const any = node.nodes.map((each) => condition(sql, each, ofIssues))
        .reduce((all, each) => sql`${all} or ${each}`);
      return sql`(${any})`;
    }
    case "not":
      // What an event does not have is not what was asked for.
      return sql`(${condition(sql, node.node, ofIssues)}) is not true`;
    default:
      return isEventTerm(node) ? eventCondition(sql, node) : ofIssues(node);
  }
}

function isEmpty(node: IssueNode): boolean {
  return node.kind === "and" && node.nodes.length === 0;
}

/** Whether nothing of a search can be asked of the events themselves. */
function isOfIssue(node: IssueNode): boolean {
  if (node.kind === "and" || node.kind === "or") return node.nodes.every(isOfIssue);
  return node.kind === "not" ? isOfIssue(node.node) : !isEventTerm(node);
}

type EventTerm = Extract<IssueTerm, { kind: "column" | "tag" | "user" | "trace" | "event" }>;

function isEventTerm(node: IssueNode): node is EventTerm {
  return (node.kind === "tag" && !isFactKey(node.key)) ||
    ["user", "trace", "event"].includes(node.kind) ||
    (node.kind === "column" && ["level", "platform", "title"].includes(node.column));
}

/** Tags that are columns of events. */
const TAG_COLUMNS = new Set(["environment", "release", "transaction"]);

function eventCondition(sql: Queryable, term: EventTerm): postgres.Fragment {
  switch (term.kind) {
    case "column": {
      const column = sql`events.${sql(term.column)}`;
      return term.match === null ? sql`${column} <> ''` : matches(sql, column, term.match);
    }
    case "user": {
      const { field, match } = term;
      if (match === null) return sql`events.user_key like ${`${field ?? ""}%`}`;
      const kinds = field === null ? Object.keys(USER_FACTS) : [field];
      const keys = kinds.flatMap((kind) =>
        match.map(([first = "", ...rest]) => [`${kind}:${first}`, ...rest])
      );
      return matches(sql, sql`events.user_key`, keys);
    }
    case "trace":
      return sql`events.trace_id = any (${[...term.traceIds]}::uuid[])`;
    case "event":
      return sql`events.event_id = any (${[...term.eventIds]}::uuid[])`;
    case "tag": {
      const value = TAG_COLUMNS.has(term.key)
        ? sql`nullif(events.${sql(term.key)}, '')`
        : tagOf(sql, "events", term.key);
      return term.match === null ? sql`${value} is not null` : matches(sql, value, term.match);
    }
  }
}
