import { page } from "fresh";
import {
  type Dashboard,
  DashboardChanged,
  deleteDashboard,
  saveDashboard,
} from "@/lib/dashboards/dashboards.ts";
import { checkConfirmation } from "@/lib/ui/components/fields.tsx";
import {
  type EnteredSettings,
  readSettings,
  withSettings,
} from "@/lib/dashboards/forms/read_form.ts";
import { SettingsPage, type SettingsView } from "@/lib/dashboards/forms/settings_page.tsx";
import { dashboardPath } from "@/lib/dashboards/dashboard_frame.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { attempt, readForm } from "@/lib/ui/form.ts";
import { scopedHref } from "@/lib/ui/scope.ts";
import { sectionPath } from "@/lib/ui/links.ts";
import { define } from "@/lib/server/define.ts";
import { conflictSentence, openDashboards, requireDashboard } from "@/lib/server/open_pages.ts";

export default define.page<typeof handler>(({ data }) => <SettingsPage {...data} />);

export const handler = define.handlers<SettingsView>({
  async GET(ctx) {
    const { shell, tracing } = await openDashboards(ctx, "dashboard:write");
    const dashboard = await requireDashboard(ctx, tracing.project.id);
    ctx.state.meta.title = `Settings of ${dashboard.name} · ${tracing.project.name}`;
    return page({ shell, tracing, ...shown(dashboard), errors: {}, conflict: null });
  },

  async POST(ctx) {
    const { shell, tracing, userId } = await openDashboards(ctx, "dashboard:write");
    const { project, scope } = tracing;
    const { sql, kv } = ctx.state.services;
    const dashboard = await requireDashboard(ctx, project.id);
    const { dashboardId } = dashboard;
    const form = await readForm(ctx.req);
    ctx.state.meta.title = `Settings of ${dashboard.name} · ${project.name}`;
    const again = (rest: Partial<SettingsView>, status: number, current = dashboard) =>
      page({ shell, tracing, ...shown(current), errors: {}, conflict: null, ...rest }, { status });

    if (form.get("action") === "delete") {
      const confirmError = checkConfirmation(form, dashboard.name);
      if (confirmError !== null) return again({ confirmError }, 422);
      await deleteDashboard(sql, project.id, dashboardId);
      const list = scopedHref(sectionPath(project.id, "dashboards"), scope);
      return redirectWithFlash(list, `Deleted “${dashboard.name}”.`);
    }
    const entered = readSettings(form);
    try {
      const version = Number(form.get("version"));
      const result = await attempt(async () => {
        const changed = withSettings(entered, dashboard.content);
        if (version !== dashboard.version) throw new DashboardChanged(dashboard);
        await saveDashboard(sql, project.id, dashboardId, version, changed, userId);
      });
      if (!result.ok) return again({ entered, errors: result.errors, version }, 422);
      return redirectWithFlash(scopedHref(dashboardPath(project.id, dashboardId), scope), "Saved.");
    } catch (error) {
      if (!(error instanceof DashboardChanged)) throw error;
      const conflict = await conflictSentence(kv, error.current);
      return again({ entered, conflict }, 409, error.current);
    }
  },
});

function shown({ dashboardId, name, version, content }: Dashboard) {
  const entered: EnteredSettings = { name, ...content };
  return { dashboardId, name, version, entered };
}
