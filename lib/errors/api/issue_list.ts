/** Lists of issues in the shape of Sentry's API: within a scope, with as much of each as the request asks for. */
import { z } from "zod";
import type { ProjectAccess } from "../../accounts/authorize.ts";
import { readScope } from "../../api/lists.ts";
import { type ApiContext, ApiError, inSearchTime, listReply } from "../../api/route.ts";
import { DAY_MS, HOUR_MS } from "../../core/time.ts";
import type { Sql } from "../../store/database.ts";
import { nullIfSlow, type QueryScope } from "../../store/query_limits.ts";
import { type IssueOwner, ownersOf } from "../ownership/issue_owners.ts";
import { countHits, placeOfEvent } from "../issue_hits.ts";
import { issueSeries } from "../issue_series.ts";
import { type IssuePage, type IssueRow, listIssuesOf, rowsById } from "../issues.ts";
import { findIssueNamed, parseShortId } from "../workflow/short_id.ts";
import { namedIssues } from "./chosen_issues.ts";
import { factsOf, type IssueFacts } from "./issue_facts.ts";
import { inboxJson, issueJson, suggestionJson } from "./issue_json.ts";
import { projectsMeant, queryOf, sortWarning } from "./issue_query.ts";

/** What may be left out of issues, and what may come with them. */
const COLLAPSES = ["stats", "lifetime", "filtered", "base", "unhandled"] as const;
const EXPANSIONS = [
  "inbox",
  "owners",
  "pluginActions",
  "pluginIssues",
  "integrationIssues",
  "sentryAppIssues",
  "latestEventHasAttachments",
] as const;

/** Parameters that say how much of each issue is answered; unknown words are passed over. */
export const SHAPE_QUERY = {
  expand: z.array(z.string()).describe(EXPANSIONS.join(", ")),
  collapse: z.array(z.string()).describe(COLLAPSES.join(", ")),
  groupStatsPeriod: z.string().optional().describe("Of the sparkline: 24h, 14d, auto or nothing"),
};

/** Nobody counts on. */
const MAX_HITS = 1_000;
const DIRECT_HIT = { "x-sentry-direct-hit": "1" };

/** The issues of projects, by the parameters of Sentry's clients. */
export async function issueListReply(
  ctx: ApiContext,
  accesses: readonly ProjectAccess[],
): Promise<Response> {
  const direct = await directHit(ctx, accesses);
  if (direct !== null) return direct;
  const { searchParams } = ctx.url;
  const { sql } = ctx.state.services;
  const named = searchParams.getAll("group").filter((id) => id !== "");
  if (named.length > 0) return listReply(ctx, await namedRows(ctx, accesses, named));
  const query = queryOf(ctx);
  const projectIds = projectsMeant(query.filter, accesses);
  const page = await inSearchTime(listIssuesOf(sql, projectIds, query));
  const [rows, hits] = await Promise.all([
    rowsJson(ctx, accesses, page.rows),
    isWhole(page) ? page.rows.length : nullIfSlow(countHits(sql, projectIds, query, MAX_HITS)),
  ]);
  const warning = sortWarning(searchParams);
  return withHeaders(listReply(ctx, rows, page), {
    ...hits === null ? {} : { "x-hits": String(hits), "x-max-hits": String(MAX_HITS) },
    ...warning === null ? {} : { warning },
  });
}

function isWhole({ previousCursor, nextCursor }: IssuePage): boolean {
  return previousCursor === null && nextCursor === null;
}

function withHeaders(reply: Response, headers: Readonly<Record<string, string>>): Response {
  for (const [name, value] of Object.entries(headers)) reply.headers.set(name, value);
  return reply;
}

/** The one issue that somebody means who searches for the id of an event, or with `shortIdLookup=1` for a short id. */
async function directHit(
  ctx: ApiContext,
  accesses: readonly ProjectAccess[],
): Promise<Response | null> {
  const { sql } = ctx.state.services;
  const { searchParams } = ctx.url;
  const query = (searchParams.get("query") ?? "").trim();
  const projects = accesses.map(({ project }) => project);
  const eventId = query.replaceAll("-", "").toLowerCase();
  if (/^[0-9a-f]{32}$/.test(eventId)) {
    const place = await placeOfEvent(sql, projects.map(({ id }) => id), eventId);
    if (place === null) return null;
    const [row] = await namedRows(ctx, accesses, [place.issueId]);
    return withHeaders(
      listReply(ctx, row === undefined ? [] : [{ ...row, matchingEventId: eventId }]),
      DIRECT_HIT,
    );
  }
  const isLookup = searchParams.get("shortIdLookup") === "1" && parseShortId(query) !== null;
  const found = isLookup ? await findIssueNamed(sql, query, projects) : null;
  if (found === null) return null;
  return withHeaders(listReply(ctx, await namedRows(ctx, accesses, [found.id])), DIRECT_HIT);
}

