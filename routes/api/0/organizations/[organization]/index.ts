import type { RouteConfig } from "fresh";
import { apiRoute } from "@/lib/api/route.ts";
import { requireOrganization } from "@/lib/api/access.ts";
import { organizationDetailJson } from "@/lib/projects/json.ts";

export const config: RouteConfig = { routeOverride: "/api/0/organizations/:organization{/}?" };

export const handler = apiRoute({
  async GET(ctx) {
    const access = await requireOrganization(ctx, "organization:read");
    return Response.json(organizationDetailJson(access, ctx.state.services.config.baseUrl));
  },
});
