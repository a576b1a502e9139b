/**
 * Browsers that have signed in to an account before. They have guesses of their own at its password, so that nobody else can
 * use theirs up, and a sign-in from another one is told by mail.
 */
import { DAY_MS } from "../core/time.ts";
import { keyOf, prefixOf } from "./kv.ts";
import { normalizeEmail } from "./names.ts";
import { newSecret, sha256 } from "./secrets.ts";

/** A browser that signed in to an account this lately is known to it. */
export const KNOWN_DEVICE_MS = 90 * DAY_MS;

/** Stands for an email in keys: of even length, and it keeps what strangers typed out of them. */
export function accountHash(email: string): string {
  return sha256(normalizeEmail(email) ?? "");
}

/**
 * The token of a browser that has signed in to this account, or null.
 *
 * @param token what the browser sent, whatever it is
 */
export async function knownDevice(
  kv: Deno.Kv,
  email: string,
  token: string | null,
): Promise<string | null> {
  const { value } = await kv.get<true>(keyOf.knownDevice(accountHash(email), sha256(token ?? "")));
  return value === null ? null : token;
}

/** Whether any browser is known to the account. */
export async function hasKnownDevices(kv: Deno.Kv, email: string): Promise<boolean> {
  const prefix = prefixOf.knownDevices(accountHash(email));
  for await (const _ of kv.list({ prefix }, { limit: 1 })) return true;
  return false;
}

/**
 * Makes a browser known to an account, in the commit of its sign-in.
 *
 * @param known its token when it was known before
 * @returns its token, for its cookie
 */
export function addKnownDevice(
  atomic: Deno.AtomicOperation,
  email: string,
  known: string | null,
): string {
  const device = known ?? newSecret();
  atomic.set(keyOf.knownDevice(accountHash(email), sha256(device)), true, {
    expireIn: KNOWN_DEVICE_MS,
  });
  return device;
}
