import { page } from "fresh";
import { ALERT_WRITE } from "@/lib/ui/alerts/access.ts";
import {
  AlertFormPage,
  type AlertFormView,
} from "@/lib/ui/alerts/alert_form_page.tsx";
import { editorOf } from "@/lib/ui/alerts/editor.ts";
import { paramsOfInput } from "@/lib/ui/alerts/form_params.ts";
import { loadAlertForm } from "@/lib/ui/alerts/load_form.ts";
import { alertPath } from "@/lib/ui/paths.ts";
import { readAlertForm } from "@/lib/ui/alerts/read_form.ts";
import { requireRule } from "@/lib/ui/alerts/require_rule.ts";
import { isSave, saveAlert } from "@/lib/ui/alerts/save_alert.ts";
import { redirectWithFlash } from "@/lib/ui/flash.ts";
import { readForm } from "@/lib/ui/form.ts";
import { loadShell } from "@/lib/ui/shell.ts";
import { requireProject } from "@/lib/accounts/access.ts";
import { define } from "@/lib/web/define.ts";

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
    const result = await saveAlert(services.sql, project.id, form, rule, editorOf(actor));
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