/** Issues by their ids, whatever is searched for. */
async function namedRows(
  ctx: ApiContext,
  accesses: readonly ProjectAccess[],
  named: readonly string[],
) {
  const { sql, config } = ctx.state.services;
  const scope = readScope(ctx.url.searchParams, config.retentionDays);
  const byProject = await namedIssues(sql, named, accesses.map(({ project }) => project));
  const found = await Promise.all(
    [...byProject].map(([projectId, ids]) => rowsById(sql, projectId, ids, scope)),
  );
  return await rowsJson(ctx, accesses, found.flat());
}

/** Figures of the issues that `?groups=` names, as lists show them beside the issues. */
export async function issuesStatsReply(
  ctx: ApiContext,
  accesses: readonly ProjectAccess[],
): Promise<Response> {
  const named = ctx.url.searchParams.getAll("groups").filter((id) => id !== "");
  if (named.length === 0) throw ApiError.fields({ groups: ["This field is required."] });
  const rows = await namedRows(ctx, accesses, named);
  return listReply(
    ctx,
    rows.map(({ id, count, userCount, firstSeen, lastSeen, isUnhandled, stats, lifetime }) => (
      { id, count, userCount, firstSeen, lastSeen, isUnhandled, stats, lifetime, filtered: null }
    )),
  );
}

/** How many issues each `?query=` finds, up to a limit. */
export async function issuesCountReply(
  ctx: ApiContext,
  accesses: readonly ProjectAccess[],
): Promise<Record<string, number>> {
  const { sql } = ctx.state.services;
  const queries = [...new Set(ctx.url.searchParams.getAll("query"))].slice(0, MAX_QUERIES);
  if (queries.length === 0) throw ApiError.fields({ query: ["This field is required."] });
  const counted = queries.map(async (text) => {
    const search = new URLSearchParams(ctx.url.searchParams);
    search.set("query", text);
    const query = queryOf(ctx, search);
    const count = await inSearchTime(
      countHits(sql, projectsMeant(query.filter, accesses), query, MAX_COUNTED),
    );
    return [text, count] as const;
  });
  return Object.fromEntries(await Promise.all(counted));
}

/** As many as a list has tabs, with room. */
const MAX_QUERIES = 20;
/** Sentry's own says "99+". */
const MAX_COUNTED = 100;

/** @param found of which those of other projects are left out */
async function rowsJson(
  ctx: ApiContext,
  accesses: readonly ProjectAccess[],
  found: readonly IssueRow[],
) {
  const { services } = ctx.state;
  const now = new Date();
  const shape = readShape(ctx);
  const accessOf = new Map(accesses.map((access) => [access.project.id, access]));
  const rows = found.filter(({ projectId }) => accessOf.has(projectId));
  const [facts, stats, attached, owners] = await Promise.all([
    factsOf(services, rows, accesses),
    statsOf(ctx, rows, shape.period, now),
    shape.expand.has("latestEventHasAttachments")
      ? withAttachments(services.sql, rows)
      : new Set<string>(),
    shape.expand.has("owners") ? ownersOfRows(services.sql, rows) : new Map(),
  ]);
  return rows.flatMap((row) => {
    const access = accessOf.get(row.projectId);
    if (access === undefined) return [];
    const known = facts.get(row.id);
    const { isUnhandled, ...whole } = issueJson(row, access, known, services.config.baseUrl, now);
    const figures = {
      count: String(row.countInScope),
      userCount: row.usersSeen,
      firstSeen: row.firstSeen,
      lastSeen: row.lastSeen,
    };
    const isKept = (name: typeof COLLAPSES[number]) => !shape.collapse.has(name);
    return [{
      ...isKept("base") ? whole : { id: row.id },
      ...figures,
      ...isKept("unhandled") ? { isUnhandled } : {},
      ...isKept("stats") && shape.period !== "" ? { stats: stats.get(row.id) } : {},
      ...isKept("lifetime") && isKept("stats") ? { lifetime: lifetimeJson(row) } : {},
      ...isKept("filtered") && isKept("stats") ? { filtered: null } : {},
      ...expanded(shape.expand, known, attached.has(row.id), owners.get(row.id) ?? []),
    }];
  });
}

function lifetimeJson({ timesSeen, usersSeen, firstSeen, lastSeen }: IssueRow) {
  return { count: String(timesSeen), userCount: usersSeen, firstSeen, lastSeen, stats: null };
}

