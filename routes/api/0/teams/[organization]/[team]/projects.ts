import type { RouteConfig } from "fresh";
import { apiRoute } from "@/lib/api/route.ts";
import { createProjectReply } from "@/lib/projects/json.ts";

/** There are no teams here: whichever is named, the project goes to the organization. */
export const config: RouteConfig = {
  routeOverride: "/api/0/teams/:organization/:team/projects{/}?",
};

export const handler = apiRoute({ POST: createProjectReply });
