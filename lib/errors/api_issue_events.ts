import {
  findEventOfIssue,
  listEventsOfIssue,
  listWholeEventsOfIssue,
  neighbours,
} from "./events.ts";
import type { ApiContext } from "../api/api.ts";
import { ApiError } from "../api/api_error.ts";
import { eventJson, eventRowJson } from "./api_event.ts";
import { requireIssue } from "./api_issue_access.ts";
import { readLimit, readScope } from "../api/issue_query.ts";
import { listReply } from "../api/api_page.ts";

/** `recommended` is the one that Sentry thinks helps most; here the latest. */
const WORDS: Readonly<Record<string, "latest" | "oldest">> = {
  latest: "latest",
  recommended: "latest",
  oldest: "oldest",
};

/** The events of an issue, newest first; with `?full=true` everything in them. */
export async function issueEventsReply(ctx: ApiContext): Promise<Response> {
  const { access: { project }, issue } = await requireIssue(ctx, "project:read");
  const { sql, config } = ctx.state.services;
  const { searchParams } = ctx.url;
  const query = {
    projectId: project.id,
    issueId: issue.id,
    ...readScope(searchParams, config.retentionDays),
    cursor: searchParams.get("cursor") || null,
    limit: readLimit(searchParams.get("limit") ?? searchParams.get("per_page")),
  };
  if (/^(?:true|1)$/i.test(searchParams.get("full") ?? "")) {
    const page = await listWholeEventsOfIssue(sql, query);
    return listReply(ctx, page.rows.map((event) => eventJson(event, project.id)), page);
  }
  const page = await listEventsOfIssue(sql, query);
  return listReply(ctx, page.rows.map((event) => eventRowJson(event, project.id)), page);
}

/** One event of an issue: `latest`, `oldest`, or by its id. */
export async function issueEventReply(ctx: ApiContext): Promise<Response> {
  const { access: { project }, issue } = await requireIssue(ctx, "project:read");
  const { sql } = ctx.state.services;
  const which = readEventName(ctx.params.event ?? "");
  const event = await findEventOfIssue(sql, project.id, issue.id, which);
  if (event === null) throw eventNotFound();
  return Response.json(eventJson(event, project.id, await neighbours(sql, project.id, event)));
}

function readEventName(name: string): string {
  return Object.hasOwn(WORDS, name) ? WORDS[name] ?? "" : readEventId(name);
}

/** 32 lower-case hex digits out of what clients write. @throws {ApiError} 404 for anything else */
export function readEventId(text: string): string {
  const id = text.replaceAll("-", "").toLowerCase();
  if (!/^[0-9a-f]{32}$/.test(id)) throw eventNotFound();
  return id;
}

/** Also for events that exist where the actor may not look. */
export function eventNotFound(): ApiError {
  return ApiError.detail(404, "Event not found");
}
