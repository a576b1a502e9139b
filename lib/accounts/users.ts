import { countAttempt, forgiveAttempt } from "./attempts.ts";
import { InvalidInput } from "../core/invalid_input.ts";
import { keyOf } from "./kv_keys.ts";
import { checkEmail, checkName, normalizeEmail } from "./names.ts";
import { checkPassword } from "./password_policy.ts";
import { HashingBusy, hashPassword, verifyPassword } from "./passwords.ts";
import { conflict, untilCommitted } from "./until_committed.ts";

/** A person with an account. The password hash is kept apart, under `keyOf.credential`. */
export interface User {
  readonly id: string;
  /** Normalised: lower case. */
  readonly email: string;
  readonly name: string;
  readonly createdAt: Date;
  /** Runs the instance: acts as owner of every organization. */
  readonly isInstanceAdmin: boolean;
}

export interface NewUser {
  readonly email: string;
  readonly name: string;
  readonly password: string;
}

/** A checked user, ready to be committed together with what must exist beside it. */
export interface PreparedUser {
  readonly user: User;
  readonly passwordHash: string;
}

export type PasswordChange =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: "wrong" }
  | { readonly ok: false; readonly reason: "limited"; readonly retryAfterSec: number };

const HASHING_BUSY_RETRY_SEC = 5;

/**
 * Makes an account.
 *
 * @param also adds to the same commit, such as a membership
 * @throws {InvalidInput} naming the field: malformed, or a mail that has an account
 * @throws {HashingBusy}
 */
export async function createUser(
  kv: Deno.Kv,
  input: NewUser,
  also: (atomic: Deno.AtomicOperation, user: User) => Promise<void> = () => Promise.resolve(),
): Promise<User> {
  const prepared = await prepareUser(input, { isInstanceAdmin: false });
  const { user } = prepared;
  return await untilCommitted<User>("make the account", async () => {
    const email = await kv.get<string>(keyOf.userByEmail(user.email));
    if (email.value !== null) throw emailTaken();
    const atomic = addUser(kv.atomic(), prepared);
    await also(atomic, user);
    return (await atomic.commit()).ok ? user : conflict;
  });
}

/**
 * Checks the input and hashes the password.
 *
 * @throws {InvalidInput}
 * @throws {HashingBusy}
 */
export async function prepareUser(
  input: NewUser,
  { isInstanceAdmin }: { isInstanceAdmin: boolean },
): Promise<PreparedUser> {
  const email = checkEmail(input.email);
  const name = checkName("name", input.name);
  checkPassword(input.password, email);
  const user = { id: crypto.randomUUID(), email, name, createdAt: new Date(), isInstanceAdmin };
  return { user, passwordHash: await hashPassword(input.password) };
}

/** Adds the writes of a new account to a commit, which fails when the mail has an account. */
export function addUser(
  atomic: Deno.AtomicOperation,
  { user, passwordHash }: PreparedUser,
): Deno.AtomicOperation {
  return atomic
    .check({ key: keyOf.userByEmail(user.email), versionstamp: null })
    .set(keyOf.userByEmail(user.email), user.id)
    .set(keyOf.user(user.id), user)
    .set(keyOf.credential(user.id), passwordHash);
}

/** What to tell when `addUser` fails; only to somebody who may make accounts anyway. */
export function emailTaken(): InvalidInput {
  return new InvalidInput("email", "Use another mail address: this one has an account.", "taken");
}

/** Longer than any id; Deno KV throws at keys of 2 KB. */
const MAX_ID_LENGTH = 100;

/** The user of this id, or null. @param id what a client sent, whatever it is */
export async function findUser(kv: Deno.Kv, id: string): Promise<User | null> {
  return id.length > MAX_ID_LENGTH ? null : (await kv.get<User>(keyOf.user(id))).value;
}

/** The user of this mail address, however it is spelled, or null. */
export async function findUserByEmail(kv: Deno.Kv, email: string): Promise<User | null> {
  const normalized = normalizeEmail(email);
  if (normalized === null) return null;
  const { value: id } = await kv.get<string>(keyOf.userByEmail(normalized));
  return id === null ? null : await findUser(kv, id);
}

/**
 * Changes a password and ends every session of the user; the caller starts a new one.
 * Wrong current passwords are limited: a stolen session must not become a way to guess.
 *
 * @param now milliseconds since 1970
 * @throws {InvalidInput} when the new password is refused
 */
export async function changePassword(
  kv: Deno.Kv,
  userId: string,
  current: string,
  next: string,
  now: number = Date.now(),
): Promise<PasswordChange> {
  const user = await findUser(kv, userId);
  if (user === null) return { ok: false, reason: "wrong" };
  const limits = [{ kind: "password_change", subject: userId, max: 10, windowSec: 15 * 60 }];
  const attempt = await countAttempt(kv, limits, now);
  if (!attempt.ok) return { ...attempt, reason: "limited" };
  try {
    const credential = await kv.get<string>(keyOf.credential(userId));
    if (!await verifyPassword(credential.value, current)) return { ok: false, reason: "wrong" };
    await forgiveAttempt(kv, limits, now);
    checkPassword(next, user.email);
    return await replacePassword(kv, credential, await hashPassword(next), userId);
  } catch (error) {
    if (!(error instanceof HashingBusy)) throw error;
    return { ok: false, reason: "limited", retryAfterSec: HASHING_BUSY_RETRY_SEC };
  }
}

/** Commits only over the password that was verified. */
function replacePassword(
  kv: Deno.Kv,
  verified: Deno.KvEntryMaybe<string>,
  passwordHash: string,
  userId: string,
): Promise<PasswordChange> {
  return untilCommitted<PasswordChange>("change the password", async () => {
    const [credential, epoch] = await kv.getMany<[string, number]>([
      keyOf.credential(userId),
      keyOf.sessionEpoch(userId),
    ]);
    if (credential.versionstamp !== verified.versionstamp) return { ok: false, reason: "wrong" };
    const committed = await kv.atomic()
      .check(credential, epoch)
      .set(credential.key, passwordHash)
      .set(epoch.key, (epoch.value ?? 0) + 1)
      .commit();
    return committed.ok ? { ok: true } : conflict;
  });
}
