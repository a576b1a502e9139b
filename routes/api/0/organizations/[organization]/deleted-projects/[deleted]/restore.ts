import type { RouteConfig } from "fresh";
import { restoreProject } from "@/lib/projects/deletion.ts";
import { apiRoute } from "@/lib/api/api.ts";
import { requireOrganization } from "@/lib/api/access.ts";
import { ApiError } from "@/lib/api/api_error.ts";
import { projectDetailJson } from "@/lib/projects/api_project.ts";

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
