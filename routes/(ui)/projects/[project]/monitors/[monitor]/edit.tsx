import { type Context, page } from "fresh";
import { emailOf, requireProject } from "@/lib/accounts/authorize.ts";
import { listChannels } from "@/lib/alerts/mod.ts";
import {
  MONITOR_WRITE,
  requireMonitor,
  submitMonitor,
} from "@/lib/monitors/uptime/pages/actions.ts";
import { MonitorFormPage, type MonitorFormView } from "@/lib/monitors/uptime/pages/form_page.tsx";
import { emptyParams, kindOf, paramsOf } from "@/lib/monitors/uptime/pages/form_params.ts";
import { define, type State } from "@/lib/server/define.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { readForm } from "@/lib/ui/form.ts";
import { monitorPath } from "@/lib/ui/links.ts";
import { t } from "@/lib/core/language/translate.ts";

export default define.page<typeof handler>(({ data }) => <MonitorFormPage {...data} />);

/** Also of `new.tsx`, whose address names no monitor. */
export const handler = define.handlers<MonitorFormView>({
  async GET(ctx) {
    const { monitor, frame } = await open(ctx);
    const { searchParams: search } = ctx.url;
    const kind = monitor?.target.kind ?? kindOf(search);
    const params = monitor === null ? emptyParams(kind, search.get("url")) : paramsOf(monitor);
    return page({ ...frame, kind, params, errors: {}, tried: null });
  },

  async POST(ctx) {
    const { project, monitor, frame } = await open(ctx);
    const { services, actor } = ctx.state;
    const params = await readForm(ctx.req);
    const result = await submitMonitor(services, project.id, params, monitor, emailOf(actor));
    if (result.kind === "saved") {
      return redirectWithFlash(
        monitorPath(project.id, result.monitor.monitorId),
        monitor === null ? t("The monitor is made: it is checked from now on.") : t("Saved."),
      );
    }
    const { kind, errors } = result.form;
    const tried = result.kind === "tried" ? result.tried : null;
    const status = result.kind === "tried" ? 200 : 422;
    return page({ ...frame, kind, params, errors, tried }, { status });
  },
});

/** The project, the monitor that is changed or null for a new one, and what the page shows anyhow. */
async function open(ctx: Context<State>) {
  const { project } = await requireProject(ctx, MONITOR_WRITE);
  const { services: { sql }, meta } = ctx.state;
  const isNew = ctx.params.monitor === undefined;
  const monitor = isNew ? null : await requireMonitor(sql, project.id, ctx.params.monitor);
  const title = monitor === null ? t("New monitor") : t("Edit {name}", { name: monitor.name });
  meta.title = `${title} · ${project.name}`;
  const [shell, channels] = await Promise.all([
    loadShell(ctx, project),
    listChannels(sql, project.id),
  ]);
  return { project, monitor, frame: { shell, project, monitor, channels } };
}
