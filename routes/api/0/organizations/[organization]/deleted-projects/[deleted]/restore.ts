import type { RouteConfig } from "fresh";
import { restoreProject } from "@/lib/projects/deletion.ts";
import { ApiError, apiRoute } from "@/lib/api/route.ts";
import { requireOrganization } from "@/lib/api/access.ts";
import { projectDetailJson } from "@/lib/projects/json.ts";

export const config: RouteConfig = {
  routeOverride: "/api/0/organizations/:organization/deleted-projects/:deleted/restore{/}?",
};

export const handler = apiRoute({
  async POST(ctx) {
    const { organization, role } = await requireOrganization(ctx, "project:delete");
    const { services } = ctx.state;
    const project = await restoreProject(services, organization.id, ctx.params.deleted ?? "");
    if (project === null) {
      throw ApiError.detail(404, "There is no deleted project of this id that can be restored.");
    }
    return Response.json(projectDetailJson(project, organization, role, services.config.baseUrl));
  },
});
