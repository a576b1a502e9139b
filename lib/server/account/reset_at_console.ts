/** A new password at the console of the server: the way that is always there. */
import { removeAllFactors } from "../../accounts/factor_removal.ts";
import { setPassword } from "../../accounts/password_reset.ts";
import { findUserByEmail } from "../../accounts/users.ts";
import { ConfigError } from "../../core/config.ts";

interface ConsoleReset {
  readonly email: string;
  readonly password: string;
  /** Authenticator, recovery codes and passkeys go at once. */
  readonly dropsFactors: boolean;
}

/**
 * Sets a password; all sessions of the account end. A disabled account stays disabled.
 *
 * @returns what was done, as a sentence
 * @throws {ConfigError} for an unknown email
 * @throws {InvalidInput} for a password that is refused
 */
export async function resetAtConsole(
  kv: Deno.Kv,
  { email, password, dropsFactors }: ConsoleReset,
): Promise<string> {
  const user = await findUserByEmail(kv, email);
  if (user === null) throw new ConfigError(`There is no account with the email ${email}`);
  await setPassword(kv, user, password);
  if (dropsFactors) await removeAllFactors(kv, user);
  const factors = dropsFactors ? " It has no second factor any more." : "";
  return `The password of ${user.email} is set, and its sessions have ended.${factors}`;
}
