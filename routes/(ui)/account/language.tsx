import { requireUser } from "@/lib/accounts/authorize.ts";
import { readerOf, setReader } from "@/lib/accounts/language.ts";
import { TIME_ZONES } from "@/lib/core/language/time_zones.ts";
import { currentLanguage, LANGUAGES, t } from "@/lib/core/language/translate.ts";
import { inLanguage } from "@/lib/core/request_scope.ts";
import { define } from "@/lib/server/define.ts";
import { formHandlers } from "@/lib/server/form_handlers.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import { AccountPage } from "@/lib/ui/tabbed_pages.tsx";
import { SuggestedField } from "@/lib/ui/choice_fields.tsx";
import { Button } from "@/lib/ui/components/button.tsx";
import { type FormErrors, FormSummary, Select } from "@/lib/ui/components/fields.tsx";
import { Panel } from "@/lib/ui/components/panel.tsx";
import { LANGUAGE_COOKIE, lastingCookie, redirectWithFlash } from "@/lib/ui/cookies.ts";
import { attempt, fieldOf, readForm } from "@/lib/ui/form.ts";
import type { Shell } from "@/lib/ui/shell.ts";

const PATH = "/account/language";
const LANGUAGE_OPTIONS = Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }));

interface LanguageData {
  readonly shell: Shell;
  readonly values: { readonly language: string; readonly timeZone: string };
  readonly errors: FormErrors;
}

export default define.page<typeof handler>(({ data: { shell, values, errors } }) => (
  <AccountPage shell={shell} tab="language">
    <Panel
      title={t("How you read Watchpost")}
      description={t("Pages, emails and times, on all your devices.")}
    >
      <form method="post" class="max-w-md space-y-4">
        <FormSummary errors={errors} />
        <Select
          name="language"
          label={t("Language")}
          options={LANGUAGE_OPTIONS}
          value={values.language}
          error={errors.language}
        />
        <SuggestedField
          name="timeZone"
          label={t("Time zone")}
          value={values.timeZone}
          suggestions={TIME_ZONES}
          help={t(
            "A name such as Europe/Berlin or UTC. The time in UTC is shown when you point at a time.",
          )}
          error={errors.timeZone}
        />
        <Button kind="primary">{t("Save")}</Button>
      </form>
    </Panel>
  </AccountPage>
));

export const handler = formHandlers<LanguageData>(async (ctx) => {
  const user = requireUser(ctx.state);
  ctx.state.meta.title = t("Language and time");
  // Who chose none sees the one of the page.
  const values = readerOf({ language: currentLanguage(), ...user });
  return { shell: await loadShell(ctx), values, errors: {} };
}, async (ctx) => {
  const user = requireUser(ctx.state);
  const form = await readForm(ctx.req);
  const values = { language: fieldOf(form, "language"), timeZone: fieldOf(form, "timeZone") };
  const result = await attempt(() => setReader(ctx.state.services.kv, user.id, values));
  if (!result.ok) return { changes: { values, errors: result.errors } };
  const response = inLanguage(
    readerOf(result.value),
    () => redirectWithFlash(PATH, t("Your language and time zone are saved.")),
  );
  // For pages that nobody has to sign in to see, and those that do not exist.
  response.headers.append("set-cookie", lastingCookie(LANGUAGE_COOKIE, values.language));
  return response;
});