function expanded(
  expand: ReadonlySet<string>,
  facts: IssueFacts | undefined,
  hasAttachments: boolean,
  owners: readonly IssueOwner[],
): Record<string, unknown> {
  const all: Record<typeof EXPANSIONS[number], unknown> = {
    inbox: facts === undefined ? null : inboxJson(facts),
    owners: owners.map(suggestionJson),
    pluginActions: [],
    pluginIssues: [],
    integrationIssues: [],
    sentryAppIssues: (facts?.links ?? []).map(({ id, issueId, type, key, url }) => (
      { id, issueId, serviceType: type ?? "link", displayName: key, webUrl: url }
    )),
    latestEventHasAttachments: hasAttachments,
  };
  return Object.fromEntries(
    EXPANSIONS.filter((name) => expand.has(name)).map((name) => [name, all[name]]),
  );
}

/** Whom rules and commits suggest, by issue. */
async function ownersOfRows(
  sql: Sql,
  rows: readonly IssueRow[],
): Promise<ReadonlyMap<string, readonly IssueOwner[]>> {
  const byProject = Map.groupBy(rows, ({ projectId }) => projectId);
  const found = await Promise.all(
    [...byProject].map(([id, of]) => ownersOf(sql, id, of.map((row) => row.id))),
  );
  return new Map(found.flatMap((owners) => [...owners]));
}

const PERIODS = ["", "24h", "14d", "auto"] as const;
type Period = typeof PERIODS[number];

interface Shape {
  readonly expand: ReadonlySet<string>;
  readonly collapse: ReadonlySet<string>;
  readonly period: Period;
}

/** @throws {ApiError} 400 for a period that no sparkline has */
function readShape({ url: { searchParams } }: ApiContext): Shape {
  const asked = searchParams.get("groupStatsPeriod") ?? "24h";
  const period = PERIODS.find((each) => each === asked);
  if (period === undefined) {
    throw ApiError.detail(400, "Invalid groupStatsPeriod: write 24h, 14d, auto or nothing");
  }
  return {
    expand: new Set(searchParams.getAll("expand")),
    collapse: new Set(searchParams.getAll("collapse")),
    period,
  };
}

type Points = [second: number, count: number][];

/** The sparkline of each issue, under the name of its period. */
async function statsOf(
  ctx: ApiContext,
  rows: readonly IssueRow[],
  period: Period,
  now: Date,
): Promise<Map<string, Record<string, Points>>> {
  if (period === "") return new Map();
  if (period === "24h") {
    return new Map(rows.map(({ id, sparkline }) => [id, { "24h": hourly(sparkline, now) }]));
  }
  const { sql, config } = ctx.state.services;
  const scope = readScope(ctx.url.searchParams, config.retentionDays, now);
  const range = period === "14d"
    ? { ...scope, start: new Date(now.getTime() - 13 * DAY_MS), end: now, bucketSec: DAY_MS / 1000 }
    : inSteps(scope, now);
  const byProject = Map.groupBy(rows, ({ projectId }) => projectId);
  const found = await Promise.all(
    [...byProject].map(([projectId, each]) =>
      issueSeries(sql, projectId, each.map(({ id }) => id), range)
    ),
  );
  const step = range.bucketSec;
  return new Map(
    found.flatMap((each) => [...each]).map(([id, { start, counts }]) => {
      const first = start.getTime() / 1000;
      return [id, {
        [period]: counts.map((n, place): [number, number] => [first + place * step, n]),
      }];
    }),
  );
}

/** Hours of a range of two days at most, else days. */
function inSteps(scope: QueryScope, now: Date): QueryScope & { readonly bucketSec: number } {
  const end = scope.end > now ? now : scope.end;
  const start = scope.start < end ? scope.start : new Date(end.getTime() - HOUR_MS);
  const isShort = end.getTime() - start.getTime() <= 2 * DAY_MS;
  return { ...scope, start, end, bucketSec: (isShort ? HOUR_MS : DAY_MS) / 1000 };
}

/** Pairs of the seconds at which an hour begins and its count, oldest first. */
export function hourly(counts: readonly number[], now: Date): Points {
  const newest = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS / 1000;
  return counts.map((count, i) => [newest - (counts.length - 1 - i) * (HOUR_MS / 1000), count]);
}

/** Those of these issues whose newest event came with files. */
async function withAttachments(sql: Sql, rows: readonly IssueRow[]): Promise<Set<string>> {
  const byProject = Map.groupBy(rows, ({ projectId }) => projectId);
  const found = await Promise.all(
    [...byProject].map(([projectId, each]) =>
      sql<{ id: string }[]>`
        select i.id from issues as i
          cross join lateral (
            select event_id from events
            where events.project_id = ${projectId} and events.issue_id = i.id
              and "timestamp" >= i.last_seen and "timestamp" < i.last_seen + interval '1 ms'
            order by "timestamp" desc, event_id desc
            limit 1
          ) as newest
        where i.project_id = ${projectId} and i.id = any (${each.map(({ id }) => id)}::bigint[])
          and exists (
            select from attachments
            where attachments.project_id = ${projectId} and attachments.event_id = newest.event_id
          )
      `
    ),
  );
  return new Set(found.flat().map(({ id }) => id));
}
