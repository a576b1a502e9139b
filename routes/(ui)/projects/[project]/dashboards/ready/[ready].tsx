import { message, t } from "@/lib/core/language/translate.ts";
import { HttpError, page } from "fresh";
import { createDashboard } from "@/lib/dashboards/dashboards.ts";
import { DashboardPage } from "@/lib/dashboards/dashboard_page.tsx";
import { dashboardPath, type DashboardView } from "@/lib/dashboards/dashboard_frame.tsx";
import { loadDashboard, loadReady } from "@/lib/dashboards/load_dashboard.ts";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { attempt } from "@/lib/ui/form.ts";
import { parseScope, scopedHref } from "@/lib/ui/scope.ts";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";
import { openDashboards } from "@/lib/server/open_pages.ts";

const NO_SUCH = message("There is no such ready-made dashboard.");

export default define.page<typeof handler>(({ data }) => <DashboardPage {...data} />);

export const handler = define.handlers<DashboardView>({
  async GET(ctx) {
    const opened = await openDashboards(ctx, "project:read");
    const { services, meta } = ctx.state;
    const { project } = opened.pageScope;
    const ready = await loadReady(services.sql, project.id, ctx.params.ready ?? "");
    if (ready === null) throw new HttpError(404, t(NO_SUCH));
    meta.title = `${ready.name} · ${t("Dashboards")} · ${project.name}`;
    return page(
      await loadDashboard(services, {
        ...opened,
        dashboard: ready,
        url: ctx.url,
        baseUrl: services.config.baseUrl,
      }),
    );
  },

  /** Keeps a copy that can be changed. */
  async POST(ctx) {
    const { project, userId } = await requireProject(ctx, "dashboard:write");
    const { sql } = ctx.state.services;
    const ready = await loadReady(sql, project.id, ctx.params.ready ?? "");
    if (ready === null) throw new HttpError(404, t(NO_SUCH));
    if (ready.content.panels.length === 0) {
      const here = ctx.url.pathname + ctx.url.search;
      return redirectWithFlash(here, t("There is nothing to copy: no such metrics have arrived."));
    }
    const result = await attempt(() => createDashboard(sql, project.id, ready, userId));
    if (!result.ok) {
      return redirectWithFlash(
        ctx.url.pathname + ctx.url.search,
        Object.values(result.errors).join(" "),
        "danger",
      );
    }
    const path = dashboardPath(project.id, result.value.dashboardId);
    return redirectWithFlash(
      scopedHref(path, parseScope(ctx.url.searchParams)),
      t("This copy is yours to change."),
    );
  },
});
