import { page } from "fresh";
import { roleAllows } from "@/lib/accounts/members.ts";
import { actOnAlert, ALERT_WRITE, requireRule } from "@/lib/alerts/pages/actions.ts";
import { AlertPage, type AlertView, loadAlert } from "@/lib/alerts/pages/alert_page.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { readForm } from "@/lib/ui/form.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import { emailOf, requireProject } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";

export default define.page<typeof handler>(({ data }) => <AlertPage {...data} />);

export const handler = define.handlers<AlertView>({
  async GET(ctx) {
    const { project, role } = await requireProject(ctx, "project:read");
    const { services, meta } = ctx.state;
    const rule = await requireRule(services.sql, project.id, ctx.params.alert);
    meta.title = `${rule.name} · ${project.name}`;
    const [shell, loaded] = await Promise.all([
      loadShell(ctx, project),
      loadAlert(services, project, rule, ctx.url.searchParams),
    ]);
    const mayWrite = roleAllows(role, ALERT_WRITE);
    return page({ shell, project, mayWrite, deleteError: undefined, ...loaded });
  },

  async POST(ctx) {
    const { project } = await requireProject(ctx, ALERT_WRITE);
    const { services, meta, actor } = ctx.state;
    const rule = await requireRule(services.sql, project.id, ctx.params.alert);
    const form = await readForm(ctx.req);
    const result = await actOnAlert(services, project, rule, form, emailOf(actor));
    if (result.ok) return redirectWithFlash(result.location, result.text, result.kind);
    meta.title = `${rule.name} · ${project.name}`;
    const [shell, loaded] = await Promise.all([
      loadShell(ctx, project),
      loadAlert(services, project, rule, ctx.url.searchParams),
    ]);
    const refused = { shell, project, mayWrite: true, deleteError: result.deleteError, ...loaded };
    return page(refused, { status: 422 });
  },
});
