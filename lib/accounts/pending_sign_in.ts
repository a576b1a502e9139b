/** Sign-ins that wait for their second factor. */
import { MINUTE_MS, SECOND_MS } from "../core/time.ts";
import { type AttemptLimit, countAttempt, forgiveAttempt } from "./attempts.ts";
import { knownDevice } from "./known_devices.ts";
import { keyOf } from "./kv.ts";
import {
  type FactorProof,
  type FactorStores,
  isAuthenticatorCode,
  proveFactor,
} from "./second_factors.ts";
import { newSecret, sha256 } from "./secrets.ts";
import { sessionEpoch, type SignInMethod } from "./sessions.ts";
import { findUser, type User } from "./users.ts";

/** What was proven, and what follows the second factor. */
export interface PendingSignIn {
  readonly userId: string;
  /** See `NewSession`. */
  readonly epoch: number;
  readonly method: SignInMethod;
  readonly provider?: string;
  readonly lifetimeMs?: number;
  /** Path to go to. */
  readonly next: string;
  readonly expiresAt: Date;
}

export const PENDING_MS = 10 * MINUTE_MS;
/** Codes that one right password lets somebody try. */
const MAX_TRIES = 5;
/** Codes of an authenticator that strangers, or one known browser, may try in a day. */
const MAX_A_DAY = 20;
const DAY_SEC = 24 * 60 * 60;

/** Keeps what was proven. @returns the token for a cookie */
export async function addPendingSignIn(
  kv: Deno.Kv,
  proven: Omit<PendingSignIn, "expiresAt">,
  now: number = Date.now(),
): Promise<string> {
  const token = newSecret();
  const pending: PendingSignIn = { ...proven, expiresAt: new Date(now + PENDING_MS) };
  await kv.set(keyOf.pendingSignIn(sha256(token)), pending, { expireIn: PENDING_MS });
  return token;
}

export interface FoundPending {
  readonly pending: PendingSignIn;
  readonly user: User;
}

/**
 * What waits for a second factor in this browser; null when it took too long, was tried too often, or the user's sessions
 * were ended meanwhile.
 *
 * @param token what the browser sent, whatever it is
 */
export async function findPendingSignIn(
  kv: Deno.Kv,
  token: string | null,
  now: number = Date.now(),
): Promise<FoundPending | null> {
  if (token === null) return null;
  const { value: pending } = await kv.get<PendingSignIn>(keyOf.pendingSignIn(sha256(token)));
  if (pending === null || pending.expiresAt.getTime() <= now) return null;
  if (await sessionEpoch(kv, pending.userId) !== pending.epoch) return null;
  const user = await findUser(kv, pending.userId);
  return user === null || user.disabledAt !== undefined ? null : { pending, user };
}

/** Ends it: it led to a session, or somebody gave up. */
export async function endPendingSignIn(kv: Deno.Kv, token: string): Promise<void> {
  await kv.delete(keyOf.pendingSignIn(sha256(token)));
}

interface Tried {
  readonly token: string;
  readonly code: string;
  /** What makes the browser known, as it tells it. */
  readonly device: string | null;
}

export type PendingProof =
  | ({ readonly ok: true; readonly proof: FactorProof & { ok: true } } & FoundPending)
  /** The password is asked for again. */
  | { readonly ok: false; readonly reason: "gone" }
  /** No more codes of the authenticator today: a recovery code or a passkey still lets in. */
  | { readonly ok: false; readonly reason: "limited"; readonly retryAfterSec: number }
  | { readonly ok: false; readonly reason: "wrong"; readonly proof: FactorProof & { ok: false } };

/**
 * Judges a code of somebody who waits. A browser that is known to the account has its own tries a day: who knows the
 * password elsewhere cannot use them up.
 *
 * @param now milliseconds since 1970
 */
export async function tryFactor(
  stores: FactorStores,
  { token, code, device }: Tried,
  now: number = Date.now(),
): Promise<PendingProof> {
  const { kv } = stores;
  const found = await findPendingSignIn(kv, token, now);
  if (found === null) return { ok: false, reason: "gone" };
  const tries = { kind: "second_factor", subject: sha256(token), max: MAX_TRIES };
  const ofPassword = [{ ...tries, windowSec: PENDING_MS / SECOND_MS }];
  if (!(await countAttempt(kv, ofPassword, now)).ok) {
    await endPendingSignIn(kv, token);
    return { ok: false, reason: "gone" };
  }
  const known = await knownDevice(kv, found.user.email, device);
  const ofDay = dayLimits(found.user.id, known, code);
  const attempt = await countAttempt(kv, ofDay, now);
  if (!attempt.ok) return { ...attempt, reason: "limited" };
  const proof = await proveFactor(stores, found.user, code, now);
  if (!proof.ok) return { ok: false, reason: "wrong", proof };
  await forgiveAttempt(kv, ofDay, now);
  await endPendingSignIn(kv, token);
  return { ok: true, proof, ...found };
}

function dayLimits(userId: string, known: string | null, code: string): AttemptLimit[] {
  const kind = isAuthenticatorCode(code) ? "authenticator_day" : "recovery_day";
  const subject = known === null ? userId : `${userId} ${sha256(known)}`;
  return [{ kind, subject, max: MAX_A_DAY, windowSec: DAY_SEC }];
}
