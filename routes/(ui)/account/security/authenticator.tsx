import { requireUser } from "@/lib/accounts/authorize.ts";
import {
  beginAuthenticator,
  confirmAuthenticator,
  type NewAuthenticator,
} from "@/lib/accounts/second_factors.ts";
import { t } from "@/lib/core/language/translate.ts";
import { tellAccount } from "@/lib/notifications/mod.ts";
import { QrCode } from "@/lib/server/account/qr_code.tsx";
import { RecoveryCodes } from "@/lib/server/account/security_panels.tsx";
import { define } from "@/lib/server/define.ts";
import { formHandlers } from "@/lib/server/form_handlers.ts";
import { requireRecent } from "@/lib/server/recent_proof.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import { AccountPage } from "@/lib/ui/tabbed_pages.tsx";
import { Button, CopyField } from "@/lib/ui/components/button.tsx";
import { Field, type FormErrors, FormSummary } from "@/lib/ui/components/fields.tsx";
import { Panel } from "@/lib/ui/components/panel.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { attempt, fieldOf, readForm } from "@/lib/ui/form.ts";
import type { Shell } from "@/lib/ui/shell.ts";

interface AuthenticatorData {
  readonly shell: Shell;
  readonly authenticator: NewAuthenticator;
  /** Made just now; null: not yet. */
  readonly codes: readonly string[] | null;
  readonly errors: FormErrors;
}

/** Setting an authenticator app up. */
export default define.page<typeof handler>(({ data }) => (
  <AccountPage shell={data.shell} tab="security">
    {data.codes === null ? <SetUp {...data} /> : <RecoveryCodes codes={data.codes} />}
  </AccountPage>
));

function SetUp({ authenticator: { secret, uri }, errors }: AuthenticatorData) {
  return (
    <Panel title={t("Set up an authenticator app")}>
      <ol class="list-decimal space-y-5 pl-5">
        <li>
          <p class="mb-3">
            {t(
              "Scan this code with an authenticator app, such as Aegis, 2FAS, Google Authenticator or a password manager.",
            )}
          </p>
          <QrCode text={uri} />
          <details class="mt-3 max-w-md">
            <summary class="link">{t("Enter the key by hand instead")}</summary>
            <div class="mt-2">
              <CopyField id="totp-secret" value={secret} what={t("Key")} />
            </div>
          </details>
        </li>
        <li>
          <p class="mb-3">{t("Enter the code that the app shows now.")}</p>
          <form method="post" class="max-w-xs space-y-4">
            <FormSummary errors={errors} />
            <Field
              name="code"
              label={t("Code")}
              error={errors.code}
              autocomplete="one-time-code"
              maxLength={10}
              mono
              required
              autofocus
            />
            <Button kind="primary">{t("Use this app")}</Button>
          </form>
        </li>
      </ol>
    </Panel>
  );
}

export const handler = formHandlers<AuthenticatorData>(async (ctx) => {
  const user = requireUser(ctx.state);
  requireRecent(ctx);
  ctx.state.meta.title = t("Authenticator app");
  const { services } = ctx.state;
  const authenticator = await beginAuthenticator(services, user, issuerOf(services.config.baseUrl));
  return { shell: await loadShell(ctx), authenticator, codes: null, errors: {} };
}, async (ctx) => {
  const user = requireUser(ctx.state);
  requireRecent(ctx);
  const { services } = ctx.state;
  const code = fieldOf(await readForm(ctx.req), "code");
  const result = await attempt(() => confirmAuthenticator(services, user, code));
  if (!result.ok) return { changes: { errors: result.errors } };
  await tellAccount(services, user, "factor-added");
  if (result.value !== null) {
    return { changes: { codes: result.value }, status: 200, headers: NO_STORE };
  }
  return redirectWithFlash("/account/security", t("The authenticator app is in use."));
});

const NO_STORE = { "cache-control": "no-store" };

/** People may have accounts of several instances in one app. */
function issuerOf(baseUrl: string): string {
  return `Watchpost ${new URL(baseUrl).hostname}`;
}
