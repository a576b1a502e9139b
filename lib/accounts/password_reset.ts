/** New passwords without the former one: by a link, and for who has none. */
import { addAudit } from "./audit.ts";
import { conflict, keyOf, untilCommitted } from "./kv.ts";
import { addEndOfLink, findLink, type LinkPurpose, spendLink } from "./mail_links.ts";
import { addEndOfSessions } from "./sessions.ts";
import { checkPassword, hashPassword, type User } from "./users.ts";

/** Links that lead to a new password. */
export const RESET_PURPOSES: readonly LinkPurpose[] = ["reset", "handed-reset"];

/**
 * Sets a new password by a link, which is used up. All sessions end; role, second factors and whether the account is
 * disabled stay as they are, and nobody is signed in.
 *
 * @returns whose it was
 * @throws {InvalidInput} when the link does not hold, or the password is refused
 * @throws {HashingBusy}
 */
export async function resetPassword(
  kv: Deno.Kv,
  token: string,
  password: string,
  now: number = Date.now(),
): Promise<User> {
  const found = await findLink(kv, RESET_PURPOSES, token, now);
  if (found !== null) await checkPassword(password, found.user.email);
  // Of a link that does not hold nothing is hashed.
  const passwordHash = found === null ? "" : await hashPassword(password);
  return await untilCommitted<User>("reset the password", async () => {
    const atomic = kv.atomic();
    const { link, user } = await spendLink(kv, atomic, RESET_PURPOSES, token, now);
    for (const other of RESET_PURPOSES) {
      if (other !== link.purpose) await addEndOfLink(kv, atomic, user.id, other);
    }
    // Who got the link by mail reads the mail of this address.
    if (link.purpose === "reset" && link.email === user.email) {
      const entry = await kv.get<User>(keyOf.user(user.id));
      // What was changed meanwhile stays, such as that the account is disabled.
      const current = entry.value ?? user;
      atomic.check(entry).set(entry.key, { ...current, emailVerifiedAt: new Date(now) });
    }
    await addNewPassword(kv, atomic, user, passwordHash, "user.password-reset");
    return (await atomic.commit()).ok ? user : conflict;
  });
}

/**
 * Sets the password of somebody who has none, or whom an administrator at the console helps. All sessions end.
 *
 * @throws {InvalidInput} when the password is refused
 * @throws {HashingBusy}
 */
export async function setPassword(kv: Deno.Kv, user: User, password: string): Promise<void> {
  await checkPassword(password, user.email);
  const passwordHash = await hashPassword(password);
  await untilCommitted("set the password", async () => {
    const atomic = kv.atomic();
    await addNewPassword(kv, atomic, user, passwordHash, "user.password-change");
    return (await atomic.commit()).ok ? null : conflict;
  });
}

async function addNewPassword(
  kv: Deno.Kv,
  atomic: Deno.AtomicOperation,
  { id, email }: User,
  passwordHash: string,
  event: string,
): Promise<void> {
  const credential = await kv.get<string>(keyOf.credential(id));
  atomic.check(credential).set(credential.key, passwordHash);
  await addEndOfSessions(kv, atomic, id);
  addAudit(atomic, { event, organizationId: null, target: { kind: "user", id, label: email } });
}
