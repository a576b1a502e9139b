import { page } from "fresh";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { type Role, roleAllows } from "@/lib/accounts/members.ts";
import type { Project } from "@/lib/accounts/projects.ts";
import { actOnMonitor, MONITOR_WRITE, requireMonitor } from "@/lib/monitors/cron/pages/actions.ts";
import { loadMonitor } from "@/lib/monitors/cron/pages/load_monitor.ts";
import { CronPage, type CronView } from "@/lib/monitors/cron/pages/monitor_page.tsx";
import { define } from "@/lib/server/define.ts";
import type { Asking } from "@/lib/server/form_handlers.ts";
import { SERVER, serverDsn } from "@/lib/server/open_pages.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { readForm } from "@/lib/ui/form.ts";

export default define.page<typeof handler>(({ data }) => <CronPage {...data} />);

export const handler = define.handlers<CronView>({
  async GET(ctx) {
    const { project, role } = await requireProject(ctx, "project:read");
    return page({ ...await load(ctx, project, role), deleteError: undefined });
  },

  async POST(ctx) {
    const { project, role } = await requireProject(ctx, MONITOR_WRITE);
    const { sql } = ctx.state.services;
    const monitor = await requireMonitor(sql, project.id, ctx.params.cron);
    const result = await actOnMonitor(sql, monitor, await readForm(ctx.req));
    if (result.ok) return redirectWithFlash(result.location, result.text, result.kind);
    const view = { ...await load(ctx, project, role), deleteError: result.deleteError };
    return page(view, { status: 422 });
  },
});

async function load(ctx: Asking, project: Project, role: Role) {
  const { services, meta } = ctx.state;
  const monitor = await requireMonitor(services.sql, project.id, ctx.params.cron);
  meta.title = `${monitor.name} · ${project.name}`;
  const [shell, dsn, loaded] = await Promise.all([
    loadShell(ctx, project),
    serverDsn(ctx, SERVER),
    loadMonitor(services, monitor, ctx.url.searchParams, roleAllows(role, "key:read")),
  ]);
  return { shell, project, dsn, mayWrite: roleAllows(role, MONITOR_WRITE), ...loaded };
}
