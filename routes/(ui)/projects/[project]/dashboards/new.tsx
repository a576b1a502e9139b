import { page } from "fresh";
import { EMPTY_CONTENT } from "@/lib/dashboards/content.ts";
import { checkDashboardName, type NamedContent, readDocument } from "@/lib/dashboards/document.ts";
import { createDashboard } from "@/lib/dashboards/dashboards.ts";
import { NewDashboardPage, type NewDashboardView } from "@/lib/dashboards/forms/settings_page.tsx";
import { dashboardPath } from "@/lib/dashboards/dashboard_frame.tsx";
import { attempt, readUpload } from "@/lib/ui/form.ts";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { scopedHref } from "@/lib/ui/scope.ts";
import { define } from "@/lib/server/define.ts";
import { openDashboards } from "@/lib/server/open_pages.ts";

export default define.page<typeof handler>(({ data }) => <NewDashboardPage {...data} />);

export const handler = define.handlers<NewDashboardView>({
  async GET(ctx) {
    const { shell, tracing } = await openDashboards(ctx, "dashboard:write");
    ctx.state.meta.title = `New dashboard · ${tracing.project.name}`;
    const from = ctx.url.searchParams.get("from") === "json" ? "json" : "nothing";
    return page({ shell, tracing, from, name: "", json: "", errors: {} });
  },

  async POST(ctx) {
    const { shell, tracing, userId } = await openDashboards(ctx, "dashboard:write");
    const { project, scope } = tracing;
    const form = await readUpload(ctx.req);
    const from = form.get("from") === "json" ? "json" : "nothing";
    const name = form.get("name") ?? "";
    const json = form.get("file")?.trim() || (form.get("json") ?? "");
    const result = await attempt(async () => {
      const dashboard: NamedContent = from === "json"
        ? readDocument(json)
        : { name: checkDashboardName(name), content: EMPTY_CONTENT };
      return await createDashboard(ctx.state.services.sql, project.id, dashboard, userId);
    });
    if (result.ok) {
      const { dashboardId, content } = result.value;
      const edit = content.panels.length === 0 ? "1" : null;
      return redirectWithFlash(
        scopedHref(dashboardPath(project.id, dashboardId), scope, { edit }),
        from === "json" ? "Imported." : "Created. Add its first panel.",
      );
    }
    ctx.state.meta.title = `New dashboard · ${project.name}`;
    return page({ shell, tracing, from, name, json, errors: result.errors }, { status: 422 });
  },
});
