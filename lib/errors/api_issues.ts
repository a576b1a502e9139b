import { z } from "zod";
import { authorize, type ProjectAccess } from "../accounts/authorize.ts";
import type { Permission } from "../accounts/members.ts";
import { listProjects, type Project } from "../accounts/projects.ts";
import { requireOrganization, visibleProjects } from "../api/access.ts";
import { readLimit, readScope } from "../api/lists.ts";
import {
  type ApiContext,
  ApiError,
  behind,
  inSearchTime,
  listReply,
  notFound,
} from "../api/route.ts";
import { DAY_MS } from "../core/time.ts";
import type { IssueMetadata } from "../records/mod.ts";
import type { Sql } from "../store/database.ts";
import { countsInScope, issueSparklines, occurrences } from "./issue_counts.ts";
import { type Merged, mergeIssues } from "./issue_merge.ts";
import { letEventsFollow } from "./issue_moves.ts";
import { parseIssueSearch } from "./search/parse.ts";
import {
  conditionsOf,
  ISSUE_STATUSES,
  type IssueFilter,
  type IssueStatus,
} from "./search/terms.ts";
import {
  findIssue,
  type Issue,
  type IssuePage,
  type IssueQuery,
  type IssueRow,
  issuesByProject,
  listIssuesOf,
  unhandledIssues,
} from "./issues.ts";
import { changePublic, discardIssues, publicOf } from "./manage/remove.ts";
import { changeIssues } from "./workflow/change.ts";
import { type IssueActor, SYSTEM } from "./workflow/state.ts";
import { findIssueNamed, parseShortId, shortIdOf } from "./workflow/short_id.ts";

/** An update without ids is for all that match, but not for more than so many at once. */
const MAX_UPDATED = 1_000;
const UPDATE_PAGE = 100;
/** Sentry's words for the orders that we have. */
const SORTS: Readonly<Record<string, IssueQuery["sort"]>> = {
  date: "last_seen",
  new: "first_seen",
  freq: "events",
  user: "users",
};

/** What Sentry searches for when nobody says. */
const DEFAULT_QUERY = "is:unresolved";

/** The issues of projects, by the parameters of Sentry's clients. */
export async function issueListReply(
  ctx: ApiContext,
  accesses: readonly ProjectAccess[],
): Promise<Response> {
  const { sql, config } = ctx.state.services;
  const query = queryOf(ctx);
  const projectIds = projectsMeant(query.filter, accesses);
  const page = await inSearchTime(listIssuesOf(sql, projectIds, query));
  const [unhandled, shared] = await Promise.all([
    unhandledOf(ctx, page.rows),
    publicOf(ctx, page.rows),
  ]);
  const accessOf = new Map(accesses.map((access) => [access.project.id, access]));
  const rows = page.rows.flatMap((row) => {
    const access = accessOf.get(row.projectId);
    return access === undefined ? [] : [{
      ...issueRowJson(row, access, config.baseUrl, unhandled.has(row.id)),
      ...shared(row.id),
    }];
  });
  return listReply(ctx, rows, page);
}

async function unhandledOf(ctx: ApiContext, rows: readonly Issue[]): Promise<Set<string>> {
  const byProject = Map.groupBy(rows, ({ projectId }) => projectId);
  const found = await Promise.all(
    [...byProject].map(([projectId, issues]) =>
      unhandledIssues(ctx.state.services.sql, projectId, issues.map(({ id }) => id))
    ),
  );
  return new Set(found.flatMap((ids) => [...ids]));
}

/**
 * Changes the status of the issues that `?id=` names, any number of times, or of those that match the
 * search, or merges them: 204 when none of these projects has one of them.
 *
 * @throws {ApiError} 400 for a merge of issues of several projects
 */
