import type postgres from "postgres";
import type { ErrorType, IssueMetadata, Level } from "../records/mod.ts";
import { DAY_MS } from "../core/time.ts";
import type { Queryable, Sql } from "../store/database.ts";
import {
  type Cursor,
  type CursorPage,
  cutPage,
  floorTo,
  isId,
  isIsoTime,
  keyset,
  type QueryScope,
  readCursor,
  withinTime,
} from "../store/query_limits.ts";
import { type IssueSelection, matching, matchingButScope } from "./search/conditions.ts";
import { countsInScope, issueSparklines, talliesInScope } from "./issue_counts.ts";
import { NOWHERE } from "./issue_merge.ts";
import { settle } from "./search/settle.ts";
import type { IssueStatus } from "./search/terms.ts";
import type { Substatus } from "./workflow/state.ts";

export interface Issue {
  readonly id: string;
  readonly projectId: string;
  /** In the order of arrival, by project: what its short id says. */
  readonly number: number;
  readonly type: ErrorType;
  readonly title: string;
  readonly culprit: string;
  readonly level: Level;
  readonly platform: string;
  readonly metadata: IssueMetadata;
  readonly status: IssueStatus;
  /** Null of what is resolved. */
  readonly substatus: Substatus | null;
  readonly firstSeen: Date;
  readonly lastSeen: Date;
  /** Events and distinct users since the beginning. */
  readonly timesSeen: number;
  readonly usersSeen: number;
  /** `""` when no event named one. */
  readonly firstRelease: string;
  readonly lastRelease: string;
  /** The issue that this one was merged into, or null. Lists leave merged ones out. */
  readonly mergedInto: string | null;
}

export interface IssueRow extends Issue {
  /** Events within the scope of the list. */
  readonly countInScope: number;
  /** Events of the last 24 hours, hour by hour, oldest first. */
  readonly sparkline: number[];
}

export type IssuePage = CursorPage<IssueRow>;

/**
 * `trends`: what happens now counts most, twice as much as a day before, and what is new more than what is known;
 * `inbox`: since when issues are in the state they are in.
 */
export const ISSUE_SORTS = [
  "last_seen",
  "first_seen",
  "events",
  "users",
  "trends",
  "inbox",
] as const;
export type IssueSort = (typeof ISSUE_SORTS)[number];

export interface IssueQuery extends IssueSelection {
  readonly sort: IssueSort;
  readonly cursor: string | null;
  readonly limit: number;
}

/** A search for rare words looks at every issue of its time: nobody waits for that any longer. */
const STATEMENT_TIMEOUT_MS = 8_000;

/**
 * One page of a project's issues, the highest sort value first. A cursor that is not ours asks for the first page.
 *
 * @throws {QueryTooSlow} when the search takes too long: a shorter time or fewer words would do
 */
export function listIssues(sql: Sql, query: IssueQuery): Promise<IssuePage> {
  return listIssuesOf(sql, [query.projectId], query);
}

/** The same over several projects, in one order: issue ids are of one sequence, so a cursor means the same in each. */
export async function listIssuesOf(
  sql: Sql,
  projectIds: readonly string[],
  query: Omit<IssueQuery, "projectId">,
): Promise<IssuePage> {
  const { limit, sort } = query;
  const cursor = readCursor(
    query.cursor,
    (value, id) => isId(id) && (isByTime(sort) ? isIsoTime(value) : isId(value)),
  );
  const found = await Promise.all(
    projectIds.map(async (projectId) => {
      const filter = await settle(sql, projectId, query.filter, query.searcher);
      return await findIssues(sql, { ...query, projectId, filter }, cursor);
    }),
  );
  const inOrder = found.length === 1 ? found.flat() : merged(found, sort, cursor);
  const page = cutPage(inOrder.slice(0, limit + 1), limit, cursor, (issue) => ({
    value: sortValue(issue, sort),
    id: issue.id,
  }));
  const byProject = Map.groupBy(page.rows, (issue) => issue.projectId);
  const figures = await Promise.all(
    [...byProject].map(([projectId, issues]) => figuresOf(sql, projectId, issues, query)),
  );
  const byIssue = new Map(figures.flatMap((each) => [...each]));
  return {
    ...page,
    rows: page.rows.map((found) => ({
      ...issueOf(found),
      ...byIssue.get(found.id) ?? { countInScope: 0, sparkline: [] },
    })),
  };
}

async function findIssues(
  sql: Sql,
  query: IssueQuery,
  cursor: Cursor | null,
): Promise<FoundIssue[]> {
  const rows = await withinTime(
    sql,
    STATEMENT_TIMEOUT_MS,
    (tx) =>
      query.sort === "events" || query.sort === "trends"
        ? byTallies(tx, query, query.sort, cursor)
        : byColumn(tx, query, SORT_COLUMNS[query.sort](tx), cursor),
  );
  return rows.map(toIssue);
}

