import { page } from "fresh";
import { requireUser } from "@/lib/accounts/authorize.ts";
import { relyingParty } from "@/lib/accounts/passkeys.ts";
import { listIdentities } from "@/lib/accounts/providers/identities.ts";
import {
  listEnabledProviders,
  type Provider,
  providerPath,
} from "@/lib/accounts/providers/provider.ts";
import {
  hasPassword,
  type ProofAgain,
  proveFactorAgain,
  provePasswordAgain,
} from "@/lib/accounts/prove_again.ts";
import { type Factors, factorsOf, wrongCode } from "@/lib/accounts/second_factors.ts";
import { renewSession } from "@/lib/accounts/sessions.ts";
import { t } from "@/lib/core/language/translate.ts";
import { answerPasskey } from "@/lib/server/account/passkey_answers.ts";
import { define, type State } from "@/lib/server/define.ts";
import { isRecent } from "@/lib/server/recent_proof.ts";
import { sessionCookie } from "@/lib/server/session.ts";
import Passkeys from "@/islands/Passkeys.tsx";
import { Button, LinkButton } from "@/lib/ui/components/button.tsx";
import { Field, type FormErrors, FormSummary } from "@/lib/ui/components/fields.tsx";
import { PublicPage } from "@/lib/ui/components/page.tsx";
import { fieldOf, localPath, readForm } from "@/lib/ui/form.ts";
import { formatDuration } from "@/lib/ui/format.ts";

interface ConfirmData {
  readonly next: string;
  readonly email: string;
  readonly hasPassword: boolean;
  readonly factors: Factors;
  readonly hasPasskeys: boolean;
  /** Those by which the person can sign in. */
  readonly providers: readonly Pick<Provider, "id" | "name">[];
  readonly errors: FormErrors;
}

const PATH = "/account/confirm";

/** Asks once more who it is, before what a stolen session must not be enough for. */
export default define.page<typeof handler>(({ data }) => (
  <PublicPage
    title={t("Confirm that it is you")}
    description={t(
      "What follows changes how your account or organization is protected. You are asked again after ten minutes.",
    )}
  >
    <FormSummary errors={data.errors} />
    <div class="mt-1 space-y-5">
      {data.hasPasskeys && <Passkeys mode="use" path={PATH} next={data.next} kind="primary" />}
      {data.hasPassword && <PasswordForm {...data} />}
      {data.factors.authenticatorAddedAt !== null && <CodeForm {...data} />}
      {data.providers.map(({ id, name }) => (
        <LinkButton
          key={id}
          href={`${providerPath(id)}?again=1&next=${encodeURIComponent(data.next)}`}
          class="w-full"
        >
          {t("Confirm by {provider}", { provider: name })}
        </LinkButton>
      ))}
      <SignInAgain
        next={data.next}
        isOnly={!data.hasPassword && !data.hasPasskeys && data.providers.length === 0}
      />
    </div>
  </PublicPage>
));

function PasswordForm({ next, email, errors }: ConfirmData) {
  return (
    <form method="post" class="space-y-3">
      <input type="hidden" name="next" value={next} />
      <input type="hidden" name="email" value={email} autocomplete="username" />
      <Field
        name="password"
        label={t("Password")}
        type="password"
        autocomplete="current-password"
        error={errors.password}
        required
        autofocus
      />
      <Button name="action" value="password" class="w-full">{t("Confirm")}</Button>
    </form>
  );
}

function CodeForm({ next, errors }: ConfirmData) {
  return (
    <form method="post" class="space-y-3">
      <input type="hidden" name="next" value={next} />
      <Field
        name="code"
        label={t("Code of your authenticator app")}
        autocomplete="one-time-code"
        error={errors.code}
        mono
        required
      />
      <Button name="action" value="code" class="w-full">{t("Confirm")}</Button>
    </form>
  );
}

/** Always a way: whichever way they signed in, they can do so again. */
function SignInAgain({ next, isOnly }: { readonly next: string; readonly isOnly: boolean }) {
  const href = `/sign-in?again=1&next=${encodeURIComponent(next)}`;
  return isOnly
    ? <LinkButton href={href} kind="primary" class="w-full">{t("Sign in again")}</LinkButton>
    : (
      <p class="text-sm text-muted">
        <a href={href} class="link">{t("Sign in again another way")}</a>
      </p>
    );
}

export const handler = define.handlers<ConfirmData>({
  async GET(ctx) {
    const next = localPath(ctx.url.searchParams.get("next"), "/account");
    requireUser(ctx.state);
    if (isRecent(ctx.state.session)) return ctx.redirect(next, 303);
    return page(await load(ctx.state, next, {}));
  },

  async POST(ctx) {
    const user = requireUser(ctx.state);
    const { services } = ctx.state;
    const form = await readForm(ctx.req);
    const next = localPath(form.get("next"), "/account");
    const action = form.get("action");
    if (action === "options" || action === "use") {
      return await answerPasskey(
        ctx,
        form,
        "confirm",
        user.id,
        () => goOn(ctx.state, next, true),
      );
    }
    const proof = action === "code"
      ? await proveFactorAgain(services, user, fieldOf(form, "code"))
      : await provePasswordAgain(services.kv, user, form.get("password") ?? "");
    if (proof.ok) return await goOn(ctx.state, next, proof.isStrong);
    const errors = { [action === "code" ? "code" : "password"]: problemOf(proof, action) };
    const status = proof.reason === "limited" ? 429 : 422;
    return page(await load(ctx.state, next, errors), { status });
  },
});

function problemOf(proof: ProofAgain & { ok: false }, action: string | null): string {
  if (proof.reason === "limited") {
    const time = formatDuration(proof.retryAfterSec * 1000);
    return t("Too many attempts. Try again in {time}.", { time });
  }
  return action === "code" ? wrongCode(proof.clockOffSec) : t("This is not your password.");
}

async function load(state: State, next: string, errors: FormErrors): Promise<ConfirmData> {
  const user = requireUser(state);
  const { kv, config } = state.services;
  state.meta.title = t("Confirm that it is you");
  const factors = await factorsOf(kv, user.id);
  return {
    next,
    email: user.email,
    hasPassword: await hasPassword(kv, user.id),
    factors,
    hasPasskeys: factors.passkeys > 0 && relyingParty(config.baseUrl) !== null,
    providers: await ownProviders(kv, user.id),
    errors,
  };
}

async function ownProviders(kv: Deno.Kv, userId: string): Promise<Provider[]> {
  const ids = new Set((await listIdentities(kv, userId)).map(({ providerId }) => providerId));
  return ids.size === 0 ? [] : (await listEnabledProviders(kv)).filter(({ id }) => ids.has(id));
}

/** The session goes on under a new token: who had the former one has none now. */
async function goOn(state: State, next: string, isStrong: boolean): Promise<Response> {
  const { services: { kv, config }, session } = state;
  const renewed = session === null
    ? null
    : await renewSession(kv, session, isStrong || (session.isStrong ?? false));
  const location = renewed === null ? "/sign-in" : next;
  const response = new Response(null, { status: 303, headers: { location } });
  if (renewed !== null) response.headers.append("set-cookie", sessionCookie(renewed.token, config));
  return response;
}
