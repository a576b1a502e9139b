import { writeDocument } from "@/lib/dashboards/document.ts";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";
import { requireDashboard } from "@/lib/server/open_pages.ts";

/** The dashboard as JSON, to be kept or imported elsewhere. */
export const handler = define.handlers({
  async GET(ctx) {
    const { project } = await requireProject(ctx, "project:read");
    const dashboard = await requireDashboard(ctx, project.id);
    const name = dashboard.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
    return new Response(writeDocument(dashboard), {
      headers: {
        "content-type": "application/json",
        "content-disposition": `attachment; filename="${name || "dashboard"}.json"`,
        "cache-control": "private, no-store",
      },
    });
  },
});
