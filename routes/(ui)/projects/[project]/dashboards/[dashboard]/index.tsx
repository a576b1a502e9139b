import { t } from "@/lib/core/language/translate.ts";
import { HttpError, page } from "fresh";
import { checkDashboardName } from "@/lib/dashboards/document.ts";
import { LIMITS } from "@/lib/dashboards/content.ts";
import { changeDashboard } from "@/lib/dashboards/change_dashboard.ts";
import { createDashboard, type Dashboard } from "@/lib/dashboards/dashboards.ts";
import { changePanel } from "@/lib/dashboards/forms/read_form.ts";
import { DashboardPage } from "@/lib/dashboards/dashboard_page.tsx";
import { dashboardPath, type DashboardView } from "@/lib/dashboards/dashboard_frame.tsx";
import { loadDashboard } from "@/lib/dashboards/load_dashboard.ts";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { attempt, readForm } from "@/lib/ui/form.ts";
import { parseScope, scopedHref } from "@/lib/ui/scope.ts";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";
import { openDashboards, requireDashboard } from "@/lib/server/open_pages.ts";

export default define.page<typeof handler>(({ data }) => <DashboardPage {...data} />);

export const handler = define.handlers<DashboardView>({
  async GET(ctx) {
    const opened = await openDashboards(ctx, "project:read");
    const { services, meta } = ctx.state;
    const { dashboardId: id, ...found } = await requireDashboard(ctx, opened.pageScope.project.id);
    meta.title = `${found.name} · ${t("Dashboards")} · ${opened.pageScope.project.name}`;
    return page(
      await loadDashboard(services, {
        ...opened,
        dashboard: { kind: "kept", id, ...found },
        url: ctx.url,
        baseUrl: services.config.baseUrl,
      }),
    );
  },

  async POST(ctx) {
    const access = await requireProject(ctx, "dashboard:write");
    const { project, userId } = access;
    const { services } = ctx.state;
    const dashboard = await requireDashboard(ctx, project.id);
    const form = await readForm(ctx.req);
    const here = ctx.url.pathname + ctx.url.search;
    const action = form.get("action") ?? "";
    if (action === "duplicate") {
      const result = await attempt(() =>
        createDashboard(services.sql, project.id, copyOf(dashboard), userId)
      );
      if (!result.ok) return redirectWithFlash(here, firstOf(result.errors), "danger");
      const path = dashboardPath(project.id, result.value.dashboardId);
      return redirectWithFlash(
        scopedHref(path, parseScope(ctx.url.searchParams)),
        t("This is a copy of “{name}”.", { name: dashboard.name }),
      );
    }
    const version = Number(form.get("version"));
    const result = await changeDashboard(services, access, dashboard, version, () => {
      const change = changePanel(dashboard.content, form.get("panel") ?? "", action);
      if (change === null) throw new HttpError(400, t("There is no such panel, or nothing to do."));
      return change;
    });
    if (result.kind === "refused") {
      const { errors, conflict } = result;
      if (conflict === null) return redirectWithFlash(here, firstOf(errors), "danger");
      const advice = t(
        "Nothing was changed by you: look at it as it is now, and try again.",
      );
      return redirectWithFlash(here, `${conflict} ${advice}`, "warning");
    }
    const { said, panelId } = result.change;
    const location = panelId === null ? here : `${here}#panel-${panelId}`;
    return said === null ? ctx.redirect(location, 303) : redirectWithFlash(location, said);
  },
});

function copyOf({ name, content }: Dashboard) {
  const suffix = ` ${t("(copy)")}`;
  const kept = name.slice(0, LIMITS.name - suffix.length);
  return { name: checkDashboardName(`${kept}${suffix}`), content };
}

function firstOf(errors: Readonly<Record<string, string>>): string {
  return Object.values(errors)[0] ?? "";
}