export async function issuesUpdateReply(
  ctx: ApiContext,
  accesses: readonly ProjectAccess[],
  { body: { status, merge, discard, others } }: ChangingInput,
) {
  const { sql } = ctx.state.services;
  const chosen = await chosenIssues(ctx, accesses);
  if (chosen.size === 0) return;
  if (discard) return await discardIssues(ctx, chosen, others);
  if (merge && chosen.size > 1) {
    throw ApiError.detail(400, "Only issues of one project can be merged.");
  }
  let merged: Merged | null = null;
  for (const [projectId, ids] of chosen) {
    if (status !== undefined) {
      await changeIssues({ sql }, projectId, ids, { status: { to: status } }, actorOf(accesses));
    }
    if (!merge) continue;
    merged = await mergeIssues(sql, projectId, ids, new Date(), { actor: actorOf(accesses) });
    if (merged !== null) await letEventsFollow(ctx.state.services, projectId);
  }
  if (merged === null) return { status, statusDetails: {} };
  const { into: parent, sources: children } = merged;
  return { status, statusDetails: {}, merge: { parent, children } };
}

function queryOf(ctx: ApiContext) {
  return readIssueQuery(ctx.url.searchParams, ctx.state.services.config.retentionDays);
}

/** The projects whose issues a search may be about: short ids name theirs. */
function projectsMeant(filter: IssueFilter, accesses: readonly ProjectAccess[]): string[] {
  const slugs = conditionsOf(filter).flatMap((node) => node.kind === "number" ? [node.slug] : []);
  return accesses.map(({ project }) => project)
    .filter(({ slug }) => slugs.every((each) => each === slug))
    .map(({ id }) => id);
}

/** The issues that `?id=` names, or those that match the search: ids by project id. */
export async function chosenIssues(
  ctx: ApiContext,
  accesses: readonly ProjectAccess[],
): Promise<Map<string, string[]>> {
  const { sql } = ctx.state.services;
  const named = ctx.url.searchParams.getAll("id");
  if (named.length > 0) {
    return await namedIssues(
      sql,
      named,
      accesses.map(({ project }) => project),
    );
  }
  const query = { ...queryOf(ctx), limit: UPDATE_PAGE };
  const projectIds = projectsMeant(query.filter, accesses);
  const found: Issue[] = [];
  for (let cursor: string | null = null; found.length < MAX_UPDATED;) {
    const page: IssuePage = await inSearchTime(listIssuesOf(sql, projectIds, { ...query, cursor }));
    found.push(...page.rows);
    cursor = page.nextCursor;
    if (cursor === null) break;
  }
  const byProject = Map.groupBy(found, ({ projectId }) => projectId);
  return new Map(
    [...byProject].map(([projectId, issues]) => [projectId, issues.map(({ id }) => id)]),
  );
}

/** Ids and short ids; those that are unknown, or of other projects, are passed over. */
async function namedIssues(
  sql: Sql,
  named: readonly string[],
  projects: readonly Project[],
): Promise<Map<string, string[]>> {
  const short = await Promise.all(
    named.slice(0, MAX_UPDATED).filter((each) => parseShortId(each) !== null)
      .map((each) => findIssueNamed(sql, each, projects)),
  );
  const ids = [...named, ...short.flatMap((found) => found === null ? [] : [found.id])];
  return await issuesByProject(sql, projects.map(({ id }) => id), ids);
}

function actorOf([access]: readonly ProjectAccess[]): IssueActor {
  return access?.userId ? { kind: "user", id: access.userId } : SYSTEM;
}

const STATS_DAYS = 30;

/** Changes the status of one issue and answers with the issue. */
export async function issueUpdateReply(
  ctx: ApiContext,
  { access, issue }: IssueAccess,
  { body: { status, discard, isPublic, others } }: ChangingInput,
) {
  const { sql } = ctx.state.services;
  if (discard) return await discardIssues(ctx, new Map([[access.project.id, [issue.id]]]), others);
  if (isPublic !== undefined) await changePublic(ctx, access, issue.id, isPublic);
  if (status !== undefined) {
    await changeIssues(
      { sql },
      access.project.id,
      [issue.id],
      { status: { to: status } },
      actorOf([access]),
    );
  }
  const changed = await findIssue(sql, access.project.id, issue.id) ?? issue;
  return await issueDetailJson(ctx, { access, issue: changed });
}

