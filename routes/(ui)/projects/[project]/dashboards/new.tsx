import { t } from "@/lib/core/language/translate.ts";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { EMPTY_CONTENT } from "@/lib/dashboards/content.ts";
import { checkDashboardName, type NamedContent, readDocument } from "@/lib/dashboards/document.ts";
import { createDashboard } from "@/lib/dashboards/dashboards.ts";
import { NewDashboardPage, type NewDashboardView } from "@/lib/dashboards/forms/settings_page.tsx";
import { dashboardPath } from "@/lib/dashboards/dashboard_frame.tsx";
import { attempt, readUpload } from "@/lib/ui/form.ts";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { parseScope, scopedHref } from "@/lib/ui/scope.ts";
import { define } from "@/lib/server/define.ts";
import { formHandlers } from "@/lib/server/form_handlers.ts";
import { openDashboards } from "@/lib/server/open_pages.ts";

export default define.page<typeof handler>(({ data }) => <NewDashboardPage {...data} />);

export const handler = formHandlers<NewDashboardView>(async (ctx) => {
  const { shell, pageScope } = await openDashboards(ctx, "dashboard:write");
  ctx.state.meta.title = `${t("New dashboard")} · ${pageScope.project.name}`;
  const from = ctx.url.searchParams.get("from") === "json" ? "json" : "nothing";
  return { shell, pageScope, from, name: "", json: "", errors: {} };
}, async (ctx) => {
  const { project, userId } = await requireProject(ctx, "dashboard:write");
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
  if (!result.ok) return { changes: { from, name, json, errors: result.errors } };
  const { dashboardId, content } = result.value;
  const edit = content.panels.length === 0 ? "1" : null;
  const scope = parseScope(ctx.url.searchParams);
  return redirectWithFlash(
    scopedHref(dashboardPath(project.id, dashboardId), scope, { edit }),
    from === "json" ? t("Imported.") : t("Created. Add its first panel."),
  );
});
