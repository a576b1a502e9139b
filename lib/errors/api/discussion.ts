/** What people say and do about issues, by the API: comments, activity, and who takes part. */
import { z } from "zod";
import type { ProjectAccess } from "../../accounts/authorize.ts";
import { onProjectsOfQuery } from "../../api/access.ts";
import { PAGE_QUERY, readLimit } from "../../api/lists.ts";
import {
  type ApiContext,
  ApiError,
  type ApiMethods,
  listReply,
  notFound,
} from "../../api/route.ts";
import { isId } from "../../store/query_limits.ts";
import { findIssuesById } from "../issues.ts";
import { listActivity, listActivityOf, listNotes } from "../workflow/activity.ts";
import { addNote, deleteNote, editNote, type NotePlace } from "../workflow/notes.ts";
import { peopleOf } from "../workflow/people.ts";
import { ActivityJson, activityJson, firstSeenJson } from "./activity_json.ts";
import { type IssueAccess, onIssue } from "./issue_access.ts";
import { issuesJson, participantsJson } from "./issue_detail.ts";
import { Names } from "./issue_facts.ts";
import { IssueJson } from "./issue_json.ts";

const NoteBody = z.object({
  text: z.string().describe("Markdown; @name and #team tell people"),
  mentions: z.array(z.string()).nullish().describe("As user:<id> and team:<id>"),
  external_id: z.string().max(200, "write at most 200 characters").nullish(),
});
type NoteBody = z.output<typeof NoteBody>;

/** Methods of `notes/`, which is `comments/` as well. */
export const NOTES: ApiMethods = {
  GET: onIssue("project:read", {
    summary: "The comments on an issue, the newest first",
    query: z.object(PAGE_QUERY),
    answer: z.array(ActivityJson),
  }, notesReply),
  POST: onIssue("issue:write", {
    summary: "Adds a comment; its writer hears of the issue from then on",
    body: NoteBody,
    answer: ActivityJson,
    status: 201,
  }, async (ctx, found, { body }) => {
    const place = placeOf(found);
    const entry = await addNote(ctx.state.services, place, personOf(found), noteOf(body));
    return (await activityJson([entry], namesOf(ctx, found.access)))[0];
  }),
};

/** Methods of one comment: everybody changes only their own. */
export const NOTE: ApiMethods = {
  PUT: onIssue("issue:write", {
    summary: "Changes a comment of one's own",
    body: NoteBody,
    answer: ActivityJson,
  }, async (ctx, found, { body }) => {
    const { note = "" } = ctx.params;
    const place = placeOf(found);
    const entry = await editNote(ctx.state.services, place, personOf(found), note, noteOf(body));
    if (entry === null) throw notFound();
    return (await activityJson([entry], namesOf(ctx, found.access)))[0];
  }),
  DELETE: onIssue("issue:write", {
    summary: "Deletes a comment of one's own",
  }, async (ctx, found) => {
    const { note = "" } = ctx.params;
    const isGone = await deleteNote(ctx.state.services, placeOf(found), personOf(found), note);
    if (!isGone) throw notFound();
  }),
};

export const ACTIVITIES: ApiMethods = {
  GET: onIssue("project:read", {
    summary: "What was done with an issue, the newest first, up to 100 entries",
    answer: z.object({ activity: z.array(ActivityJson) }),
  }, async (ctx, { access, issue }) => {
    const entries = await listActivity(ctx.state.services.sql, access.project.id, issue.id);
    const activity = await activityJson(entries, namesOf(ctx, access));
    return { activity: [...activity, firstSeenJson(issue)] };
  }),
};

export const PARTICIPANTS: ApiMethods = {
  GET: onIssue("project:read", {
    summary: "Who hears of an issue",
    answer: z.array(z.looseObject({ id: z.string(), name: z.string(), email: z.string() })),
  }, async (ctx, { access, issue }) => {
    const people = await peopleOf(ctx.state.services.sql, access.project.id, [issue.id]);
    return await participantsJson(people, namesOf(ctx, access));
  }),
};

/** What was done in an organization. */
export const ORGANIZATION_ACTIVITY: ApiMethods = {
  GET: onProjectsOfQuery("project:read", {
    summary: "What was done with issues of an organization, the newest first",
    query: z.object({
      project: z.array(z.string()).describe("Ids or slugs; -1 or none for all"),
      ...PAGE_QUERY,
    }),
    answer: z.array(ActivityJson.extend({
      issue: IssueJson,
      project: z.looseObject({ id: z.string(), slug: z.string(), name: z.string() }),
    })),
  }, organizationActivityReply),
};

function placeOf({ access: { project }, issue }: IssueAccess): NotePlace {
  return { projectId: project.id, organizationId: project.organizationId, issueId: issue.id };
}

/** @throws {ApiError} 403 for tokens that nobody stands behind */
function personOf({ access: { userId } }: IssueAccess): string {
  if (userId !== null) return userId;
  throw ApiError.detail(403, "Only people comment: use a token of somebody.");
}

function noteOf({ text, mentions, external_id: externalId }: NoteBody) {
  return { text, mentions: mentions ?? [], ...externalId ? { externalId } : {} };
}

function namesOf({ state: { services } }: ApiContext, { organization }: ProjectAccess): Names {
  return new Names(services.kv, organization);
}

async function notesReply(ctx: ApiContext, { access, issue }: IssueAccess): Promise<Response> {
  const { before, limit } = readPage(ctx);
  const { sql } = ctx.state.services;
  const entries = await listNotes(sql, access.project.id, issue.id, { before, limit: limit + 1 });
  const page = entries.slice(0, limit);
  const next = entries.length > limit ? page.at(-1)?.id ?? null : null;
  return listReply(ctx, await activityJson(page, namesOf(ctx, access)), {
    previousCursor: null,
    nextCursor: next,
  });
}

async function organizationActivityReply(
  ctx: ApiContext,
  accesses: readonly ProjectAccess[],
): Promise<Response> {
  const { sql } = ctx.state.services;
  const { before, limit } = readPage(ctx);
  const accessOf = new Map(accesses.map((access) => [access.project.id, access]));
  const found = await listActivityOf(sql, [...accessOf.keys()], { before, limit: limit + 1 });
  const page = found.slice(0, limit);
  const byProject = Map.groupBy(page, ({ projectId }) => projectId);
  const issues = await Promise.all([...byProject].map(async ([projectId, entries]) => {
    const access = accessOf.get(projectId);
    const ids = [...new Set(entries.map(({ issueId }) => issueId))];
    return access === undefined
      ? []
      : await issuesJson(ctx, access, await findIssuesById(sql, projectId, ids));
  }));
  const issueOf = new Map(issues.flat().map((issue) => [issue.id, issue]));
  const [access] = accesses;
  const entries = access === undefined ? [] : await activityJson(page, namesOf(ctx, access));
  return listReply(
    ctx,
    // Of issues that are deleted nothing is told.
    entries.flatMap((entry, place) => {
      const issue = issueOf.get(page[place]?.issueId ?? "");
      return issue === undefined ? [] : [{ ...entry, issue, project: issue.project }];
    }),
    { previousCursor: null, nextCursor: found.length > limit ? page.at(-1)?.id ?? null : null },
  );
}

/** Pages go on after an entry's id, which is the cursor. */
function readPage({ url: { searchParams } }: ApiContext) {
  const cursor = searchParams.get("cursor") ?? "";
  return {
    before: isId(cursor) ? cursor : null,
    limit: readLimit(searchParams.get("per_page") ?? searchParams.get("limit")),
  };
}
