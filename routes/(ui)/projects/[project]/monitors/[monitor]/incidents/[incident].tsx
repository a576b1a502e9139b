import { type Context, page } from "fresh";
import { emailOf, type ProjectAccess, requireProject } from "@/lib/accounts/authorize.ts";
import { type Permission, roleAllows } from "@/lib/accounts/members.ts";
import {
  commentOn,
  MONITOR_WRITE,
  requireIncident,
  requireMonitor,
} from "@/lib/monitors/uptime/pages/actions.ts";
import {
  IncidentPage,
  type IncidentView,
  loadIncident,
} from "@/lib/monitors/uptime/pages/incident_page.tsx";
import { define, type State } from "@/lib/server/define.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { readForm } from "@/lib/ui/form.ts";
import { t } from "@/lib/core/language/translate.ts";

export default define.page<typeof handler>(({ data }) => <IncidentPage {...data} />);

export const handler = define.handlers<IncidentView>({
  async GET(ctx) {
    const { view } = await open(ctx, "project:read");
    return page({ ...view, errors: {}, comment: "" });
  },

  async POST(ctx) {
    const { view } = await open(ctx, MONITOR_WRITE);
    const form = await readForm(ctx.req);
    const { services: { sql }, actor } = ctx.state;
    const result = await commentOn(sql, view.incident, form, emailOf(actor));
    if (result.ok) return redirectWithFlash(`${result.location}#comments`, t("Added."));
    return page({ ...view, errors: result.errors, comment: form.get("comment") ?? "" }, {
      status: 422,
    });
  },
});

async function open(ctx: Context<State>, permission: Permission) {
  const { project, role }: ProjectAccess = await requireProject(ctx, permission);
  const { services: { sql }, meta } = ctx.state;
  const monitor = await requireMonitor(sql, project.id, ctx.params.monitor);
  const incident = await requireIncident(sql, monitor, ctx.params.incident);
  meta.title = `${t("Incident of {name}", { name: monitor.name })} · ${project.name}`;
  const [shell, loaded] = await Promise.all([
    loadShell(ctx, project),
    loadIncident(sql, monitor, incident),
  ]);
  return { view: { shell, project, mayWrite: roleAllows(role, MONITOR_WRITE), ...loaded } };
}
