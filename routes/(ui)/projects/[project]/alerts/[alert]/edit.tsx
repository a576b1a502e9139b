import { type Context, page } from "fresh";
import { ALERT_WRITE, isSave, requireRule, saveAlert } from "@/lib/alerts/pages/actions.ts";
import {
  AlertFormPage,
  type AlertFormView,
  loadAlertForm,
} from "@/lib/alerts/pages/alert_form.tsx";
import { paramsOfInput, paramsOfLink } from "@/lib/alerts/pages/form_params.ts";
import { alertPath } from "@/lib/ui/links.ts";
import { readAlertForm } from "@/lib/alerts/pages/read_form.ts";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { readForm } from "@/lib/ui/form.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import { emailOf, requireProject } from "@/lib/accounts/authorize.ts";
import { define, type State } from "@/lib/server/define.ts";
import { t } from "@/lib/core/language/translate.ts";

export default define.page<typeof handler>(({ data }) => <AlertFormPage {...data} />);

/** Also of `new.tsx`, whose address names no alert. */
export const handler = define.handlers<AlertFormView>({
  async GET(ctx) {
    const { project, rule } = await requireForm(ctx);
    const { services } = ctx.state;
    const params = rule === null ? paramsOfLink(ctx.url.searchParams) : paramsOfInput(rule);
    const form = await readAlertForm(services.sql, project.id, params, rule);
    const [shell, loaded] = await Promise.all([
      loadShell(ctx, project),
      loadAlertForm(services, project, form, rule, false),
    ]);
    return page({ shell, project, ...loaded });
  },

  async POST(ctx) {
    const { project, rule } = await requireForm(ctx);
    const { services, actor } = ctx.state;
    const params = await readForm(ctx.req);
    const form = await readAlertForm(services.sql, project.id, params, rule);
    const result = await saveAlert(services.sql, project.id, form, rule, emailOf(actor));
    if (result.saved !== null) {
      return redirectWithFlash(
        alertPath(project.id, result.saved.ruleId),
        rule === null
          ? t("The alert is made: it is evaluated twice a minute from now on.")
          : t("Saved."),
      );
    }
    const [shell, loaded] = await Promise.all([
      loadShell(ctx, project),
      loadAlertForm(services, project, result.form, rule, params.has("action")),
    ]);
    return page({ shell, project, ...loaded }, { status: isSave(params) ? 422 : 200 });
  },
});

/** The project, and the alert that is changed; null for a new one. */
async function requireForm(ctx: Context<State>) {
  const { project } = await requireProject(ctx, ALERT_WRITE);
  const { services: { sql }, meta } = ctx.state;
  const isNew = ctx.params.alert === undefined;
  const rule = isNew ? null : await requireRule(sql, project.id, ctx.params.alert);
  const title = rule === null ? t("New alert") : t("Edit {name}", { name: rule.name });
  meta.title = `${title} · ${project.name}`;
  return { project, rule };
}
