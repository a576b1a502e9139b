/** The parts of the page about who one is. */
import type { User } from "../../accounts/users.ts";
import { rich, t } from "../../core/language/translate.ts";
import { Badge } from "../../ui/components/badge.tsx";
import { Button } from "../../ui/components/button.tsx";
import { Field, type FormErrors } from "../../ui/components/fields.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { ExactTime } from "../../ui/components/values.tsx";

interface PanelData {
  readonly user: User;
  readonly name: string;
  readonly email: string;
  readonly hasMail: boolean;
  readonly errors: FormErrors;
}

export function NamePanel({ user, name, errors }: PanelData) {
  return (
    <Panel title={t("You")}>
      <form method="post" class="max-w-md space-y-4">
        <Field
          name="name"
          label={t("Name@@person")}
          value={name}
          error={errors.name}
          maxLength={64}
          autocomplete="name"
          required
        />
        <Button name="action" value="rename">{t("Save name")}</Button>
      </form>
      <p class="mt-4 text-sm text-muted">
        {rich("Account since {date}", { date: <ExactTime date={user.createdAt} /> })}
      </p>
    </Panel>
  );
}

export function EmailPanel({ user, email, hasMail, errors }: PanelData) {
  const isVerified = user.emailVerifiedAt !== undefined;
  return (
    <Panel
      title={t("Email")}
      description={t("You sign in with it, and get notifications there.")}
      actions={isVerified
        ? <Badge tone="ok" icon="ok">{t("Confirmed")}</Badge>
        : hasMail
        ? <Badge tone="warning" icon="warning">{t("Not confirmed")}</Badge>
        : <Badge>{t("Not confirmed")}</Badge>}
    >
      {!isVerified && hasMail && (
        <form method="post" class="mb-4">
          <p class="mb-2">
            {t("Nobody has confirmed yet that {email} is yours.", { email: user.email })}
          </p>
          <Button name="action" value="verify">{t("Send a link to confirm it")}</Button>
        </form>
      )}
      <form method="post" class="max-w-md space-y-4">
        <Field
          name="email"
          label={t("Email")}
          type="email"
          value={email}
          error={errors.email}
          help={hasMail
            ? t("A new one holds once you opened the link that is sent to it.")
            : t("This Watchpost sends no email. Its administrator can change your email.")}
          autocomplete="email"
          required
        />
        {hasMail && <Button name="action" value="email">{t("Change email")}</Button>}
      </form>
    </Panel>
  );
}
