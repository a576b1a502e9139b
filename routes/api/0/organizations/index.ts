import type { RouteConfig } from "fresh";
import { apiRoute, listReply } from "@/lib/api/route.ts";
import { visibleOrganizations } from "@/lib/api/access.ts";
import { organizationJson } from "@/lib/projects/json.ts";

export const config: RouteConfig = { routeOverride: "/api/0/organizations{/}?" };

export const handler = apiRoute({
  async GET(ctx) {
    const { baseUrl } = ctx.state.services.config;
    const accesses = await visibleOrganizations(ctx, "organization:read");
    return listReply(
      ctx,
      accesses.map(({ organization }) => organizationJson(organization, baseUrl)),
    );
  },
});
