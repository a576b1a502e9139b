import { page } from "fresh";
import { type PasswordProof, provePassword } from "../../lib/accounts/prove_password.ts";
import { signInPolicy } from "../../lib/accounts/providers/policy.ts";
import { needsSetup } from "../../lib/accounts/setup.ts";
import Passkeys from "../../islands/Passkeys.tsx";
import { relyingParty } from "../../lib/accounts/passkeys.ts";
import { type Flash, readFlash } from "../../lib/ui/cookies.ts";
import { Alert } from "../../lib/ui/components/panel.tsx";
import { Button } from "../../lib/ui/components/button.tsx";
import { Field, type FormErrors, FormSummary } from "../../lib/ui/components/fields.tsx";
import { PublicPage } from "../../lib/ui/components/page.tsx";
import { fieldOf, localPath, readForm } from "../../lib/ui/form.ts";
import { rich, t } from "../../lib/core/language/translate.ts";
import { formatDuration } from "../../lib/ui/format.ts";
import { define, type State } from "../../lib/server/define.ts";
import { signInByHeader } from "../../lib/server/providers/header_sign_in.ts";
import { readDeviceToken } from "../../lib/server/session.ts";
import {
  loadProviderButtons,
  type ProviderButton,
  ProviderButtons,
} from "../../lib/server/providers/provider_buttons.tsx";
import { completeSignIn } from "../../lib/server/sign_in.ts";

interface SignInData {
  readonly next: string;
  readonly email: string;
  readonly errors: FormErrors;
  /** What led here. */
  readonly flash: Flash | null;
  /** Whether browsers allow passkeys at this service's address. */
  readonly hasPasskeys: boolean;
  /** Nobody has an account yet. */
  readonly isFresh: boolean;
  readonly providers: readonly ProviderButton[];
  /** Passwords are off, and nobody asked for the way back. */
  readonly isProviderOnly: boolean;
  /** Whoever is signed in proves once more who they are. */
  readonly isAgain: boolean;
}

export default define.page<typeof handler>(({ data }) => (
  <PublicPage title={t("Sign in")}>
    {data.flash && <Alert kind={data.flash.kind} class="mb-4" isLive>{data.flash.text}</Alert>}
    {!data.isProviderOnly && <OwnWays {...data} />}
    <ProviderButtons
      providers={data.providers}
      next={data.next}
      hasOther={!data.isProviderOnly}
      isAgain={data.isAgain}
    />
    {!data.isFresh && !data.isProviderOnly && (
      <p class="mt-5 text-sm">
        <a href="/forgot-password" class="link">{t("Forgot your password?")}</a>
      </p>
    )}
    <p class="mt-3 text-sm text-muted">
      {data.isFresh
        ? rich(
          "Nobody has an account yet. <a>Create the first one</a> with the setup code that the console printed.",
          { a: (words) => <a href="/sign-up" class="link">{words}</a> },
        )
        : t("No account? An administrator of your organization can invite you.")}
    </p>
  </PublicPage>
));

/** With what Watchpost itself knows of people. */
function OwnWays({ next, email, errors, hasPasskeys, isFresh }: SignInData) {
  return (
    <>
      <form method="post" action="/sign-in" class="space-y-4">
        <FormSummary errors={errors} />
        <input type="hidden" name="next" value={next} />
        <Field
          name="email"
          label={t("Email")}
          type="email"
          value={email}
          autocomplete="username webauthn"
          required
          autofocus={email === ""}
        />
        <Field
          name="password"
          label={t("Password")}
          type="password"
          autocomplete="current-password"
          required
          autofocus={email !== ""}
        />
        <Button kind="primary" class="w-full">{t("Sign in")}</Button>
      </form>
      {hasPasskeys && !isFresh && (
        <div class="mt-3">
          <Passkeys mode="suggest" path="/sign-in/passkey" next={next} />
        </div>
      )}
    </>
  );
}

export const handler = define.handlers<SignInData>({
  async GET(ctx) {
    const next = localPath(ctx.url.searchParams.get("next"), "/projects");
    // Who is asked to prove again who they are may do so by signing in again.
    const isAgain = ctx.url.searchParams.has("again");
    if (ctx.state.actor.kind === "user" && !isAgain) return ctx.redirect(next, 303);
    const byProxy = isAgain ? null : await signInByHeader(ctx, next);
    if (byProxy !== null) return byProxy;
    ctx.state.meta.title = t("Sign in");
    const ways = await loadWays(ctx.state, ctx.url.searchParams.has("password"));
    return page({ ...common(ctx), next, email: "", errors: {}, ...ways, isAgain });
  },

  async POST(ctx) {
    const { services: { kv, config }, clientAddress: address } = ctx.state;
    const form = await readForm(ctx.req);
    const next = localPath(form.get("next"), "/projects");
    const email = fieldOf(form, "email");
    const password = form.get("password") ?? "";
    const device = readDeviceToken(ctx.req, config);
    const proof = await provePassword(kv, { email, password, address, device });
    if (proof.ok) return await completeSignIn(ctx, { ...proof, method: "password" }, next);
    ctx.state.meta.title = t("Sign in");
    const ways = await loadWays(ctx.state, true);
    return refuse(proof, { ...common(ctx), next, email, ...ways, isAgain: false });
  },
});

/** What the page shows beside its form. */
function common({ req, state }: { readonly req: Request; readonly state: State }) {
  return {
    flash: readFlash(req),
    hasPasskeys: relyingParty(state.services.config.baseUrl) !== null,
  };
}

/** @param wantsPassword asked for by hand: the way back when no provider works */
async function loadWays({ services: { kv } }: State, wantsPassword: boolean) {
  const [isFresh, providers, { isProviderOnly }] = await Promise.all([
    needsSetup(kv),
    loadProviderButtons(kv),
    signInPolicy(kv),
  ]);
  return { isFresh, providers, isProviderOnly: isProviderOnly && !wantsPassword };
}

function refuse(
  proof: PasswordProof & { ok: false },
  data: Omit<SignInData, "errors">,
) {
  if (proof.reason === "wrong") {
    const errors = { "": t("The email or the password is wrong.") };
    return page<SignInData>({ ...data, errors }, { status: 422 });
  }
  const time = formatDuration(proof.retryAfterSec * 1000);
  const errors = { "": t("Too many attempts. Try again in {time}.", { time }) };
  const headers = { "retry-after": String(proof.retryAfterSec) };
  return page<SignInData>({ ...data, errors }, { status: 429, headers });
}