/** One issue; of some environments only, where the request names some: then the count is theirs too. */
export async function issueDetailJson(ctx: ApiContext, { access, issue }: IssueAccess) {
  const { sql, config } = ctx.state.services;
  const now = new Date();
  const scope = readScope(ctx.url.searchParams, config.retentionDays, now);
  const projectId = access.project.id;
  const [shared, unhandled, counts, lines, days] = await Promise.all([
    publicOf(ctx, [issue]),
    unhandledIssues(sql, projectId, [issue.id]),
    countsInScope(sql, projectId, [issue.id], scope),
    issueSparklines(sql, projectId, [issue.id], scope, now),
    occurrences(sql, projectId, issue.id, {
      ...scope,
      start: new Date(now.getTime() - STATS_DAYS * DAY_MS),
      end: now,
      bucketSec: DAY_MS / 1000,
    }),
  ]);
  const count = scope.environments.length === 0 ? issue.timesSeen : counts.get(issue.id) ?? 0;
  const firstDay = days.start.getTime();
  return {
    ...issueJson(issue, access, config.baseUrl, unhandled.has(issue.id)),
    ...shared(issue.id),
    count: String(count),
    stats: {
      "24h": hourly(lines.get(issue.id) ?? [], now),
      "30d": days.counts.map((n, day) => [(firstDay + day * DAY_MS) / 1000, n]),
    },
    firstRelease: releaseJson(issue.firstRelease),
    lastRelease: releaseJson(issue.lastRelease),
    userReportCount: 0,
    activity: [],
    participants: [],
    seenBy: [],
    pluginActions: [],
    pluginIssues: [],
    pluginContexts: [],
  };
}

/** Sentry's statuses, those that need features we do not have included: they mean the nearest we have. */
const STATUSES = {
  unresolved: "unresolved",
  resolved: "resolved",
  resolvedInNextRelease: "resolved",
  ignored: "ignored",
  muted: "ignored",
} as const satisfies Record<string, IssueStatus>;

/** The body of an update; other properties of Sentry's issues cannot be changed here and are ignored. */
export const IssueChanges = z.object({
  status: z.enum(Object.keys(STATUSES) as (keyof typeof STATUSES)[]).optional(),
  /** Lists only: make one issue of all that are meant. */
  merge: z.union([z.literal(1), z.boolean()]).optional(),
  /** Deletes the issues and drops what comes later of their kind. Stands alone. */
  discard: z.boolean().optional(),
  /** One issue only: makes a new link by which anybody sees it, or ends all links. */
  isPublic: z.boolean().optional(),
}).transform(({ status, merge, discard, isPublic }) => ({
  status: status === undefined ? undefined : STATUSES[status],
  merge: Boolean(merge),
  discard: discard ?? false,
  isPublic,
  /** What is named beside `discard`. */
  others: Object.entries({ status, merge, isPublic }).filter(([, value]) => value !== undefined)
    .map(([name]) => name),
}));

interface ChangingInput {
  readonly body: z.output<typeof IssueChanges>;
}

export interface IssueAccess {
  readonly access: ProjectAccess;
  readonly issue: Issue;
}

/**
 * Lets a request pass to the issue in its address. The address does not name the project, so the issue is
 * looked for in the projects that the actor sees (of the organization, where the address names one):
 * what others have is not found.
 *
 * @throws {Denied} as `authorize()`
 * @throws {ApiError} 404
 */
async function requireIssue(ctx: ApiContext, permission: Permission): Promise<IssueAccess> {
  const { kv, sql } = ctx.state.services;
  const found = await findIssueNamed(sql, ctx.params.issue ?? "", await projectsInSight(ctx));
  if (found === null) throw notFound();
  const { projectId } = found;
  const access = await authorize(kv, ctx.state.actor, { projectId }, permission);
  const issue = await findIssue(sql, projectId, found.id);
  if (issue === null) throw notFound();
  return { access, issue };
}

/** Methods about the issue in the address. */
export const onIssue = behind(requireIssue);

async function projectsInSight(ctx: ApiContext): Promise<Project[]> {
  if (ctx.params.organization === undefined) {
    return (await visibleProjects(ctx)).map(({ project }) => project);
  }
  const { organization } = await requireOrganization(ctx, "project:read");
  return await listProjects(ctx.state.services.kv, organization.id);
}

const HOUR_SEC = 3_600;

