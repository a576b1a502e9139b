/** Verifying an email, changing it, and taking the change back. */
import { InvalidInput } from "../core/errors.ts";
import { t } from "../core/language/translate.ts";
import { keyOf } from "./kv.ts";
import { addEndOfLink, findLink, type LinkPurpose, makeLink, spendLink } from "./mail_links.ts";
import { checkEmail } from "./names.ts";
import { addEndOfSessions } from "./sessions.ts";
import { changeUser, emailTaken, findUserByEmail, type User } from "./users.ts";

/** What a change of the email sends: a link to the new one, and one that undoes it to the former. */
export interface EmailChange {
  readonly email: string;
  readonly token: string;
  readonly undoToken: string;
}

/**
 * Begins to change an email: the former one stays in force until the link to the new one was used.
 *
 * @throws {InvalidInput} for a malformed email. Whether somebody else has it is told by mail to them alone, and here not
 */
export async function beginEmailChange(
  kv: Deno.Kv,
  user: User,
  input: string,
  now: number = Date.now(),
): Promise<EmailChange | null> {
  const email = checkEmail(input);
  if (email === user.email) throw new InvalidInput("email", t("This is your email already."));
  if (await findUserByEmail(kv, email) !== null) return null;
  const token = await makeLink(kv, { purpose: "change-email", userId: user.id, email }, now);
  const undo = { purpose: "undo-email" as const, userId: user.id, email: user.email };
  return { email, token, undoToken: await makeLink(kv, undo, now) };
}

/**
 * Does what a link about an email is for, and uses it up.
 *
 * @returns the user as they are then
 * @throws {InvalidInput} when the link does not hold, or the email has an account by now
 */
export async function followEmailLink(
  kv: Deno.Kv,
  purpose: LinkPurpose,
  token: string,
  now: number = Date.now(),
): Promise<User> {
  const found = await findLink(kv, [purpose], token, now);
  const id = found?.user.id ?? "nobody";
  const email = found?.link.email ?? "";
  const changed = await changeUser(kv, id, (user) => {
    // An address that is not the user's any more has nothing to verify.
    if (purpose === "verify-email" && user.email !== email) return user;
    return { ...user, email, emailVerifiedAt: new Date(now) };
  }, async (atomic, before) => {
    await spendLink(kv, atomic, [purpose], token, now);
    if (before.email !== email) await addMove(kv, atomic, before, email);
    if (purpose !== "undo-email") return;
    // Somebody else had the account: their sessions and their way to another email end.
    await addEndOfLink(kv, atomic, before.id, "change-email");
    await addEndOfSessions(kv, atomic, before.id);
  });
  if (changed === null || changed.email !== email) {
    throw new InvalidInput("", t("This link does not hold any more: ask for a new one."));
  }
  return changed;
}

async function addMove(
  kv: Deno.Kv,
  atomic: Deno.AtomicOperation,
  { id, email: former }: User,
  email: string,
): Promise<void> {
  const taken = await kv.get(keyOf.userByEmail(email));
  if (taken.value !== null) throw emailTaken();
  atomic.check(taken).set(taken.key, id).delete(keyOf.userByEmail(former));
}
