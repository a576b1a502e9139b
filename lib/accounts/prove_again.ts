/** Proving once more who one is, within a session. */
import { HashingBusy } from "../core/errors.ts";
import { type AttemptLimit, countAttempt, forgiveAttempt } from "./attempts.ts";
import { keyOf } from "./kv.ts";
import { type FactorProof, type FactorStores, proveFactor } from "./second_factors.ts";
import { HASHING_BUSY_RETRY_SEC, type User, verifyPassword } from "./users.ts";

/** A stolen session must not become a way to guess. */
const MAX_TRIES = 10;
const WINDOW_SEC = 15 * 60;

type Refused =
  | { readonly ok: false; readonly reason: "limited"; readonly retryAfterSec: number }
  | { readonly ok: false; readonly reason: "wrong"; readonly clockOffSec: number | null };

export type ProofAgain = { readonly ok: true; readonly isStrong: boolean } | Refused;

/** Whether a person has a password at all: who signs in by single sign-on or a passkey may have none. */
export async function hasPassword(kv: Deno.Kv, userId: string): Promise<boolean> {
  return (await kv.get(keyOf.credential(userId))).value !== null;
}

/** Judges the password of a session's user. @param now milliseconds since 1970 */
export async function provePasswordAgain(
  kv: Deno.Kv,
  user: User,
  password: string,
  now: number = Date.now(),
): Promise<ProofAgain> {
  const limits = limitsOf("password_change", user);
  const attempt = await countAttempt(kv, limits, now);
  if (!attempt.ok) return { ...attempt, reason: "limited" };
  try {
    const { value } = await kv.get<string>(keyOf.credential(user.id));
    const isRight = await verifyPassword(value, password, { isFirst: true });
    if (!isRight) return { ok: false, reason: "wrong", clockOffSec: null };
    await forgiveAttempt(kv, limits, now);
    return { ok: true, isStrong: false };
  } catch (error) {
    if (!(error instanceof HashingBusy)) throw error;
    return { ok: false, reason: "limited", retryAfterSec: HASHING_BUSY_RETRY_SEC };
  }
}

/** Judges a code of a session's user. @param now milliseconds since 1970 */
export async function proveFactorAgain(
  stores: FactorStores,
  user: User,
  code: string,
  now: number = Date.now(),
): Promise<ProofAgain> {
  const limits = limitsOf("factor_again", user);
  const attempt = await countAttempt(stores.kv, limits, now);
  if (!attempt.ok) return { ...attempt, reason: "limited" };
  const proof: FactorProof = await proveFactor(stores, user, code, now);
  if (!proof.ok) return { ok: false, reason: "wrong", clockOffSec: proof.clockOffSec };
  await forgiveAttempt(stores.kv, limits, now);
  return { ok: true, isStrong: true };
}

function limitsOf(kind: string, { id }: User): AttemptLimit[] {
  return [{ kind, subject: id, max: MAX_TRIES, windowSec: WINDOW_SEC }];
}
