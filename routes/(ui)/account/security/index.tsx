import { requireUser } from "@/lib/accounts/authorize.ts";
import { cancelRemoval, plannedRemoval } from "@/lib/accounts/factor_removal.ts";
import {
  listPasskeys,
  type Passkey,
  relyingParty,
  removePasskey,
  renamePasskey,
} from "@/lib/accounts/passkeys.ts";
import { setPassword } from "@/lib/accounts/password_reset.ts";
import { hasPassword } from "@/lib/accounts/prove_again.ts";
import { type Factors, factorsOf, removeAuthenticator } from "@/lib/accounts/second_factors.ts";
import { startSession } from "@/lib/accounts/sessions.ts";
import { changePassword, type User } from "@/lib/accounts/users.ts";
import { t } from "@/lib/core/language/translate.ts";
import { tellAccount } from "@/lib/notifications/mod.ts";
import {
  AuthenticatorPanel,
  PasskeysPanel,
  PasswordPanel,
  RecoveryPanel,
  RemovalAlert,
} from "@/lib/server/account/security_panels.tsx";
import { organizationsThatWait } from "@/lib/server/account/second_factor_banner.tsx";
import { hasOtherWayIn } from "@/lib/server/account/ways_in.ts";
import { define, type State } from "@/lib/server/define.ts";
import { type Asking, formHandlers } from "@/lib/server/form_handlers.ts";
import { requireRecent } from "@/lib/server/recent_proof.ts";
import { sessionCookie } from "@/lib/server/session.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import { AccountPage } from "@/lib/ui/tabbed_pages.tsx";
import type { FormErrors } from "@/lib/ui/components/fields.tsx";
import { Alert } from "@/lib/ui/components/panel.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { actionOf, attempt, fieldOf, readForm } from "@/lib/ui/form.ts";
import { formatDuration } from "@/lib/ui/format.ts";
import type { Shell } from "@/lib/ui/shell.ts";

interface SecurityData {
  readonly shell: Shell;
  readonly email: string;
  readonly hasPassword: boolean;
  readonly factors: Factors;
  readonly passkeys: readonly Passkey[];
  readonly arePasskeysPossible: boolean;
  readonly baseUrl: string;
  /** Names of organizations that show nothing until there is a second factor. */
  readonly waiting: readonly string[];
  /** When an administrator's removal of the second factors takes effect. */
  readonly removalAt: Date | null;
  readonly errors: FormErrors;
}

const PATH = "/account/security";

export default define.page<typeof handler>(({ data }) => (
  <AccountPage shell={data.shell} tab="security">
    {data.waiting.map((organization) => (
      <Alert key={organization} kind="warning">
        {t("{organization} requires a second factor: set up an authenticator app or a passkey.", {
          organization,
        })}
      </Alert>
    ))}
    {data.removalAt !== null && <RemovalAlert at={data.removalAt} />}
    <AuthenticatorPanel factors={data.factors} />
    <PasskeysPanel
      passkeys={data.passkeys}
      isPossible={data.arePasskeysPossible}
      baseUrl={data.baseUrl}
      error={data.errors.passkey}
    />
    <RecoveryPanel factors={data.factors} />
    <PasswordPanel
      email={data.email}
      hasPassword={data.hasPassword}
      errors={data.errors.passkey === undefined ? data.errors : {}}
    />
  </AccountPage>
));

type Act = (ctx: Asking, user: User, form: URLSearchParams) => Promise<Response | FormErrors>;

const ACTIONS: Readonly<Record<string, Act>> = {
  password: changeOrSet,

  async "remove-authenticator"(ctx, user) {
    requireRecent(ctx);
    await removeAuthenticator(ctx.state.services.kv, user);
    await tellAccount(ctx.state.services, user, "factor-removed");
    return redirectWithFlash(PATH, t("The authenticator app is removed."));
  },

  async "keep-factors"({ state: { services: { kv } } }, user) {
    await cancelRemoval(kv, user);
    return redirectWithFlash(PATH, t("Your second factor stays."));
  },

  async "rename-passkey"({ state }, user, form) {
    const result = await attempt(() =>
      renamePasskey(state.services.kv, user, fieldOf(form, "passkey"), fieldOf(form, "name"))
    );
    if (!result.ok) return { passkey: Object.values(result.errors)[0] ?? "" };
    return redirectWithFlash(PATH, t("Saved."));
  },

  async "remove-passkey"(ctx, user, form) {
    requireRecent(ctx);
    const { services } = ctx.state;
    const result = await attempt(() =>
      removePasskey(
        services.kv,
        user,
        fieldOf(form, "passkey"),
        () => hasOtherWayIn(services.kv, user.id),
      )
    );
    if (!result.ok) return result.errors;
    await tellAccount(services, user, "factor-removed");
    return redirectWithFlash(PATH, t("The passkey is removed."));
  },
};

async function changeOrSet(
  ctx: Asking,
  user: User,
  form: URLSearchParams,
): Promise<Response | FormErrors> {
  const { kv } = ctx.state.services;
  const next = form.get("password") ?? "";
  if (await hasPassword(kv, user.id)) {
    const errors = await change(kv, user, form.get("current") ?? "", next);
    return errors ?? await goOn(ctx.state, user);
  }
  requireRecent(ctx);
  const result = await attempt(() => setPassword(kv, user, next));
  return result.ok ? await goOn(ctx.state, user) : result.errors;
}

async function change(
  kv: Deno.Kv,
  user: User,
  current: string,
  next: string,
): Promise<FormErrors | null> {
  const result = await attempt(() => changePassword(kv, user.id, current, next));
  if (!result.ok) return result.errors;
  if (result.value.ok) return null;
  if (result.value.reason === "wrong") {
    return { current: t("This is not your current password.") };
  }
  const time = formatDuration(result.value.retryAfterSec * 1000);
  return { "": t("Too many attempts. Try again in {time}.", { time }) };
}

/** All sessions ended, this one too: it goes on with a new token. */
async function goOn({ services, session }: State, user: User): Promise<Response> {
  await tellAccount(services, user, "password-changed");
  const { token } = await startSession(services.kv, user.id, {
    method: session?.method ?? "password",
    isStrong: session?.isStrong ?? false,
  });
  const response = redirectWithFlash(
    PATH,
    t("Your password is changed. Your other sessions have ended."),
  );
  response.headers.append("set-cookie", sessionCookie(token, services.config));
  return response;
}

export const handler = formHandlers<SecurityData>(async (ctx) => {
  const user = requireUser(ctx.state);
  const { kv, config } = ctx.state.services;
  ctx.state.meta.title = t("Security");
  return {
    shell: await loadShell(ctx),
    email: user.email,
    hasPassword: await hasPassword(kv, user.id),
    factors: await factorsOf(kv, user.id),
    passkeys: await listPasskeys(kv, user.id),
    arePasskeysPossible: relyingParty(config.baseUrl) !== null,
    baseUrl: config.baseUrl,
    removalAt: await plannedRemoval(kv, user.id),
    waiting: await organizationsThatWait(kv, ctx.state.actor),
    errors: {},
  };
}, async (ctx) => {
  const user = requireUser(ctx.state);
  const form = await readForm(ctx.req);
  const result = await actionOf(ACTIONS, form)(ctx, user, form);
  return result instanceof Response ? result : { changes: { errors: result } };
});
