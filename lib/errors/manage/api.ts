/** Managing issues by the API, in Sentry's shapes: groups, similar issues, deletion, and what a link shows. */
import { z } from "zod";
import type { ProjectAccess } from "../../accounts/authorize.ts";
import { onProject, onProjectsOfQuery } from "../../api/access.ts";
import {
  type ApiContext,
  ApiError,
  type ApiMethods,
  type ApiRoutes,
  notFound,
  open,
} from "../../api/route.ts";
import { eventJson } from "../api_events.ts";
import { chosenIssues } from "../api/chosen_issues.ts";
import { actorOf, type IssueAccess, onIssue } from "../api/issue_access.ts";
import { issuesJson } from "../api/issue_detail.ts";
import { metadataJson } from "../api/issue_json.ts";
import type { Exception } from "../event/interfaces.ts";
import { findEvent } from "../events.ts";
import { shortIdOf } from "../workflow/short_id.ts";
import { removeIssues } from "./remove.ts";
import { shareUrl } from "./share_page.tsx";
import { loadShared, type SharedIssue } from "./shared_issue.ts";
import { type Likeness, similarIssues } from "./similar.ts";
import { groupsOf, letSplitsFollow, splitIssue } from "./split.ts";

/** Each comes with its newest event. */
const MAX_GROUPS = 50;

async function hashesReply(ctx: ApiContext, { access: { project }, issue }: IssueAccess) {
  const { sql } = ctx.state.services;
  const groups = (await groupsOf(sql, project.id, issue.id)).slice(0, MAX_GROUPS);
  return await Promise.all(groups.map(async ({ hash, latest }) => {
    const event = latest && await findEvent(sql, project.id, latest.eventId);
    return { id: hash, latestEvent: event && eventJson(event, project.id) };
  }));
}

async function unmergeReply(
  ctx: ApiContext,
  { access, issue }: IssueAccess,
  { query: { id } }: { readonly query: { readonly id: readonly string[] } },
): Promise<void> {
  const { services } = ctx.state;
  const { project } = access;
  const hashes = id.map((each) => each.toLowerCase());
  await splitIssue(services.sql, project.id, issue.id, hashes, actorOf(access));
  await letSplitsFollow(services, project.id);
}

/** Scores under the names that Sentry gives to what it compares. */
async function similarReply(ctx: ApiContext, { access, issue }: IssueAccess) {
  const found = await similarIssues(ctx.state.services.sql, access.project.id, issue);
  const issues = await issuesJson(ctx, access, found.map(({ issue: other }) => other));
  return found.map(({ score, likeness }, place) => [
    issues[place],
    { ...scoresJson(likeness, issue.type === "error"), score },
  ]);
}

function scoresJson({ type, message, culprit, stack }: Likeness, isError: boolean) {
  return {
    [`${isError ? "exception" : "message"}:message:character-shingles`]: message,
    "exception:stacktrace:application-chunks": stack,
    "exception:type": type,
    culprit,
  };
}

async function deleteReply(ctx: ApiContext, { access, issue }: IssueAccess): Promise<void> {
  await removeIssues(ctx, access.project.id, [issue.id], false);
}

async function deleteListReply(
  ctx: ApiContext,
  accesses: readonly ProjectAccess[],
): Promise<void> {
  const { searchParams } = ctx.url;
  // What a script forgot to say shall not delete everything that is unresolved.
  if (!searchParams.has("id") && !searchParams.has("query")) {
    throw ApiError.detail(400, "Name the issues by id, or search for them by query.");
  }
  for (const [projectId, ids] of await chosenIssues(ctx, accesses)) {
    await removeIssues(ctx, projectId, ids, false);
  }
}

/** For everybody who has the link. @throws {ApiError} 404 for a link that leads nowhere, whatever the reason */
async function sharedReply(ctx: ApiContext) {
  const { services } = ctx.state;
  const shared = await loadShared(services, ctx.params.share ?? "");
  if (shared === null) throw notFound();
  return sharedJson(shared, services.config.baseUrl);
}

