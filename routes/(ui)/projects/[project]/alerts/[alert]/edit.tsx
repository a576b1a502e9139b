import { page } from "fresh";
import { ALERT_WRITE } from "@/lib/alerts/pages/access.ts";
import {
  AlertFormPage,
  type AlertFormView,
} from "@/lib/alerts/pages/alert_form_page.tsx";
import { editorOf } from "@/lib/alerts/pages/editor.ts";
import { paramsOfInput } from "@/lib/alerts/pages/form_params.ts";
import { loadAlertForm } from "@/lib/alerts/pages/load_form.ts";
import { alertPath } from "@/lib/ui/paths.ts";
import { readAlertForm } from "@/lib/alerts/pages/read_form.ts";
import { requireRule } from "@/lib/alerts/pages/require_rule.ts";
import { isSave, saveAlert } from "@/lib/alerts/pages/save_alert.ts";
import { redirectWithFlash } from "@/lib/ui/flash.ts";
import { readForm } from "@/lib/ui/form.ts";
import { loadShell } from "@/lib/ui/shell.ts";
import { requireProject } from "@/lib/accounts/access.ts";
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
