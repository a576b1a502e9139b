/**
 * Passwords that became known from breaches: asked of a list that comes with the program, so that nothing of a password leaves
 * this server. Mozilla's list for its own accounts has, in lower case, all of the 100,000 most frequent that are as long as
 * ours must be. It takes 6 MB once somebody chooses a password.
 */

/** What we use of the package, which has no types. */
interface PasswordList {
  test(password: string): boolean;
}

/** Whether a password is one of those that are tried first. @param plain in lower case */
export async function isBreached(plain: string): Promise<boolean> {
  const module: { readonly default: PasswordList } = await import("fxa-common-password-list");
  return module.default.test(plain);
}
