import type { RouteConfig } from "fresh";
import { apiRoute } from "@/lib/api/api.ts";
import { visibleOrganizations } from "@/lib/api/access.ts";
import { organizationJson } from "@/lib/projects/api_organization.ts";
import { listReply } from "@/lib/api/api_page.ts";

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
