import { page } from "fresh";
import { findLink } from "../../lib/accounts/mail_links.ts";
import { RESET_PURPOSES, resetPassword } from "../../lib/accounts/password_reset.ts";
import { MIN_PASSWORD_LENGTH } from "../../lib/accounts/users.ts";
import { t } from "../../lib/core/language/translate.ts";
import { tellAccount } from "../../lib/notifications/mod.ts";
import {
  clearedLinkToken,
  readLinkToken,
  SECRET_PAGE,
  withoutToken,
} from "../../lib/server/account/link_token.ts";
import { define } from "../../lib/server/define.ts";
import { Button, LinkButton } from "../../lib/ui/components/button.tsx";
import { Field, type FormErrors, FormSummary } from "../../lib/ui/components/fields.tsx";
import { PublicPage } from "../../lib/ui/components/page.tsx";
import { redirectWithFlash } from "../../lib/ui/cookies.ts";
import { attempt, readForm } from "../../lib/ui/form.ts";

interface ResetData {
  /** Whose password; null when the link does not hold. */
  readonly email: string | null;
  readonly errors: FormErrors;
}

/** Where a link to a new password leads. Only the form does something: scanners of mail open links. */
export default define.page<typeof handler>(({ data: { email, errors } }) =>
  email === null
    ? (
      <PublicPage title={t("This link does not hold any more")}>
        <p>{t("It was used, replaced by a newer one, or is too old. Ask for a new one.")}</p>
        <div class="mt-5">
          <LinkButton href="/forgot-password" kind="primary">{t("Ask for a new link")}</LinkButton>
        </div>
      </PublicPage>
    )
    : (
      <PublicPage
        title={t("Choose a new password")}
        description={t("For {email}. All sessions of the account end then.", { email })}
      >
        <form method="post" class="space-y-4">
          <FormSummary errors={errors} />
          <input type="hidden" name="email" value={email} autocomplete="username" />
          <Field
            name="password"
            label={t("New password")}
            type="password"
            autocomplete="new-password"
            help={t("At least {n} characters, such as four or five unrelated words.", {
              n: MIN_PASSWORD_LENGTH,
            })}
            error={errors.password}
            required
            autofocus
          />
          <Button kind="primary" class="w-full">{t("Set password")}</Button>
        </form>
      </PublicPage>
    )
);

export const handler = define.handlers<ResetData>({
  async GET(ctx) {
    ctx.state.meta.title = t("Choose a new password");
    const redirect = withoutToken(ctx);
    if (redirect !== null) return redirect;
    const found = await findLink(ctx.state.services.kv, RESET_PURPOSES, readLinkToken(ctx));
    return shown({ email: found?.user.email ?? null, errors: {} }, found === null ? 410 : 200);
  },

  async POST(ctx) {
    ctx.state.meta.title = t("Choose a new password");
    const { services } = ctx.state;
    const token = readLinkToken(ctx) ?? "";
    const password = (await readForm(ctx.req)).get("password") ?? "";
    const result = await attempt(() => resetPassword(services.kv, token, password));
    if (!result.ok) {
      const found = await findLink(services.kv, RESET_PURPOSES, token);
      const email = found?.user.email ?? null;
      return shown({ email, errors: result.errors }, found === null ? 410 : 422);
    }
    await tellAccount(services, result.value, "password-changed");
    const response = redirectWithFlash(
      "/sign-in",
      t("Your password is changed. Sign in with it."),
    );
    response.headers.append("set-cookie", clearedLinkToken(ctx));
    return response;
  },
});

function shown(data: ResetData, status: number) {
  return page(data, { status, headers: SECRET_PAGE });
}
