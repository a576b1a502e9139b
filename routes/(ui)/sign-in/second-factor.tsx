import { page } from "fresh";
import {
  endPendingSignIn,
  findPendingSignIn,
  type PendingProof,
  tryFactor,
} from "@/lib/accounts/pending_sign_in.ts";
import { type Factors, factorsOf, wrongCode } from "@/lib/accounts/second_factors.ts";
import { t } from "@/lib/core/language/translate.ts";
import { tellAccount } from "@/lib/notifications/mod.ts";
import { define } from "@/lib/server/define.ts";
import { clearedPendingCookie, readDeviceToken, readPendingToken } from "@/lib/server/session.ts";
import { completePendingSignIn } from "@/lib/server/sign_in.ts";
import Passkeys from "@/islands/Passkeys.tsx";
import { Button } from "@/lib/ui/components/button.tsx";
import { Field, type FormErrors, FormSummary } from "@/lib/ui/components/fields.tsx";
import { PublicPage } from "@/lib/ui/components/page.tsx";
import { fieldOf, readForm } from "@/lib/ui/form.ts";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { formatDuration } from "@/lib/ui/format.ts";

interface SecondFactorData {
  readonly email: string;
  readonly factors: Factors;
  readonly errors: FormErrors;
}

/** The second step of a sign-in. */
export default define.page<typeof handler>(({ data: { email, factors, errors } }) => {
  const hasCodes = factors.authenticatorAddedAt !== null || factors.recoveryCodesLeft > 0;
  return (
    <PublicPage title={t("Second step")} description={t("Signing in as {email}", { email })}>
      <FormSummary errors={errors} />
      {hasCodes && (
        <form method="post" class="mt-1 space-y-4">
          <Field
            name="code"
            label={factors.authenticatorAddedAt === null ? t("Recovery code") : t("Code")}
            error={errors.code}
            help={factors.authenticatorAddedAt === null
              ? t("One of the codes that you kept, such as 7KQ4-M2XP-9TRD-0ABC-1DEF-2GHJ.")
              : t("The six digits that your authenticator app shows, or a recovery code.")}
            autocomplete="one-time-code"
            mono
            required
            autofocus
          />
          <Button kind="primary" class="w-full">{t("Sign in")}</Button>
        </form>
      )}
      {factors.passkeys > 0 && (
        <div class="mt-4">
          <Passkeys mode="use" path="/sign-in/passkey?step=second" />
        </div>
      )}
      <form method="post" class="mt-5 flex flex-wrap items-center justify-between gap-2 text-sm">
        <span class="text-muted">
          {t("Lost everything? Ask the administrator of this Watchpost.")}
        </span>
        <button type="submit" name="action" value="cancel" class="link">{t("Cancel")}</button>
      </form>
    </PublicPage>
  );
});

export const handler = define.handlers<SecondFactorData>({
  async GET(ctx) {
    const { kv, config } = ctx.state.services;
    const found = await findPendingSignIn(kv, readPendingToken(ctx.req, config));
    if (found === null) return ctx.redirect("/sign-in", 303);
    ctx.state.meta.title = t("Second step");
    const factors = await factorsOf(kv, found.user.id);
    return shown({ email: found.user.email, factors, errors: {} }, 200);
  },

  async POST(ctx) {
    const { services } = ctx.state;
    const { kv, config } = services;
    const token = readPendingToken(ctx.req, config);
    const found = await findPendingSignIn(kv, token);
    if (token === null || found === null) return again(t("That took too long. Sign in again."));
    const form = await readForm(ctx.req);
    if (form.get("action") === "cancel") {
      await endPendingSignIn(kv, token);
      const response = ctx.redirect("/sign-in", 303);
      response.headers.append("set-cookie", clearedPendingCookie(config));
      return response;
    }
    const device = readDeviceToken(ctx.req, config);
    const tried = await tryFactor(services, { token, code: fieldOf(form, "code"), device });
    if (tried.ok) {
      const { how, recoveryCodesLeft: left } = tried.proof;
      if (how === "recovery") {
        await tellAccount(services, tried.user, { kind: "recovery-used", left });
      }
      return await completePendingSignIn(ctx, tried);
    }
    if (tried.reason === "gone") {
      return again(t("Too many wrong codes. Sign in again with your password."));
    }
    ctx.state.meta.title = t("Second step");
    const factors = await factorsOf(kv, found.user.id);
    const errors = { code: problemOf(tried) };
    const status = tried.reason === "limited" ? 429 : 422;
    return shown({ email: found.user.email, factors, errors }, status);
  },
});

function problemOf(tried: Exclude<PendingProof, { ok: true } | { reason: "gone" }>): string {
  if (tried.reason === "limited") {
    const time = formatDuration(tried.retryAfterSec * 1000);
    return t(
      "Too many wrong codes today. Use a recovery code or a passkey, or try again in {time}.",
      { time },
    );
  }
  return tried.proof.isUnreadable
    ? t("This server's secret key has changed, so it cannot check codes. Use a recovery code.")
    : wrongCode(tried.proof.clockOffSec);
}

function again(text: string): Response {
  return redirectWithFlash("/sign-in", text, "warning");
}

function shown(data: SecondFactorData, status: number) {
  return page(data, { status, headers: { "cache-control": "no-store" } });
}
