import { requireUser } from "@/lib/accounts/authorize.ts";
import { type Factors, factorsOf, renewRecoveryCodes } from "@/lib/accounts/second_factors.ts";
import { t } from "@/lib/core/language/translate.ts";
import { tellAccount } from "@/lib/notifications/mod.ts";
import { RecoveryCodes } from "@/lib/server/account/security_panels.tsx";
import { define } from "@/lib/server/define.ts";
import { formHandlers } from "@/lib/server/form_handlers.ts";
import { requireRecent } from "@/lib/server/recent_proof.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import { AccountPage } from "@/lib/ui/tabbed_pages.tsx";
import { Button } from "@/lib/ui/components/button.tsx";
import { Panel } from "@/lib/ui/components/panel.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import type { Shell } from "@/lib/ui/shell.ts";

interface RecoveryData {
  readonly shell: Shell;
  readonly factors: Factors;
  readonly codes: readonly string[] | null;
}

/** New recovery codes, shown once. */
export default define.page<typeof handler>(({ data: { shell, factors, codes } }) => (
  <AccountPage shell={shell} tab="security">
    {codes !== null ? <RecoveryCodes codes={codes} /> : (
      <Panel
        title={t("Recovery codes")}
        description={t(
          "Ten codes, each of which lets you in once when your second factor is lost.",
        )}
      >
        {factors.recoveryCodesLeft > 0 && (
          <p class="mb-3">{t("Those that you have do not work any more then.")}</p>
        )}
        <form method="post">
          <Button kind="primary">{t("Make recovery codes")}</Button>
        </form>
      </Panel>
    )}
  </AccountPage>
));

export const handler = formHandlers<RecoveryData>(async (ctx) => {
  const user = requireUser(ctx.state);
  requireRecent(ctx);
  ctx.state.meta.title = t("Recovery codes");
  const factors = await factorsOf(ctx.state.services.kv, user.id);
  return { shell: await loadShell(ctx), factors, codes: null };
}, async (ctx) => {
  const user = requireUser(ctx.state);
  requireRecent(ctx);
  const { services } = ctx.state;
  const { authenticatorAddedAt, passkeys } = await factorsOf(services.kv, user.id);
  if (authenticatorAddedAt === null && passkeys === 0) {
    return redirectWithFlash(
      "/account/security",
      t("Set up an authenticator app or a passkey first."),
      "warning",
    );
  }
  const codes = await renewRecoveryCodes(services.kv, user);
  await tellAccount(services, user, "factor-added");
  return { changes: { codes }, status: 200, headers: { "cache-control": "no-store" } };
});
