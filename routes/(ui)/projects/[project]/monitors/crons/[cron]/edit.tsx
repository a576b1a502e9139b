import { t } from "@/lib/core/language/translate.ts";
import { page } from "fresh";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { MONITOR_WRITE, requireMonitor } from "@/lib/monitors/cron/pages/actions.ts";
import {
  configOfValues,
  enteredValues,
  newValues,
  saveMonitor,
  valuesOf,
} from "@/lib/monitors/cron/pages/form_fields.ts";
import { CronFormPage, type CronFormView } from "@/lib/monitors/cron/pages/form_page.tsx";
import { monitorHref } from "@/lib/monitors/cron/pages/parts.tsx";
import { define } from "@/lib/server/define.ts";
import type { Asking } from "@/lib/server/form_handlers.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { readForm } from "@/lib/ui/form.ts";

export default define.page<typeof handler>(({ data }) => <CronFormPage {...data} />);

/** Also of `new.tsx`, whose address names no job. */
export const handler = define.handlers<CronFormView>({
  async GET(ctx) {
    const { project, monitor } = await requireForm(ctx);
    const values = monitor === null ? newValues(ctx.url.searchParams) : valuesOf(monitor);
    const shell = await loadShell(ctx, project);
    return page({ shell, project, monitor, values, errors: {}, now: new Date() });
  },

  async POST(ctx) {
    const { project, monitor } = await requireForm(ctx);
    const form = await readForm(ctx.req);
    const values = enteredValues(form);
    const view = { project, monitor, values, now: new Date() };
    if (form.get("action") === "preview") {
      const shell = await loadShell(ctx, project);
      return page({ ...view, shell, errors: configOfValues(values).errors });
    }
    const result = await saveMonitor(ctx.state.services.sql, project.id, values, monitor);
    if (result.saved === null) {
      const shell = await loadShell(ctx, project);
      return page({ ...view, shell, errors: result.errors }, { status: 422 });
    }
    return redirectWithFlash(
      monitorHref(result.saved),
      monitor === null
        ? t("The cron job is set up: it waits for its first check-in.")
        : t("Saved."),
    );
  },
});

/** The project, and the job that is changed; null for a new one. */
async function requireForm(ctx: Asking) {
  const { project } = await requireProject(ctx, MONITOR_WRITE);
  const { services: { sql }, meta } = ctx.state;
  const isNew = ctx.params.cron === undefined;
  const monitor = isNew ? null : await requireMonitor(sql, project.id, ctx.params.cron);
  const title = monitor === null ? t("New cron job") : t("Edit {name}", { name: monitor.name });
  meta.title = `${title} · ${project.name}`;
  return { project, monitor };
}
