/** Asking for a link to a new password, without telling anybody which accounts there are. */
import { addressGroup, countAttempt } from "../../accounts/attempts.ts";
import { accountHash } from "../../accounts/known_devices.ts";
import { makeLink } from "../../accounts/mail_links.ts";
import { findUserByEmail } from "../../accounts/users.ts";
import { tellAccount } from "../../notifications/mod.ts";
import type { State } from "../define.ts";

/** A stranger's mailbox must not be filled. */
const MAX_OF_EMAIL = 3;
const MAX_OF_ADDRESS = 20;
const WINDOW_SEC = 60 * 60;

type Asked = { readonly ok: true } | { readonly ok: false; readonly retryAfterSec: number };

/**
 * Sends a link when there is such an account, after the answer: it takes as long when there is none. Nothing of the account
 * changes before the link is used. More links for one email than three an hour are not sent, which the answer does not tell.
 *
 * @param address of the client
 */
export async function askForReset(
  services: State["services"],
  email: string,
  address: string,
  now: number = Date.now(),
): Promise<Asked> {
  const { kv, config, log } = services;
  const limit = { kind: "reset_at_address", subject: addressGroup(address), max: MAX_OF_ADDRESS };
  const attempt = await countAttempt(kv, [{ ...limit, windowSec: WINDOW_SEC }], now);
  if (!attempt.ok || config.smtp === null) return attempt;
  sendLink(services, email, now).catch((error) => log.warn("cannot send a reset link", { error }));
  return attempt;
}

async function sendLink(services: State["services"], email: string, now: number): Promise<void> {
  const { kv } = services;
  const limit = { kind: "reset_of_email", subject: accountHash(email), max: MAX_OF_EMAIL };
  if (!(await countAttempt(kv, [{ ...limit, windowSec: WINDOW_SEC }], now)).ok) return;
  const user = await findUserByEmail(kv, email);
  if (user === null || user.disabledAt !== undefined) return;
  const token = await makeLink(kv, { purpose: "reset", userId: user.id, email: user.email }, now);
  await tellAccount(services, user, { kind: "reset", path: `/reset-password?token=${token}` });
}
