import { page } from "fresh";
import { askForReset } from "../../lib/server/account/ask_for_reset.ts";
import { t } from "../../lib/core/language/translate.ts";
import { define } from "../../lib/server/define.ts";
import { Button, LinkButton } from "../../lib/ui/components/button.tsx";
import { Field, type FormErrors, FormSummary } from "../../lib/ui/components/fields.tsx";
import { PublicPage } from "../../lib/ui/components/page.tsx";
import { fieldOf, readForm } from "../../lib/ui/form.ts";
import { formatDuration } from "../../lib/ui/format.ts";

interface ForgotData {
  /** Whether this instance sends mail. */
  readonly hasMail: boolean;
  readonly isSent: boolean;
  readonly email: string;
  readonly errors: FormErrors;
}

/** Asking for a link to a new password. The answer is the same, whether there is such an account or not. */
export default define.page<typeof handler>(({ data: { hasMail, isSent, email, errors } }) => (
  <PublicPage title={t("Choose a new password")}>
    {!hasMail
      ? (
        <p>
          {t(
            "This Watchpost sends no email. Its administrator can give you a link with which you choose a new password.",
          )}
        </p>
      )
      : isSent
      ? (
        <p role="status">
          {t(
            "If {email} has an account here, a link is on its way to it. It holds for 30 minutes.",
            {
              email,
            },
          )}
        </p>
      )
      : (
        <form method="post" class="space-y-4">
          <FormSummary errors={errors} />
          <p class="text-muted">{t("We send a link to your email.")}</p>
          <Field
            name="email"
            label={t("Email")}
            type="email"
            value={email}
            autocomplete="username"
            error={errors.email}
            required
            autofocus
          />
          <Button kind="primary" class="w-full">{t("Send link")}</Button>
        </form>
      )}
    <div class="mt-5">
      <LinkButton href="/sign-in">{t("Back to sign-in")}</LinkButton>
    </div>
  </PublicPage>
));

export const handler = define.handlers<ForgotData>({
  GET(ctx) {
    ctx.state.meta.title = t("Choose a new password");
    const hasMail = ctx.state.services.config.smtp !== null;
    return page({ hasMail, isSent: false, email: "", errors: {} });
  },

  async POST(ctx) {
    ctx.state.meta.title = t("Choose a new password");
    const { services, clientAddress } = ctx.state;
    const hasMail = services.config.smtp !== null;
    const email = fieldOf(await readForm(ctx.req), "email").slice(0, 254);
    const asked = await askForReset(services, email, clientAddress);
    if (asked.ok) return page({ hasMail, isSent: true, email, errors: {} });
    const time = formatDuration(asked.retryAfterSec * 1000);
    const errors = { "": t("Too many attempts. Try again in {time}.", { time }) };
    const headers = { "retry-after": String(asked.retryAfterSec) };
    return page({ hasMail, isSent: false, email, errors }, { status: 429, headers });
  },
});
