import { type Context, page } from "fresh";
import { roleAllows } from "@/lib/accounts/members.ts";
import type { Project } from "@/lib/accounts/projects.ts";
import { actOnAlert, ALERT_WRITE, requireRule } from "@/lib/alerts/pages/actions.ts";
import { AlertPage, type AlertView, loadAlert } from "@/lib/alerts/pages/alert_page.tsx";
import type { StoredRule } from "@/lib/alerts/rules.ts";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { readForm } from "@/lib/ui/form.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import { emailOf, requireProject } from "@/lib/accounts/authorize.ts";
import { define, type State } from "@/lib/server/define.ts";

export default define.page<typeof handler>(({ data }) => <AlertPage {...data} />);

export const handler = define.handlers<AlertView>({
  async GET(ctx) {
    const { project, role } = await requireProject(ctx, "project:read");
    const rule = await requireRule(ctx.state.services.sql, project.id, ctx.params.alert);
    const loaded = await load(ctx, project, rule);
    return page({ ...loaded, mayWrite: roleAllows(role, ALERT_WRITE), deleteError: undefined });
  },

  async POST(ctx) {
    const { project } = await requireProject(ctx, ALERT_WRITE);
    const { services, actor } = ctx.state;
    const rule = await requireRule(services.sql, project.id, ctx.params.alert);
    const form = await readForm(ctx.req);
    const result = await actOnAlert(services, project, rule, form, emailOf(actor));
    if (result.ok) return redirectWithFlash(result.location, result.text, result.kind);
    const loaded = await load(ctx, project, rule);
    return page({ ...loaded, mayWrite: true, deleteError: result.deleteError }, { status: 422 });
  },
});

async function load(ctx: Context<State>, project: Project, rule: StoredRule) {
  ctx.state.meta.title = `${rule.name} · ${project.name}`;
  const [shell, loaded] = await Promise.all([
    loadShell(ctx, project),
    loadAlert(ctx.state.services, project, rule, ctx.url.searchParams),
  ]);
  return { shell, project, ...loaded };
}
