import { t } from "@/lib/core/language/translate.ts";
import { page } from "fresh";
import { changeDashboard } from "@/lib/dashboards/change_dashboard.ts";
import { type Dashboard, deleteDashboard } from "@/lib/dashboards/dashboards.ts";
import { checkConfirmation } from "@/lib/ui/components/fields.tsx";
import {
  type EnteredSettings,
  readSettings,
  withSettings,
} from "@/lib/dashboards/forms/read_form.ts";
import { SettingsPage, type SettingsView } from "@/lib/dashboards/forms/settings_page.tsx";
import { dashboardPath } from "@/lib/dashboards/dashboard_frame.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { readForm } from "@/lib/ui/form.ts";
import { scopedHref } from "@/lib/ui/scope.ts";
import { sectionPath } from "@/lib/ui/links.ts";
import { define } from "@/lib/server/define.ts";
import { openDashboards, requireDashboard } from "@/lib/server/open_pages.ts";

export default define.page<typeof handler>(({ data }) => <SettingsPage {...data} />);

export const handler = define.handlers<SettingsView>({
  async GET(ctx) {
    const { shell, pageScope } = await openDashboards(ctx, "dashboard:write");
    const dashboard = await requireDashboard(ctx, pageScope.project.id);
    ctx.state.meta.title = `${
      t("Settings of {name}", { name: dashboard.name })
    } · ${pageScope.project.name}`;
    return page({ shell, pageScope, ...shown(dashboard), errors: {}, conflict: null });
  },

  async POST(ctx) {
    const opened = await openDashboards(ctx, "dashboard:write");
    const { shell, pageScope } = opened;
    const { project, scope } = pageScope;
    const { services } = ctx.state;
    const dashboard = await requireDashboard(ctx, project.id);
    const { dashboardId } = dashboard;
    const form = await readForm(ctx.req);
    ctx.state.meta.title = `${t("Settings of {name}", { name: dashboard.name })} · ${project.name}`;
    const again = (rest: Partial<SettingsView>, status: number, current = dashboard) => (
      page(
        { shell, pageScope, ...shown(current), errors: {}, conflict: null, ...rest },
        { status },
      )
    );

    if (form.get("action") === "delete") {
      const confirmError = checkConfirmation(form, dashboard.name);
      if (confirmError !== null) return again({ confirmError }, 422);
      await deleteDashboard(services.sql, project.id, dashboardId);
      const list = scopedHref(sectionPath(project.id, "dashboards"), scope);
      return redirectWithFlash(list, t("Deleted “{name}”.", { name: dashboard.name }));
    }
    const entered = readSettings(form);
    const version = Number(form.get("version"));
    const change = () => withSettings(entered, dashboard.content);
    const result = await changeDashboard(services, opened, dashboard, version, change);
    if (result.kind === "refused") {
      const { errors, conflict, version } = result;
      return again({ entered, errors, conflict, version }, result.status, result.dashboard);
    }
    return redirectWithFlash(
      scopedHref(dashboardPath(project.id, dashboardId), scope),
      t("Saved."),
    );
  },
});

function shown({ dashboardId, name, version, content }: Dashboard) {
  const entered: EnteredSettings = { name, ...content };
  return { dashboardId, name, version, entered };
}
