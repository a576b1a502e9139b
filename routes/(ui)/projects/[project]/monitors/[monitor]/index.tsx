import { type Context, page } from "fresh";
import { emailOf, requireProject } from "@/lib/accounts/authorize.ts";
import { roleAllows } from "@/lib/accounts/members.ts";
import { type Project, settingsOf } from "@/lib/accounts/projects.ts";
import type { Monitor } from "@/lib/monitors/uptime/monitor.ts";
import {
  actOnMonitor,
  MONITOR_WRITE,
  requireMonitor,
} from "@/lib/monitors/uptime/pages/actions.ts";
import {
  loadMonitor,
  MonitorPage,
  type MonitorView,
} from "@/lib/monitors/uptime/pages/monitor_page.tsx";
import { define, type State } from "@/lib/server/define.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { readForm } from "@/lib/ui/form.ts";

export default define.page<typeof handler>(({ data }) => <MonitorPage {...data} />);

export const handler = define.handlers<MonitorView>({
  async GET(ctx) {
    const { project, role } = await requireProject(ctx, "project:read");
    const monitor = await requireMonitor(ctx.state.services.sql, project.id, ctx.params.monitor);
    return page({
      ...await load(ctx, project, monitor),
      mayWrite: roleAllows(role, MONITOR_WRITE),
      deleteError: undefined,
      windowErrors: {},
      windowParams: new URLSearchParams(),
    });
  },

  async POST(ctx) {
    const { project } = await requireProject(ctx, MONITOR_WRITE);
    const { services: { sql, config }, actor } = ctx.state;
    const monitor = await requireMonitor(sql, project.id, ctx.params.monitor);
    const form = await readForm(ctx.req);
    const result = await actOnMonitor(sql, monitor, form, emailOf(actor), {
      projectName: project.name,
      baseUrl: config.baseUrl,
      language: settingsOf(project).language,
    });
    if (result.ok) return redirectWithFlash(result.location, result.text);
    return page({
      ...await load(ctx, project, monitor),
      mayWrite: true,
      deleteError: result.deleteError,
      windowErrors: result.windowErrors ?? {},
      windowParams: form,
    }, { status: 422 });
  },
});

async function load(ctx: Context<State>, project: Project, monitor: Monitor) {
  ctx.state.meta.title = `${monitor.name} · ${project.name}`;
  const [shell, loaded] = await Promise.all([
    loadShell(ctx, project),
    loadMonitor(ctx.state.services.sql, monitor, ctx.url.searchParams),
  ]);
  return { shell, project, ...loaded };
}
