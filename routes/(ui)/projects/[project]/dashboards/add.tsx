import { t } from "@/lib/core/language/translate.ts";
import { HttpError, page } from "fresh";
import { InvalidInput } from "@/lib/core/errors.ts";
import { EMPTY_CONTENT } from "@/lib/dashboards/content.ts";
import { checkDashboardName } from "@/lib/dashboards/document.ts";
import type { Sql } from "@/lib/store/database.ts";
import {
  createDashboard,
  DashboardChanged,
  findDashboard,
  saveDashboard,
} from "@/lib/dashboards/dashboards.ts";
import {
  type PanelDraft,
  panelOf,
  readDraft,
  withPanel,
} from "@/lib/dashboards/forms/read_form.ts";
import { AddPage, type AddView, NEW_DASHBOARD } from "@/lib/dashboards/forms/settings_page.tsx";
import { loadList } from "@/lib/dashboards/list_page.tsx";
import { dashboardPath } from "@/lib/dashboards/dashboard_frame.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { attempt, fieldOf, readForm } from "@/lib/ui/form.ts";
import { scopedHref } from "@/lib/ui/scope.ts";
import { define, type State } from "@/lib/server/define.ts";
import { openDashboards, type OpenedDashboards } from "@/lib/server/open_pages.ts";

export default define.page<typeof handler>(({ data }) => <AddPage {...data} />);

export const handler = define.handlers<AddView>({
  async GET(ctx) {
    const opened = await openDashboards(ctx, "dashboard:write");
    ctx.state.meta.title = `${t("Add to a dashboard")} · ${opened.pageScope.project.name}`;
    return page(await loadView(ctx.state, opened, ctx.url.searchParams));
  },

  async POST(ctx) {
    const opened = await openDashboards(ctx, "dashboard:write");
    const { pageScope: { project, scope }, userId } = opened;
    const form = await readForm(ctx.req);
    const { sql } = ctx.state.services;
    const draft = await readDraft(sql, project.id, withKind(form));
    const result = await attempt(() => add(sql, project.id, draft, form, userId));
    if (!result.ok) {
      ctx.state.meta.title = `${t("Add to a dashboard")} · ${project.name}`;
      const view = await loadView(ctx.state, opened, form);
      return page({ ...view, errors: result.errors }, { status: 422 });
    }
    const { dashboardId, panelId } = result.value;
    const path = scopedHref(dashboardPath(project.id, dashboardId), scope);
    return redirectWithFlash(`${path}#panel-${panelId}`, t("Added."));
  },
});

async function loadView(
  { services }: State,
  { shell, pageScope }: OpenedDashboards,
  params: URLSearchParams,
): Promise<AddView> {
  const [{ dashboards }, draft] = await Promise.all([
    loadList(services, pageScope.project.id),
    readDraft(services.sql, pageScope.project.id, withKind(params)),
  ]);
  if (draft.queryForm === null || draft.queryForm.queries.length === 0) {
    throw new HttpError(400, t("There is nothing to add. Explore metrics first."));
  }
  const chosen = params.get("dashboard") ?? dashboards[0]?.dashboardId ?? NEW_DASHBOARD;
  return {
    shell,
    pageScope,
    dashboards,
    queryForm: draft.queryForm,
    entered: { dashboard: chosen, name: fieldOf(params, "name"), title: draft.title },
    errors: {},
  };
}

/** Puts the panel into the dashboard that a form names, whoever else changes it. @throws {InvalidInput} */
async function add(
  ...what: Parameters<typeof addOnce>
): Promise<{ dashboardId: string; panelId: string }> {
  try {
    return await addOnce(...what);
  } catch (error) {
    if (!(error instanceof DashboardChanged)) throw error;
    return await addOnce(...what);
  }
}

async function addOnce(
  sql: Sql,
  projectId: string,
  draft: PanelDraft,
  form: URLSearchParams,
  userId: string | null,
): Promise<{ dashboardId: string; panelId: string }> {
  const chosen = fieldOf(form, "dashboard");
  const found = chosen === NEW_DASHBOARD ? null : await findDashboard(sql, projectId, chosen);
  if (chosen !== NEW_DASHBOARD && found === null) {
    throw new InvalidInput("dashboard", t("This dashboard is gone. Choose another one."));
  }
  const current = found?.content ?? EMPTY_CONTENT;
  const drafted = panelOf(draft, current.panels, null);
  if ("errors" in drafted) {
    const [[field, message] = ["", ""]] = Object.entries(drafted.errors);
    throw new InvalidInput(field, message);
  }
  const content = withPanel(current, drafted.panel);
  const panelId = drafted.panel.id;
  if (found === null) {
    const name = checkDashboardName(fieldOf(form, "name"));
    const { dashboardId } = await createDashboard(sql, projectId, { name, content }, userId);
    return { dashboardId, panelId };
  }
  const { dashboardId, name, version } = found;
  await saveDashboard(sql, projectId, dashboardId, version, { name, content }, userId);
  return { dashboardId, panelId };
}

function withKind(params: URLSearchParams): URLSearchParams {
  const changed = new URLSearchParams(params);
  changed.set("kind", "metrics");
  return changed;
}
