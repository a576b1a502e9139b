/** Proving who one is by email and password, and what keeps others from guessing. */
import { HashingBusy } from "../core/errors.ts";
import { addressGroup, type AttemptLimit, countAttempt, forgiveAttempt } from "./attempts.ts";
import { addAudit } from "./audit.ts";
import { accountHash, knownDevice } from "./known_devices.ts";
import { keyOf } from "./kv.ts";
import { normalizeEmail } from "./names.ts";
import { sha256 } from "./secrets.ts";
import { HASHING_BUSY_RETRY_SEC, type User, verifyPassword } from "./users.ts";

/** Wrong passwords per window; right ones are not counted. */
const WINDOW_SEC = 15 * 60;
const MAX_PER_PAIR = 10;
/** An office may share one address. */
const MAX_PER_ADDRESS = 50;

interface Claimed {
  readonly email: string;
  readonly password: string;
  /** Address of the client. */
  readonly address: string;
  /** What an earlier sign-in handed to this browser, as the browser tells it; null without. */
  readonly device?: string | null;
}

type Refused =
  | { readonly ok: false; readonly reason: "wrong" }
  | { readonly ok: false; readonly reason: "limited"; readonly retryAfterSec: number };

export type PasswordProof =
  | {
    readonly ok: true;
    readonly user: User;
    /** Of the user's sessions, read together with the password: see `NewSession`. */
    readonly epoch: number;
  }
  | Refused;

/**
 * Checks email and password. An unknown email costs the same reads, the same hashing and the same answer as a wrong
 * password, and is limited alike.
 *
 * Wrong guesses count for the account and the address together, and for the address: never for the account alone, or
 * anybody could lock anybody out. A browser that signed in to the account before has a count of its own, and its password
 * is hashed before those of strangers, so that neither neighbours at one address nor a flood from many keep it out.
 *
 * @param now milliseconds since 1970
 */
export async function provePassword(
  kv: Deno.Kv,
  { email, password, address, device = null }: Claimed,
  now: number = Date.now(),
): Promise<PasswordProof> {
  const from = addressGroup(address);
  const known = await knownDevice(kv, email, device);
  const limits = limitsOf(accountHash(email), from, known);
  const attempt = await countAttempt(kv, limits, now);
  if (!attempt.ok) return { ...attempt, reason: "limited" };
  try {
    const result = await verify(kv, email, password, known !== null);
    if (result.ok) await forgiveAttempt(kv, limits, now);
    else await tellFailure(kv, email, now);
    return result;
  } catch (error) {
    if (!(error instanceof HashingBusy)) throw error;
    await forgiveAttempt(kv, limits, now);
    return { ok: false, reason: "limited", retryAfterSec: HASHING_BUSY_RETRY_SEC };
  }
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

async function verify(
  kv: Deno.Kv,
  email: string,
  password: string,
  isFirst: boolean,
): Promise<PasswordProof> {
  const { value: userId } = await kv.get<string>(keyOf.userByEmail(normalizeEmail(email) ?? ""));
  const id = userId ?? "nobody";
  const [user, credential, epoch] = await kv.getMany<[User, string, number]>([
    keyOf.user(id),
    keyOf.credential(id),
    keyOf.sessionEpoch(id),
  ]);
  const isRight = await verifyPassword(credential.value, password, { isFirst });
  if (!isRight || user.value === null) return { ok: false, reason: "wrong" };
  return { ok: true, user: user.value, epoch: epoch.value ?? 0 };
}

/** Failures that the audit log keeps, of an account and of all, in an hour: a flood must not fill it. */
const TOLD_OF_ACCOUNT = 30;
const TOLD_OF_ALL = 1_000;
const HOUR_SEC = 60 * 60;

/** Enough guesses to see what goes on; those that are too many are in the log of requests. */
async function tellFailure(kv: Deno.Kv, email: string, now: number): Promise<void> {
  const limits: AttemptLimit[] = [
    {
      kind: "told_failure",
      subject: accountHash(email),
      max: TOLD_OF_ACCOUNT,
      windowSec: HOUR_SEC,
    },
    { kind: "told_failure", subject: "all", max: TOLD_OF_ALL, windowSec: HOUR_SEC },
  ];
  // Others at the same moment are told in its place.
  const attempt = await countAttempt(kv, limits, now).catch(() => ({ ok: false }));
  if (!attempt.ok) return;
  // What is no address may be a password in the wrong field.
  const label = normalizeEmail(email) ?? "?";
  await addAudit(kv.atomic(), {
    event: "user.sign-in-failed",
    organizationId: null,
    target: { kind: "user", id: "", label },
  }).commit();
}
