import { t } from "@/lib/core/language/translate.ts";
import { emailOf, requireOrganization } from "@/lib/accounts/authorize.ts";
import { saveLogo } from "@/lib/monitors/status/logo.ts";
import { actOnPage, MAX_FORM_BYTES } from "@/lib/monitors/status/pages/actions.ts";
import {
  SETTINGS_FIELDS,
  type SettingsData,
  type SettingsValues,
  StatusPageSettings,
} from "@/lib/monitors/status/pages/settings_forms.tsx";
import { InvalidInput } from "@/lib/core/errors.ts";
import { OrganizationSettingsPage } from "@/lib/projects/settings_page.tsx";
import { define } from "@/lib/server/define.ts";
import { formHandlers } from "@/lib/server/form_handlers.ts";
import {
  loadSettings,
  MAY_CHANGE,
  type StatusSettingsFrame,
  statusSettingsPath,
} from "@/lib/server/status_settings.ts";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { attempt, fieldOf, readFile, readForm } from "@/lib/ui/form.ts";

/** What the organization tells the public about its monitors. */
export default define.page<typeof handler>(({ data }) => (
  <OrganizationSettingsPage {...data} tab="status-page">
    <StatusPageSettings {...data} />
  </OrganizationSettingsPage>
));

export const handler = formHandlers<StatusSettingsFrame & SettingsData>(
  loadSettings,
  async (ctx) => {
    const { organization: { id, slug } } = await requireOrganization(ctx, MAY_CHANGE);
    const { services, actor } = ctx.state;
    const by = emailOf(actor);
    const path = statusSettingsPath(slug);
    if (ctx.req.headers.get("content-type")?.startsWith("multipart/form-data")) {
      const file = await readFile(ctx.req, "logo");
      const saved = await attempt(async () => {
        if (file === null) throw new InvalidInput("logo", t("Choose a picture."));
        return await saveLogo(services.kv, id, file.bytes, by);
      });
      return saved.ok
        ? redirectWithFlash(path, t("The logo is saved."))
        : { changes: { refused: { action: "logo", errors: saved.errors } } };
    }
    const form = await readForm(ctx.req, MAX_FORM_BYTES);
    const result = await attempt(() => actOnPage(services, id, form, by));
    if (result.ok) {
      return result.value.kind === "done" ? redirectWithFlash(path, result.value.text) : {
        changes: { token: result.value.token },
        status: 201,
        headers: { "cache-control": "no-store" },
      };
    }
    const action = form.get("action") ?? "settings";
    const refused = { action, errors: result.errors };
    if (action !== "settings") return { changes: { refused } };
    const values = Object.fromEntries(
      SETTINGS_FIELDS.map((name) => [name, fieldOf(form, name)]),
    ) as SettingsValues;
    return { changes: { refused, values } };
  },
);
