import { addressGroup } from "./address_group.ts";
import { type AttemptLimit, countAttempt, forgiveAttempt } from "./attempts.ts";
import { keyOf } from "./kv_keys.ts";
import { normalizeEmail } from "./names.ts";
import { HashingBusy, verifyPassword } from "./passwords.ts";
import { newSecret, sha256 } from "./secrets.ts";
import { addSession } from "./sessions.ts";
import type { User } from "./users.ts";

/** Wrong passwords per window; right ones are not counted. */
const WINDOW_SEC = 15 * 60;
const MAX_PER_PAIR = 10;
/** An office may share one address. */
const MAX_PER_ADDRESS = 50;
/** A browser that signed in to an account this lately has guesses of its own at it. */
export const KNOWN_DEVICE_MS = 90 * 24 * 60 * 60 * 1000;
const HASHING_BUSY_RETRY_SEC = 5;

export interface SignIn {
  readonly email: string;
  readonly password: string;
  /** Address of the client. */
  readonly address: string;
  /** What an earlier sign-in handed to this browser, as the browser tells it; null without. */
  readonly device?: string | null;
}

export type SignInResult =
  | {
    readonly ok: true;
    readonly user: User;
    readonly token: string;
    /** Makes the browser known to this account. */
    readonly device: string;
  }
  | { readonly ok: false; readonly reason: "wrong" }
  | { readonly ok: false; readonly reason: "limited"; readonly retryAfterSec: number };

/**
 * Checks mail and password and starts a session with a new token. An unknown mail costs the same reads,
 * the same hashing and the same answer as a wrong password, and is limited alike.
 *
 * Wrong guesses count for the account and the address together, and for the address: never for the account alone, or
 * anybody could lock anybody out. A browser that signed in to the account before has a count of its own, so that not
 * even neighbours at one address do.
 *
 * @param now milliseconds since 1970
 */
export async function signIn(
  kv: Deno.Kv,
  { email, password, address, device = null }: SignIn,
  now: number = Date.now(),
): Promise<SignInResult> {
  const account = accountOf(email);
  const from = addressGroup(address);
  const known = await knownDevice(kv, account.hash, device);
  const limits = limitsOf(account.hash, from, known);
  const attempt = await countAttempt(kv, limits, now);
  if (!attempt.ok) return { ...attempt, reason: "limited" };
  try {
    const result = await verifyAndStart(kv, account, known, password, now);
    if (result.ok) await forgiveAttempt(kv, limits, now);
    return result;
  } catch (error) {
    if (!(error instanceof HashingBusy)) throw error;
    await forgiveAttempt(kv, limits, now);
    return { ok: false, reason: "limited", retryAfterSec: HASHING_BUSY_RETRY_SEC };
  }
}

interface Account {
  readonly email: string;
  /** Stands for the mail in counters: of even length, and it keeps what strangers typed out of keys. */
  readonly hash: string;
}

/** Text that is no address names an account that cannot exist. */
function accountOf(text: string): Account {
  const email = normalizeEmail(text) ?? "";
  return { email, hash: sha256(email) };
}

/** The token of a browser that has signed in to this account, or null. */
async function knownDevice(
  kv: Deno.Kv,
  account: string,
  token: string | null,
): Promise<string | null> {
  const { value } = await kv.get<true>(keyOf.knownDevice(account, sha256(token ?? "")));
  return value === null ? null : token;
}

function limitsOf(account: string, from: string, device: string | null): AttemptLimit[] {
  const pair = { max: MAX_PER_PAIR, windowSec: WINDOW_SEC };
  if (device !== null) {
    return [{ kind: "device", subject: `${account} ${sha256(device)}`, ...pair }];
  }
  return [
    { kind: "account_at_address", subject: `${account} ${from}`, ...pair },
    { kind: "address", subject: from, max: MAX_PER_ADDRESS, windowSec: WINDOW_SEC },
  ];
}

async function verifyAndStart(
  kv: Deno.Kv,
  account: Account,
  known: string | null,
  password: string,
  now: number,
): Promise<SignInResult> {
  const { value: userId } = await kv.get<string>(keyOf.userByEmail(account.email));
  const id = userId ?? "nobody";
  const [user, credential, epoch] = await kv.getMany<[User, string, number]>([
    keyOf.user(id),
    keyOf.credential(id),
    keyOf.sessionEpoch(id),
  ]);
  const isRight = await verifyPassword(credential.value, password);
  if (!isRight || user.value === null) return { ok: false, reason: "wrong" };
  const device = known ?? newSecret();
  const atomic = kv.atomic()
    .set(keyOf.knownDevice(account.hash, sha256(device)), true, { expireIn: KNOWN_DEVICE_MS });
  const { token } = addSession(atomic, id, epoch.value, now);
  await atomic.commit();
  return { ok: true, user: user.value, token, device };
}