function sharedJson({ share, project, issue, event }: SharedIssue, baseUrl: string) {
  return {
    id: issue.id,
    shortId: shortIdOf(project.slug, issue.number),
    shareId: share.id,
    isPublic: true,
    title: issue.title,
    culprit: issue.culprit,
    permalink: shareUrl(baseUrl, share.id),
    type: issue.type,
    level: issue.level,
    platform: issue.platform,
    metadata: metadataJson(issue),
    count: String(issue.timesSeen),
    userCount: issue.usersSeen,
    firstSeen: issue.firstSeen,
    lastSeen: issue.lastSeen,
    project: { slug: project.slug, name: project.name },
    latestEvent: event && {
      id: event.eventId,
      eventID: event.eventId,
      dateCreated: event.timestamp,
      title: issue.title,
      // Sentry's order: the cause first.
      entries: [{
        type: "exception",
        data: { values: event.exceptions.map(exceptionJson).toReversed() },
      }],
    },
  };
}

function exceptionJson({ type, value, module, frames }: Exception) {
  return {
    type: type || null,
    value: value || null,
    module: module || null,
    stacktrace: frames.length === 0 ? null : {
      frames: frames.map(({ name, file, line, column, isInApp, source }) => ({
        function: name || null,
        filename: file || null,
        lineNo: line,
        colNo: column,
        inApp: isInApp,
        context: source.map(({ number, text }) => [number, text]),
      })).toReversed(),
    },
  };
}

const SharedJson = z.looseObject({
  id: z.string(),
  shortId: z.string(),
  shareId: z.string(),
  isPublic: z.literal(true),
  title: z.string(),
  permalink: z.string(),
  count: z.string(),
  userCount: z.int(),
  firstSeen: z.iso.datetime(),
  lastSeen: z.iso.datetime(),
  project: z.object({ slug: z.string(), name: z.string() }),
  latestEvent: z.looseObject({ eventID: z.string(), entries: z.array(z.looseObject({})) })
    .nullable(),
}).meta({ title: "Shared issue" });

const SHARED: ApiMethods = {
  GET: open({ summary: "What a link to an issue shows", answer: SharedJson }, sharedReply),
};
export const HASHES: ApiMethods = {
  GET: onIssue("project:read", {
    summary: "The groups of an issue, each with its newest event",
    answer: z.array(z.object({ id: z.string(), latestEvent: z.looseObject({}).nullable() })),
  }, hashesReply),
  DELETE: onIssue("issue:write", {
    summary: "Makes groups of an issue an issue of their own",
    query: z.object({ id: z.array(z.string()) }),
    status: 202,
  }, unmergeReply),
};
export const SIMILAR: ApiMethods = {
  GET: onIssue("project:read", {
    summary: "Issues that may be one with this, each with what they have in common, from 0 to 1",
    answer: z.array(z.tuple([
      z.looseObject({ id: z.string() }),
      z.record(z.string(), z.number().nullable()),
    ])),
  }, similarReply),
};
const DELETED = {
  summary: "Deletes issues with all their data, up to 1,000: by id, or by a search",
  query: z.object({ id: z.array(z.string()), query: z.string().optional() }),
};

/** To be added to what the addresses of an issue do. */
export const deleteIssue = onIssue("issue:delete", {
  summary: "Deletes an issue with all its data",
  status: 202,
}, deleteReply);

/** The same for lists. */
export const deleteIssuesOfOrganization = onProjectsOfQuery(
  "issue:delete",
  DELETED,
  deleteListReply,
);
export const deleteIssuesOfProject = onProject(
  "issue:delete",
  DELETED,
  (ctx, access) => deleteListReply(ctx, [access]),
);

/** What links lead to. */
export const sharedRoutes: ApiRoutes = {
  "/organizations/:organization/shared/issues/:share": SHARED,
  "/shared/issues/:share": SHARED,
};
