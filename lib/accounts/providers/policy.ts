/** Whether people may sign in with what Watchpost itself knows of them, or by single sign-on alone. */
import type { Config } from "../../core/config.ts";
import { Denied, InvalidInput } from "../../core/errors.ts";
import { t } from "../../core/language/translate.ts";
import { changesBetween } from "../../records/audit.ts";
import { addAudit } from "../audit.ts";
import { conflict, keyOf, untilCommitted } from "../kv.ts";
import { normalizeEmail } from "../names.ts";
import type { User } from "../users.ts";
import { findProvider } from "./provider.ts";

interface SignInPolicy {
  /** Passwords and passkeys are off. */
  readonly isProviderOnly: boolean;
}

const DEFAULT: SignInPolicy = { isProviderOnly: false };

/** What holds for this instance. */
export async function signInPolicy(kv: Deno.Kv): Promise<SignInPolicy> {
  return (await kv.get<SignInPolicy>(keyOf.signInPolicy())).value ?? DEFAULT;
}

/** How somebody's session began. */
interface Session {
  readonly provider?: string;
}

/**
 * Turns passwords and passkeys off or on again. Off only by somebody who has just come in without them, so that nobody
 * locks themselves out with a provider that does not work.
 *
 * @param session of who asks; null for the console
 * @throws {InvalidInput} when it is to be off and their session began otherwise
 */
export async function setProviderOnly(
  kv: Deno.Kv,
  isProviderOnly: boolean,
  session: Session | null,
): Promise<void> {
  const provider = session?.provider === undefined
    ? null
    : await findProvider(kv, session.provider);
  if (isProviderOnly && provider?.isEnabled !== true) {
    throw new InvalidInput(
      "isProviderOnly",
      t("Sign in by a provider yourself first: that shows that it works."),
    );
  }
  await untilCommitted<null>("change how people sign in", async () => {
    const entry = await kv.get<SignInPolicy>(keyOf.signInPolicy());
    const before = entry.value ?? DEFAULT;
    const after: SignInPolicy = { ...before, isProviderOnly };
    const atomic = kv.atomic().check(entry).set(entry.key, after);
    addAudit(atomic, {
      event: "sso.edit",
      organizationId: null,
      target: { kind: "instance", id: "sign-in", label: "Sign-in" },
      changes: changesBetween(before, after),
    });
    return (await atomic.commit()).ok ? null : conflict;
  });
}

/**
 * The way back when no provider works: the administrator whom the settings name may always use the password.
 *
 * @param email as somebody typed it
 */
export function isBreakGlass({ admin }: Pick<Config, "admin">, email: string): boolean {
  return admin !== null && normalizeEmail(email) === normalizeEmail(admin.email);
}

/** @throws {Denied} 403 when this account may sign in by a provider only */
export async function requireLocalSignIn(
  kv: Deno.Kv,
  config: Pick<Config, "admin">,
  user: Pick<User, "email">,
): Promise<void> {
  if (!(await signInPolicy(kv)).isProviderOnly || isBreakGlass(config, user.email)) return;
  throw new Denied(403, t("Sign in by a provider: passwords are turned off here."));
}