/** Sorted as each project's own are: in reading direction, by sort value and then by id. */
function merged(
  found: readonly FoundIssue[][],
  sort: IssueSort,
  cursor: Cursor | null,
): FoundIssue[] {
  const sign = cursor?.direction === "previous" ? 1 : -1;
  const rank = (issue: FoundIssue) =>
    isByTime(sort) ? Date.parse(sortValue(issue, sort)) : Number(sortValue(issue, sort));
  return found.flat().sort((a, b) =>
    sign * (rank(a) - rank(b)) || sign * (Number(a.id) - Number(b.id))
  );
}

type Figures = Pick<IssueRow, "countInScope" | "sparkline">;

async function figuresOf(
  sql: Sql,
  projectId: string,
  issues: readonly Issue[],
  scope: QueryScope,
): Promise<Map<string, Figures>> {
  const ids = issues.map(({ id }) => id);
  const [counts, lines] = await Promise.all([
    countsInScope(sql, projectId, ids, scope),
    issueSparklines(sql, projectId, ids, scope),
  ]);
  return new Map(ids.map((id) => [id, {
    countInScope: counts.get(id) ?? 0,
    sparkline: lines.get(id) ?? [],
  }]));
}

/** Those of these issues that a project has, in no order. */
export async function findIssuesById(
  sql: Sql,
  projectId: string,
  issueIds: readonly string[],
): Promise<Issue[]> {
  const rows = await sql<RawIssue[]>`
    select ${columns(sql)} from issues i
    where i.project_id = ${projectId} and i.id = any (${[...issueIds]}::bigint[]) and ${
    isThere(sql)
  }
  `;
  return rows.map((row) => issueOf(toIssue(row)));
}

/** Some of a project's issues, in the order of `issueIds`, counted within a scope. */
export async function rowsById(
  sql: Sql,
  projectId: string,
  issueIds: readonly string[],
  scope: QueryScope,
): Promise<IssueRow[]> {
  const issues = await findIssuesById(sql, projectId, issueIds);
  const figures = await figuresOf(sql, projectId, issues, scope);
  const byId = new Map(issues.map((issue) => [issue.id, issue]));
  return issueIds.flatMap((id) => {
    const [issue, counted] = [byId.get(id), figures.get(id)];
    return issue === undefined || counted === undefined ? [] : [{ ...issue, ...counted }];
  });
}

/** An issue of a project, or null. */
export async function findIssue(
  sql: Sql,
  projectId: string,
  issueId: string,
): Promise<Issue | null> {
  const [row] = await sql<RawIssue[]>`
    select ${columns(sql)} from issues i
    where i.project_id = ${projectId} and i.id = ${issueId} and ${isThere(sql)}
  `;
  return row === undefined ? null : issueOf(toIssue(row));
}

type RawIssue = Omit<Issue, "number" | "timesSeen" | "usersSeen"> & {
  readonly number: string;
  readonly timesSeen: string;
  readonly usersSeen: string;
  /** Of what is sorted by it and is no column of issues. */
  readonly sortValue?: string | Date;
};

type FoundIssue = Issue & { readonly sortValue: string | Date };

function issueOf({ sortValue: _, ...issue }: FoundIssue): Issue {
  return issue;
}

function toIssue(row: RawIssue): FoundIssue {
  return {
    ...row,
    number: Number(row.number),
    timesSeen: Number(row.timesSeen),
    usersSeen: Number(row.usersSeen),
    sortValue: row.sortValue ?? "0",
  };
}

function sortValue(issue: FoundIssue, sort: IssueSort): string {
  switch (sort) {
    case "last_seen":
      return issue.lastSeen.toISOString();
    case "first_seen":
      return issue.firstSeen.toISOString();
    case "users":
      return String(issue.usersSeen);
    default: {
      const { sortValue: value } = issue;
      return value instanceof Date ? value.toISOString() : value;
    }
  }
}

function isByTime(sort: IssueSort): boolean {
  return sort === "last_seen" || sort === "first_seen" || sort === "inbox";
}

const SORT_COLUMNS = {
  last_seen: (sql: Queryable) => sql`i.last_seen`,
  first_seen: (sql: Queryable) => sql`i.first_seen`,
  users: (sql: Queryable) => sql`i.users_seen`,
  // Cursors know milliseconds.
  inbox: (sql: Queryable) =>
    sql`date_trunc('milliseconds', coalesce(i.substatus_since, i.status_changed_at))`,
};

function byColumn(
  sql: Queryable,
  query: IssueQuery,
  column: postgres.Fragment,
  cursor: Cursor | null,
): PromiseLike<RawIssue[]> {
  const { beyond, order } = keyset(
    sql,
    cursor,
    [column, sql`i.id`],
    ({ value, id }) =>
      isByTime(query.sort)
        ? sql`${value}::text::timestamptz, ${id}::bigint`
        : sql`${value}::bigint, ${id}::bigint`,
  );
  return sql<RawIssue[]>`
    select ${columns(sql)}, ${column} as "sortValue" from issues i
    where ${matching(sql, query)} ${beyond}
    order by ${order}
    limit ${query.limit + 1}
  `;
}

