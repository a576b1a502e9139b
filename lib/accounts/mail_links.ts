/**
 * Links that are sent to a person and hold once: for a new password, to show that they read the mail of an address, to take a
 * new address, and to take that back. The store keeps the hash of a link's token; a newer link for the same ends the older.
 */
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../core/time.ts";
import { InvalidInput } from "../core/errors.ts";
import { t } from "../core/language/translate.ts";
import { conflict, keyOf, untilCommitted } from "./kv.ts";
import { newSecret, sha256 } from "./secrets.ts";
import { findUser, type User } from "./users.ts";

/** What a link is for, and how long it holds. `handed-reset` is handed over by an administrator, without mail. */
export const LINK_LIFETIME_MS = {
  "reset": 30 * MINUTE_MS,
  "handed-reset": DAY_MS,
  "verify-email": DAY_MS,
  "change-email": HOUR_MS,
  "undo-email": 7 * DAY_MS,
} as const;
export type LinkPurpose = keyof typeof LINK_LIFETIME_MS;

export interface MailLink {
  readonly purpose: LinkPurpose;
  readonly userId: string;
  /** That the link is about: the one to verify, to take, or to go back to. */
  readonly email: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/**
 * Makes a link.
 *
 * @param now milliseconds since 1970
 * @returns its token, 43 characters of base64url, which the store does not know
 */
export async function makeLink(
  kv: Deno.Kv,
  { purpose, userId, email }: Pick<MailLink, "purpose" | "userId" | "email">,
  now: number = Date.now(),
): Promise<string> {
  const token = newSecret();
  await untilCommitted("make the link", async () => {
    const former = await kv.get<string>(keyOf.mailLinkOf(userId, purpose));
    const expireIn = LINK_LIFETIME_MS[purpose];
    const link: MailLink = {
      purpose,
      userId,
      email,
      createdAt: new Date(now),
      expiresAt: new Date(now + expireIn),
    };
    const atomic = kv.atomic().check(former);
    if (former.value !== null) atomic.delete(keyOf.mailLink(former.value));
    atomic.set(keyOf.mailLink(sha256(token)), link, { expireIn });
    atomic.set(former.key, sha256(token), { expireIn });
    return (await atomic.commit()).ok ? null : conflict;
  });
  return token;
}

export interface FoundLink {
  readonly link: MailLink;
  readonly user: User;
}

/**
 * What a link is for; null when it does not hold: unknown, used, replaced by a newer one, expired, for something else, or
 * of an account that is disabled.
 *
 * @param purposes what the page is for that was asked
 * @param token what a browser sent, whatever it is
 */
export async function findLink(
  kv: Deno.Kv,
  purposes: readonly LinkPurpose[],
  token: string | null,
  now: number = Date.now(),
): Promise<FoundLink | null> {
  const { value: link } = await kv.get<MailLink>(keyOf.mailLink(sha256(token ?? "")));
  if (link === null || !purposes.includes(link.purpose)) return null;
  if (link.expiresAt.getTime() <= now) return null;
  const user = await findUser(kv, link.userId);
  return user === null || user.disabledAt !== undefined ? null : { link, user };
}

/**
 * Adds the end of a link to the commit of what it is for, which fails when somebody else uses it at this moment.
 *
 * @throws {InvalidInput} when it does not hold any more
 */
export async function spendLink(
  kv: Deno.Kv,
  atomic: Deno.AtomicOperation,
  purposes: readonly LinkPurpose[],
  token: string,
  now: number = Date.now(),
): Promise<FoundLink> {
  const entry = await kv.get<MailLink>(keyOf.mailLink(sha256(token)));
  const found = await findLink(kv, purposes, token, now);
  if (found === null || entry.value === null) {
    throw new InvalidInput("", t("This link does not hold any more: ask for a new one."));
  }
  atomic.check(entry).delete(entry.key)
    .delete(keyOf.mailLinkOf(entry.value.userId, entry.value.purpose));
  return found;
}

/** Adds the end of a person's link for something to a commit, when there is one. */
export async function addEndOfLink(
  kv: Deno.Kv,
  atomic: Deno.AtomicOperation,
  userId: string,
  purpose: LinkPurpose,
): Promise<void> {
  const entry = await kv.get<string>(keyOf.mailLinkOf(userId, purpose));
  if (entry.value === null) return;
  atomic.check(entry).delete(entry.key).delete(keyOf.mailLink(entry.value));
}
