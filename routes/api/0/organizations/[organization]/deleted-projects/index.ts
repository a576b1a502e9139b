import type { RouteConfig } from "fresh";
import { deletedProjects } from "@/lib/projects/deletion.ts";
import { apiRoute, listReply } from "@/lib/api/route.ts";
import { requireOrganization } from "@/lib/api/access.ts";

export const config: RouteConfig = {
  routeOverride: "/api/0/organizations/:organization/deleted-projects{/}?",
};

export const handler = apiRoute({
  async GET(ctx) {
    const { organization } = await requireOrganization(ctx, "project:delete");
    const deleted = await deletedProjects(ctx.state.services, organization.id);
    return listReply(
      ctx,
      deleted.map(({ project, deletedAt, deletedBy, purgeAt, purgedRows }) => ({
        id: project.id,
        slug: project.slug,
        name: project.name,
        dateDeleted: deletedAt,
        deletedBy,
        restorableUntil: purgeAt,
        purgedRows,
      })),
    );
  },
});
