import type { RouteConfig } from "fresh";
import { findEvent, neighbours } from "@/lib/errors/events.ts";
import { apiRoute } from "@/lib/api/route.ts";
import { requireProject } from "@/lib/api/access.ts";
import { eventJson, eventNotFound, readEventId } from "@/lib/errors/api_events.ts";

export const config: RouteConfig = {
  routeOverride: "/api/0/projects/:organization/:project/events/:event{/}?",
};

export const handler = apiRoute({
  async GET(ctx) {
    const { project } = await requireProject(ctx, "project:read");
    const { sql } = ctx.state.services;
    const event = await findEvent(sql, project.id, readEventId(ctx.params.event ?? ""));
    if (event === null) throw eventNotFound();
    return Response.json(eventJson(event, project.id, await neighbours(sql, project.id, event)));
  },
});
