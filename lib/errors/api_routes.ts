import {
  eventJson,
  eventNotFound,
  issueEventReply,
  issueEventsReply,
  readEventId,
} from "./api_events.ts";
import { issueListReply, issueReply, issuesUpdateReply, issueUpdateReply } from "./api_issues.ts";
import { requireProject, requireProjectsOfQuery } from "../api/access.ts";
import { findEvent, neighbours } from "./events.ts";
import type { ApiRoutes } from "../api/route.ts";

/** What the addresses below `/api/0` do that are about errors, by method. */
export const errorRoutes: ApiRoutes = {
  "/issues/:issue": { GET: issueReply, PUT: issueUpdateReply },
  "/issues/:issue/events": { GET: issueEventsReply },
  "/issues/:issue/events/:event": { GET: issueEventReply },
  "/organizations/:organization/issues": {
    GET: async (ctx) => issueListReply(ctx, await requireProjectsOfQuery(ctx, "project:read")),
    PUT: async (ctx) => issuesUpdateReply(ctx, await requireProjectsOfQuery(ctx, "issue:write")),
  },
  "/organizations/:organization/issues/:issue": { GET: issueReply, PUT: issueUpdateReply },
  "/organizations/:organization/issues/:issue/events": { GET: issueEventsReply },
  "/organizations/:organization/issues/:issue/events/:event": { GET: issueEventReply },
  "/projects/:organization/:project/events/:event": {
    async GET(ctx) {
      const { project } = await requireProject(ctx, "project:read");
      const { sql } = ctx.state.services;
      const event = await findEvent(sql, project.id, readEventId(ctx.params.event ?? ""));
      if (event === null) throw eventNotFound();
      return Response.json(eventJson(event, project.id, await neighbours(sql, project.id, event)));
    },
  },
  "/projects/:organization/:project/issues": {
    GET: async (ctx) => issueListReply(ctx, [await requireProject(ctx, "project:read")]),
    PUT: async (ctx) => issuesUpdateReply(ctx, [await requireProject(ctx, "issue:write")]),
  },
};
