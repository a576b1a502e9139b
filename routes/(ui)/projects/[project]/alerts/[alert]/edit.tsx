import { page } from "fresh";
import { ALERT_WRITE, isSave, requireRule, saveAlert } from "@/lib/alerts/pages/actions.ts";
import {
  AlertFormPage,
  type AlertFormView,
  loadAlertForm,
} from "@/lib/alerts/pages/alert_form.tsx";
import { paramsOfInput } from "@/lib/alerts/pages/form_params.ts";
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
    const rule = await requireRule(services.sql, project.id, ctx.params.alert);
    const form = await readAlertForm(services.sql, project.id, paramsOfInput(rule), rule);
    meta.title = `Edit ${rule.name} · ${project.name}`;
    const [shell, loaded] = await Promise.all([
      loadShell(ctx, project),
      loadAlertForm(services, project, form, rule, false),
    ]);
    return page({ shell, project, ...loaded });
  },

  async POST(ctx) {
    const { project } = await requireProject(ctx, ALERT_WRITE);
    const { services, meta, actor } = ctx.state;
    const rule = await requireRule(services.sql, project.id, ctx.params.alert);
    const params = await readForm(ctx.req);
    const form = await readAlertForm(services.sql, project.id, params, rule);
    const result = await saveAlert(services.sql, project.id, form, rule, emailOf(actor));
    if (result.saved !== null) {
      return redirectWithFlash(alertPath(project.id, rule.ruleId), "Saved.");
    }
    meta.title = `Edit ${rule.name} · ${project.name}`;
    const [shell, loaded] = await Promise.all([
      loadShell(ctx, project),
      loadAlertForm(services, project, result.form, rule, params.has("action")),
    ]);
    return page({ shell, project, ...loaded }, { status: isSave(params) ? 422 : 200 });
  },
});
