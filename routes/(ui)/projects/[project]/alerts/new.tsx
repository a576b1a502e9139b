import { page } from "fresh";
import { ALERT_WRITE, isSave, saveAlert } from "@/lib/alerts/pages/actions.ts";
import {
  AlertFormPage,
  type AlertFormView,
  loadAlertForm,
} from "@/lib/alerts/pages/alert_form.tsx";
import { paramsOfLink } from "@/lib/alerts/pages/form_params.ts";
import { alertPath } from "@/lib/ui/links.ts";
import { readAlertForm } from "@/lib/alerts/pages/read_form.ts";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { readForm } from "@/lib/ui/form.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import { emailOf, requireProject } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";

export default define.page<typeof handler>(({ data }) => <AlertFormPage {...data} />);

export const handler = define.handlers<AlertFormView>({
  async GET(ctx) {
    const { project } = await requireProject(ctx, ALERT_WRITE);
    const { services, meta } = ctx.state;
    const params = paramsOfLink(ctx.url.searchParams);
    const form = await readAlertForm(services.sql, project.id, params, null);
    meta.title = `New alert · ${project.name}`;
    const [shell, loaded] = await Promise.all([
      loadShell(ctx, project),
      loadAlertForm(services, project, form, null, false),
    ]);
    return page({ shell, project, ...loaded });
  },

  async POST(ctx) {
    const { project } = await requireProject(ctx, ALERT_WRITE);
    const { services, meta, actor } = ctx.state;
    const params = await readForm(ctx.req);
    const form = await readAlertForm(services.sql, project.id, params, null);
    const result = await saveAlert(services.sql, project.id, form, null, emailOf(actor));
    if (result.saved !== null) {
      return redirectWithFlash(
        alertPath(project.id, result.saved.ruleId),
        "The alert is made: it is evaluated twice a minute from now on.",
      );
    }
    meta.title = `New alert · ${project.name}`;
    const [shell, loaded] = await Promise.all([
      loadShell(ctx, project),
      loadAlertForm(services, project, result.form, null, params.has("action")),
    ]);
    return page({ shell, project, ...loaded }, { status: isSave(params) ? 422 : 200 });
  },
});
