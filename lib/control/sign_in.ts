import { addressGroup } from "./address_group.ts";
import { type AttemptLimit, countAttempt, forgiveAttempt } from "./attempts.ts";
import { keyOf } from "./kv_keys.ts";
import { normalizeEmail } from "./names.ts";
import { HashingBusy, verifyPassword } from "./passwords.ts";
import { sha256 } from "./secrets.ts";
import { addSession } from "./sessions.ts";
import type { User } from "./users.ts";

/** Wrong passwords per window; right ones are not counted. */
const WINDOW_SEC = 15 * 60;
const MAX_PER_ACCOUNT = 10;
/** An office may share one address. */
const MAX_PER_ADDRESS = 50;
/** From where an account signed in lately, strangers' wrong guesses do not lock it out. */
const KNOWN_ADDRESS_MS = 90 * 24 * 60 * 60 * 1000;
const HASHING_BUSY_RETRY_SEC = 5;

export interface SignIn {
  readonly email: string;
  readonly password: string;
  /** Address of the client. */
  readonly address: string;
}

export type SignInResult =
  | { readonly ok: true; readonly user: User; readonly token: string }
  | { readonly ok: false; readonly reason: "wrong" }
  | { readonly ok: false; readonly reason: "limited"; readonly retryAfterSec: number };

/**
 * Checks mail and password and starts a session with a new token. An unknown mail costs the same reads,
 * the same hashing and the same answer as a wrong password, and is limited alike.
 *
 * @param now milliseconds since 1970
 */
export async function signIn(
  kv: Deno.Kv,
  { email, password, address }: SignIn,
  now: number = Date.now(),
): Promise<SignInResult> {
  const account = accountOf(email);
  const from = addressGroup(address);
  const limits = await limitsOf(kv, account.hash, from);
  const attempt = await countAttempt(kv, limits, now);
  if (!attempt.ok) return { ...attempt, reason: "limited" };
  try {
    const result = await verifyAndStart(kv, account, from, password, now);
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

async function limitsOf(kv: Deno.Kv, account: string, from: string): Promise<AttemptLimit[]> {
  const known = await kv.get<true>(keyOf.knownAddress(account, from));
  const window = { windowSec: WINDOW_SEC };
  if (known.value !== null) {
    return [{
      kind: "known_address",
      subject: `${account} ${from}`,
      max: MAX_PER_ACCOUNT,
      ...window,
    }];
  }
  return [
    { kind: "account", subject: account, max: MAX_PER_ACCOUNT, ...window },
    { kind: "address", subject: from, max: MAX_PER_ADDRESS, ...window },
  ];
}

async function verifyAndStart(
  kv: Deno.Kv,
  account: Account,
  from: string,
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
  const atomic = kv.atomic()
    .set(keyOf.knownAddress(account.hash, from), true, { expireIn: KNOWN_ADDRESS_MS });
  const { token } = addSession(atomic, id, epoch.value, now);
  await atomic.commit();
  return { ok: true, user: user.value, token };
}