/** An issue as Sentry's API lists it: counted within the scope of the list, `lifetime` beside it. */
function issueRowJson(
  row: IssueRow,
  access: ProjectAccess,
  baseUrl: string,
  isUnhandled: boolean,
  now: Date = new Date(),
) {
  return {
    ...issueJson(row, access, baseUrl, isUnhandled),
    count: String(row.countInScope),
    stats: { "24h": hourly(row.sparkline, now) },
    lifetime: {
      count: String(row.timesSeen),
      userCount: row.usersSeen,
      firstSeen: row.firstSeen,
      lastSeen: row.lastSeen,
      stats: null,
    },
    filtered: null,
  };
}

/** An issue without what depends on a time range. */
function issueJson(
  issue: Issue,
  { project }: ProjectAccess,
  baseUrl: string,
  isUnhandled: boolean,
) {
  const { id, name, slug, platform } = project;
  return {
    id: issue.id,
    shortId: shortIdOf(slug, issue.number),
    title: issue.title,
    culprit: issue.culprit,
    permalink: `${baseUrl}/projects/${id}/issues/${issue.id}`,
    logger: null,
    level: issue.level,
    status: issue.status,
    statusDetails: {},
    substatus: issue.substatus,
    platform: issue.platform,
    project: { id, name, slug, platform },
    type: issue.type,
    issueType: "error",
    issueCategory: "error",
    metadata: metadataJson(issue),
    priority: null,
    priorityLockedAt: null,
    isUnhandled,
    count: String(issue.timesSeen),
    userCount: issue.usersSeen,
    firstSeen: issue.firstSeen,
    lastSeen: issue.lastSeen,
    numComments: 0,
    assignedTo: null,
    isBookmarked: false,
    isSubscribed: false,
    subscriptionDetails: null,
    hasSeen: true,
    annotations: [],
  };
}

/** What an issue or event is, in short: of an error type, value and place; of anything else the title. */
export function metadataJson(
  { type, title, metadata }: Pick<Issue, "type" | "title" | "metadata">,
): IssueMetadata & { readonly title?: string } {
  return type === "error" ? metadata : { title, ...metadata };
}

/** A release is nothing but its name here; null for none. */
export function releaseJson(version: string) {
  return version === "" ? null : { version, shortVersion: version };
}

/** Pairs of the seconds at which an hour begins and its count, oldest first. */
function hourly(counts: readonly number[], now: Date): [number, number][] {
  const newest = Math.floor(now.getTime() / 1000 / HOUR_SEC) * HOUR_SEC;
  return counts.map((count, i) => [newest - (counts.length - 1 - i) * HOUR_SEC, count]);
}

/**
 * Reads the parameters by which Sentry's clients list issues: `query`, `environment`, `statsPeriod` or
 * `start` and `end`, `sort`, `cursor`, `limit`. Without a period the whole retention is searched.
 *
 * @throws {ApiError} 400 naming the parameter that is wrong
 */
export function readIssueQuery(
  search: URLSearchParams,
  retentionDays: number,
  now: Date = new Date(),
): Omit<IssueQuery, "projectId"> {
  const { filter, statuses, problems: [problem] } = parseIssueSearch(
    search.get("query") ?? DEFAULT_QUERY,
  );
  if (problem !== undefined) {
    throw ApiError.detail(400, `Error parsing search query: "${problem.part}": ${problem.reason}`);
  }
  const asked = readStatuses(search.getAll("status")) ?? statuses;
  return {
    filter,
    ...asked === undefined ? {} : { statuses: asked },
    ...readScope(search, retentionDays, now),
    sort: readSort(search.get("sort")),
    cursor: search.get("cursor") || null,
    limit: readLimit(search.get("limit") ?? search.get("per_page")),
  };
}

/** `?status=unresolved`, which older clients send instead of `is:`. */
function readStatuses(names: readonly string[]): IssueStatus[] | undefined {
  const statuses = ISSUE_STATUSES.filter((status) => names.includes(status));
  return statuses.length === 0 ? undefined : statuses;
}

function readSort(name: string | null): IssueQuery["sort"] {
  const sort = Object.hasOwn(SORTS, name ?? "date") ? SORTS[name ?? "date"] : undefined;
  if (sort !== undefined) return sort;
  throw ApiError.detail(400, `Invalid sort: write ${Object.keys(SORTS).join(", ")}`);
}