/**
 * Adds up all issues in scope first, and looks at what else is asked for afterwards (`offset 0` keeps that apart):
 * how few issues a search leaves is beyond the planner, and it would add up once for each of them.
 */
function byTallies(
  sql: Queryable,
  query: IssueQuery,
  sort: "events" | "trends",
  cursor: Cursor | null,
): PromiseLike<RawIssue[]> {
  const { added, value } = sort === "events" ? events(sql) : trends(sql, query.end);
  const { beyond, order } = keyset(
    sql,
    cursor,
    [sql`i.sort_value`, sql`i.id`],
    ({ value, id }) => sql`${value}::bigint, ${id}::bigint`,
  );
  return sql<RawIssue[]>`
    select ${columns(sql)}, i.sort_value as "sortValue"
    from (
      select issues.*, ${value} as sort_value
      from (
        select issue_id as id, ${added} as n
        from (${talliesInScope(sql, query.projectId, query)}) as tallies
        group by issue_id
      ) as counted
      join issues using (id)
      where issues.project_id = ${query.projectId}
      offset 0
    ) as i
    where ${matchingButScope(sql, query)}
    ${beyond}
    order by ${order}
    limit ${query.limit + 1}
  `;
}

/** What is added up of the tallies, and the whole number that issues are sorted by. */
interface TallySort {
  readonly added: postgres.Fragment;
  readonly value: postgres.Fragment;
}

function events(sql: Queryable): TallySort {
  return { added: sql`sum(times_seen)`, value: sql`counted.n` };
}

/** Events count half as much a day earlier, and issues half as much when they are so many days older. */
const ISSUES_HALVED_DAYS = 14;

/**
 * In thousandths of doublings, from the epoch: the order does not depend on when one asks, so that the next page goes on
 * where the last one ended.
 */
function trends(sql: Queryable, end: Date): TallySort {
  const today = floorTo(DAY_MS, end).getTime() / DAY_MS;
  const halvedSec = ISSUES_HALVED_DAYS * DAY_MS / 1000;
  return {
    added: sql`sum(times_seen::float8 * power(2::float8, at))`,
    value: sql`
      round(1000 * (
        ln(greatest(counted.n, 1e-300)) / ln(2::float8) + ${today}::float8
        + date_part('epoch', issues.first_seen) / ${halvedSec}::float8
      ))::bigint
    `,
  };
}

/** Those that are deleted are merged into nothing. */
function isThere(sql: Queryable): postgres.Fragment {
  return sql`merged_into is distinct from ${NOWHERE}`;
}

function columns(sql: Queryable): postgres.Fragment {
  return sql`
    i.id,
    i.project_id as "projectId",
    i.number,
    i.type,
    i.title,
    i.culprit,
    i.level,
    i.platform,
    i.metadata,
    i.status,
    i.substatus,
    i.first_seen as "firstSeen",
    i.last_seen as "lastSeen",
    i.times_seen as "timesSeen",
    i.users_seen as "usersSeen",
    i.first_release as "firstRelease",
    i.last_release as "lastRelease",
    i.merged_into as "mergedInto"
  `;
}

/**
 * Those of these issues that a project has.
 *
 * @param issueIds what a client sent, whatever it is
 */
export async function issuesOfProject(
  sql: Sql,
  projectId: string,
  issueIds: readonly string[],
): Promise<string[]> {
  const ids = issueIds.filter(isId);
  if (ids.length === 0) return [];
  const rows = await sql<{ id: string }[]>`
    select id from issues
    where project_id = ${projectId} and id = any (${ids}::bigint[]) and ${isThere(sql)}
  `;
  return rows.map(({ id }) => id);
}

/**
 * Which of these issues are in which of these projects; ids that are unknown, or of other projects, are left out. A
 * merged issue stands for what it is part of.
 *
 * @param issueIds what a client sent, whatever it is
 * @returns issue ids by project id
 */
export async function issuesByProject(
  sql: Sql,
  projectIds: readonly string[],
  issueIds: readonly string[],
): Promise<Map<string, string[]>> {
  const ids = issueIds.filter(isId);
  if (ids.length === 0 || projectIds.length === 0) return new Map();
  const rows = await sql<{ projectId: string; id: string }[]>`
    select distinct project_id as "projectId", coalesce(merged_into, id) as id from issues
    where project_id = any (${[...projectIds]}::bigint[]) and id = any (${ids}::bigint[])
      and ${isThere(sql)}
    order by project_id, id
  `;
  const byProject = Map.groupBy(rows, ({ projectId }) => projectId);
  return new Map(
    [...byProject].map(([projectId, found]) => [projectId, found.map(({ id }) => id)]),
  );
}

/** Which of a project's issues something happened in that the application did not catch. */
export async function unhandledIssues(
  sql: Sql,
  projectId: string,
  issueIds: readonly string[],
): Promise<Set<string>> {
  const rows = await sql<{ id: string }[]>`
    select issue_id as id from issue_tags
    where project_id = ${projectId} and issue_id = any (${[...issueIds]}::bigint[])
      and key = 'handled' and value = 'no'
  `;
  return new Set(rows.map(({ id }) => id));
}
