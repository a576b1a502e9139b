import { DAY_MS } from "../core/time.ts";
import { addressGroup, type AttemptLimit, countAttempt, forgiveAttempt } from "./attempts.ts";
import { keyOf } from "./kv.ts";
import { normalizeEmail } from "./names.ts";
import { newSecret, sha256 } from "./secrets.ts";
import { HashingBusy } from "../core/errors.ts";
import { HASHING_BUSY_RETRY_SEC, type User, verifyPassword } from "./users.ts";

/** Wrong passwords per window; right ones are not counted. */
const WINDOW_SEC = 15 * 60;
const MAX_PER_PAIR = 10;
/** An office may share one address. */
const MAX_PER_ADDRESS = 50;
/** A browser that signed in to an account this lately has guesses of its own at it. */
export const KNOWN_DEVICE_MS = 90 * DAY_MS;

interface SignIn {
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

/** However busy, a session ends this long after the sign-in. */
export const SESSION_LIFETIME_MS = 30 * DAY_MS;
/** A session that nobody used for so long is over. */
export const SESSION_IDLE_MS = 7 * DAY_MS;
/** Reading a page must not cost a write: `lastSeenAt` may be this much behind. */
const REFRESH_AFTER_MS = 5 * 60 * 1000;

interface Session {
  /** SHA-256 of the token, in hex: enough to name a session, useless to sign in with. */
  readonly id: string;
  readonly userId: string;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
  /** The session holds as long as the user's epoch is still this one. */
  readonly epoch: number;
}

/** A token is 43 characters of base64url, as `newSecret` makes it. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/**
 * Starts a session. The token goes to the browser and nowhere else; the store keeps its hash.
 *
 * @param now milliseconds since 1970
 */
export async function startSession(
  kv: Deno.Kv,
  userId: string,
  now: number = Date.now(),
): Promise<{ token: string; session: Session }> {
  const epoch = await kv.get<number>(keyOf.sessionEpoch(userId));
  const atomic = kv.atomic();
  const started = addSession(atomic, userId, epoch.value, now);
  await atomic.commit();
  return started;
}

/**
 * Adds the write of a new session to a commit.
 *
 * @param epoch what `keyOf.sessionEpoch` holds, read together with what proved the user's identity: a
 *   session that starts while the user's sessions are ended, or the password is changed, is over at once
 * @param now milliseconds since 1970
 */
function addSession(
  atomic: Deno.AtomicOperation,
  userId: string,
  epoch: number | null,
  now: number,
): { token: string; session: Session } {
  const token = newSecret();
  const at = new Date(now);
  const id = sha256(token);
  const session: Session = { id, userId, createdAt: at, lastSeenAt: at, epoch: epoch ?? 0 };
  atomic.set(keyOf.session(id), session, { expireIn: SESSION_IDLE_MS });
  return { token, session };
}

/**
 * Finds the session of a token, and notes now and then that it is in use.
 *
 * @param token what the browser sent, whatever it is
 * @param now milliseconds since 1970
 * @returns null for unknown, ended and expired sessions
 */
export async function readSession(
  kv: Deno.Kv,
  token: string,
  now: number = Date.now(),
): Promise<{ session: Session; user: User } | null> {
  if (!TOKEN.test(token)) return null;
  const entry = await kv.get<Session>(keyOf.session(sha256(token)));
  const session = entry.value;
  if (session === null || endOf(session) <= now) return null;
  const [user, epoch] = await kv.getMany<[User, number]>([
    keyOf.user(session.userId),
    keyOf.sessionEpoch(session.userId),
  ]);
  if (user.value === null || (epoch.value ?? 0) !== session.epoch) return null;
  if (now - session.lastSeenAt.getTime() < REFRESH_AFTER_MS) return { session, user: user.value };
  return { session: await refresh(kv, entry, session, now), user: user.value };
}

/** Ends one session; an unknown token changes nothing. */
export async function endSession(kv: Deno.Kv, token: string): Promise<void> {
  if (TOKEN.test(token)) await kv.delete(keyOf.session(sha256(token)));
}

/** The check keeps a session that is ended at this moment from coming back; who loses changes nothing. */
async function refresh(
  kv: Deno.Kv,
  entry: Deno.KvEntryMaybe<Session>,
  session: Session,
  now: number,
): Promise<Session> {
  const refreshed = { ...session, lastSeenAt: new Date(now) };
  await kv.atomic()
    .check(entry)
    .set(entry.key, refreshed, { expireIn: endOf(refreshed) - now })
    .commit();
  return refreshed;
}

function endOf({ createdAt, lastSeenAt }: Session): number {
  return Math.min(
    createdAt.getTime() + SESSION_LIFETIME_MS,
    lastSeenAt.getTime() + SESSION_IDLE_MS,
  );
}
