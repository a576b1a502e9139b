import { t } from "@/lib/core/language/translate.ts";
import { HttpError, page } from "fresh";
import { changeDashboard } from "@/lib/dashboards/change_dashboard.ts";
import type { Dashboard } from "@/lib/dashboards/dashboards.ts";
import { panelOf, paramsOf, readDraft, withPanel } from "@/lib/dashboards/forms/read_form.ts";
import {
  loadPanelForm,
  PanelFormPage,
  type PanelFormView,
} from "@/lib/dashboards/forms/panel_form_page.tsx";
import { panelTitle } from "@/lib/dashboards/panels/panel_data.ts";
import { dashboardPath } from "@/lib/dashboards/dashboard_frame.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { readForm } from "@/lib/ui/form.ts";
import { scopedHref } from "@/lib/ui/scope.ts";
import { define } from "@/lib/server/define.ts";
import { openDashboards, requireDashboard } from "@/lib/server/open_pages.ts";

export default define.page<typeof handler>(({ data }) => <PanelFormPage {...data} />);

/** How a panel is called that is not there yet. */
const NEW = "new";

export const handler = define.handlers<PanelFormView>({
  async GET(ctx) {
    const opened = await openDashboards(ctx, "dashboard:write");
    const { services, meta } = ctx.state;
    const { project } = opened.pageScope;
    const dashboard = await requireDashboard(ctx, project.id);
    const panelId = panelIdOf(ctx.params.panel);
    meta.title = `${t("Panel of {name}", { name: dashboard.name })} · ${project.name}`;
    const params = panelId === null ? ctx.url.searchParams : storedParams(dashboard, panelId);
    const draft = await readDraft(services.sql, project.id, params);
    return page(await loadPanelForm(services, { ...opened, dashboard, panelId, draft }));
  },

  async POST(ctx) {
    const opened = await openDashboards(ctx, "dashboard:write");
    const { services, meta } = ctx.state;
    const { project, scope } = opened.pageScope;
    const dashboard = await requireDashboard(ctx, project.id);
    const panelId = panelIdOf(ctx.params.panel);
    const form = await readForm(ctx.req);
    const draft = await readDraft(services.sql, project.id, form);
    meta.title = `${t("Panel of {name}", { name: dashboard.name })} · ${project.name}`;
    const version = Number(form.get("version"));
    const loading = { ...opened, dashboard, panelId, draft, version };
    if (!form.has("save")) return page(await loadPanelForm(services, loading));

    const drafted = panelOf(draft, dashboard.content.panels, panelId);
    if ("errors" in drafted) {
      const { errors } = drafted;
      return page(await loadPanelForm(services, { ...loading, errors }), { status: 422 });
    }
    const { panel } = drafted;
    const change = () => ({ content: withPanel(dashboard.content, panel) });
    const result = await changeDashboard(services, opened, dashboard, version, change);
    if (result.kind === "refused") {
      const { status, kind: _, ...again } = result;
      return page(await loadPanelForm(services, { ...loading, ...again }), { status });
    }
    const path = dashboardPath(project.id, dashboard.dashboardId);
    return redirectWithFlash(
      `${scopedHref(path, scope, { edit: "1" })}#panel-${panel.id}`,
      t("Saved “{panel}”.", { panel: panelTitle(panel) }),
    );
  },
});

function panelIdOf(text: string | undefined): string | null {
  return text === undefined || text === NEW ? null : text;
}

function storedParams({ content }: Dashboard, panelId: string): URLSearchParams {
  const panel = content.panels.find(({ id }) => id === panelId);
  if (panel !== undefined) return paramsOf(panel);
  throw new HttpError(404, t("There is no such panel. Somebody may have removed it."));
}
