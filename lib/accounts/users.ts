import { hash, verify } from "@node-rs/argon2";
import { HashingBusy, InvalidInput } from "../core/errors.ts";
import { currentLanguage, type Language, t } from "../core/language/translate.ts";
import { changesBetween } from "../records/audit.ts";
import { addAudit } from "./audit.ts";
import { countAttempt, forgiveAttempt } from "./attempts.ts";
import { isBreached } from "./breached_passwords.ts";
import { conflict, keyOf, untilCommitted } from "./kv.ts";
import { checkEmail, checkName, normalizeEmail } from "./names.ts";
import { newSecret } from "./secrets.ts";

/** A person with an account. The password hash is kept apart, under `keyOf.credential`. */
export interface User {
  readonly id: string;
  /** Normalised: lower case. */
  readonly email: string;
  readonly name: string;
  readonly createdAt: Date;
  /** Runs the instance: acts as owner of every organization. */
  readonly isInstanceAdmin: boolean;
  /** What they read; absent: what their browser says, and English in mails. */
  readonly language?: Language;
  /** An IANA name; absent: UTC. */
  readonly timeZone?: string;
  /** When somebody showed that they read the mail of this address; absent: nobody has yet. */
  readonly emailVerifiedAt?: Date;
  /** Since when nobody can sign in with it; absent: it is in use. */
  readonly disabledAt?: Date;
  /** Since when the person is gone; what they wrote stays, by another name. */
  readonly deletedAt?: Date;
}

export interface NewUser {
  readonly email: string;
  readonly name: string;
  readonly password: string;
}

/** A checked user, ready to be committed together with what must exist beside it. */
interface PreparedUser {
  readonly user: User;
  readonly passwordHash: string;
}

type PasswordChange =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: "wrong" }
  | { readonly ok: false; readonly reason: "limited"; readonly retryAfterSec: number };

/** When to try again after {@linkcode HashingBusy}. */
export const HASHING_BUSY_RETRY_SEC = 5;

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
  await checkPassword(input.password, email);
  const language = currentLanguage();
  const user: User = {
    id: crypto.randomUUID(),
    email,
    name,
    createdAt: new Date(),
    isInstanceAdmin,
    // What was read while the account was made; of English one cannot tell whether it was a choice.
    ...(language === "en" ? {} : { language }),
  };
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
  return new InvalidInput("email", t("Use another email: this one has an account."), "taken");
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
    await checkPassword(next, user.email);
    return await replacePassword(kv, credential, await hashPassword(next), user);
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
  { id: userId, email }: User,
): Promise<PasswordChange> {
  return untilCommitted<PasswordChange>("change the password", async () => {
    const [credential, epoch] = await kv.getMany<[string, number]>([
      keyOf.credential(userId),
      keyOf.sessionEpoch(userId),
    ]);
    if (credential.versionstamp !== verified.versionstamp) return { ok: false, reason: "wrong" };
    const atomic = kv.atomic()
      .check(credential, epoch)
      .set(credential.key, passwordHash)
      .set(epoch.key, (epoch.value ?? 0) + 1);
    addAudit(atomic, {
      event: "user.password-change",
      organizationId: null,
      target: { kind: "user", id: userId, label: email },
    });
    return (await atomic.commit()).ok ? { ok: true } : conflict;
  });
}

/**
 * Changes what a person is called.
 *
 * @returns the changed user, or null when there is none of this id
 * @throws {InvalidInput} for a malformed name
 */
export async function renameUser(kv: Deno.Kv, userId: string, name: string): Promise<User | null> {
  const checked = checkName("name", name);
  return await changeUser(kv, userId, (user) => ({ ...user, name: checked }));
}

/**
 * Changes what is known of a person, with its entry in the audit log.
 *
 * @param change the user as they shall be; the same one to leave them
 * @param also adds to the same commit
 * @returns the changed user, or null when there is none of this id
 */
export function changeUser(
  kv: Deno.Kv,
  userId: string,
  change: (user: User) => User,
  also: (atomic: Deno.AtomicOperation, before: User) => Promise<void> = () => Promise.resolve(),
): Promise<User | null> {
  return untilCommitted<User | null>("change the user", async () => {
    const entry = await kv.get<User>(keyOf.user(userId));
    if (entry.value === null) return null;
    const user = change(entry.value);
    if (user === entry.value) return user;
    const atomic = kv.atomic().check(entry).set(entry.key, user);
    addAudit(atomic, {
      event: "user.edit",
      organizationId: null,
      target: { kind: "user", id: user.id, label: entry.value.email },
      changes: changesBetween(entry.value, user),
    });
    await also(atomic, entry.value);
    return (await atomic.commit()).ok ? user : conflict;
  });
}

/** OWASP's first choice for argon2id, the library's default algorithm: 19 MiB, two passes, one lane. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Hashes at work at once: a flood of sign-ins may not take all processors and memory from the intake. */
const MAX_AT_WORK = 2;
/** At some 25 ms each, the last in line waits less than a second. */
const MAX_WAITING = 60;

/** No password is this long (200 characters of two units each): hashing a megabyte would be a present. */
const MAX_HASHED_LENGTH = 400;

let atWork = 0;
const waiting: (() => void)[] = [];
const preferred: (() => void)[] = [];
let standIn: Promise<string> | undefined;

/**
 * Hashes a password with argon2id, off the main thread.
 *
 * @returns the hash in PHC form, with its salt and cost
 * @throws {HashingBusy}
 */
export function hashPassword(password: string): Promise<string> {
  return inTurn(() => hash(canonical(password), COST));
}

/**
 * Compares a password with a hash. Without a hash it works as long and answers false, so that time
 * does not tell which accounts exist.
 *
 * @param stored PHC string from `hashPassword`, or null for an unknown account
 * @param options.isFirst goes before those of strangers
 * @throws {HashingBusy}
 */
export async function verifyPassword(
  stored: string | null,
  password: string,
  { isFirst = false } = {},
): Promise<boolean> {
  standIn ??= hashPassword(newSecret()).catch((error) => {
    standIn = undefined;
    throw error;
  });
  // Who needs it is told that it failed; nobody else has to be.
  standIn.catch(() => {});
  const possible = password.length <= MAX_HASHED_LENGTH ? stored : null;
  const compared = possible ?? await standIn;
  const candidate = canonical(password.slice(0, MAX_HASHED_LENGTH));
  const isSame = await inTurn(() => verify(compared, candidate), isFirst);
  return isSame && possible !== null;
}

/** Keyboards compose the same visible characters differently; NIST SP 800-63B advises this form. */
function canonical(password: string): string {
  return password.normalize("NFKC");
}

/** Those who go first have places of their own: strangers cannot take them all. */
async function inTurn<T>(work: () => Promise<T>, isFirst = false): Promise<T> {
  if (atWork >= MAX_AT_WORK) {
    const queue = isFirst ? preferred : waiting;
    if (queue.length >= MAX_WAITING) {
      throw new HashingBusy("Cannot hash the password: too many wait already");
    }
    // The place of the one who leaves is handed over, so nobody can slip in between.
    await new Promise<void>((resolve) => queue.push(resolve));
  } else {
    atWork++;
  }
  try {
    return await work();
  } finally {
    const next = preferred.shift() ?? waiting.shift();
    if (next === undefined) atWork--;
    else next();
  }
}

export const MIN_PASSWORD_LENGTH = 10;
const MAX_PASSWORD_LENGTH = 200;

const MIN_DIFFERENT_CHARACTERS = 5;

/** What people start from; with digits and marks around it, it is still the first thing to be tried. */
const COMMON_WORDS = new Set(
  `password passwort passwd passphrase secret letmein welcome changeme changeit default administrator
  admin root superuser user guest test testing temp login access master qwerty qwertz azerty iloveyou
  trustno monkey dragon shadow sunshine princess football baseball basketball superman batman michael
  jennifer jordan charlie starwars whatever freedom computer internet server database monitoring
  sentry watchpost company mypassword newpassword yourpassword thepassword passwordpassword hello
  helloworld summer winter spring autumn january february october november december monday friday`
    .split(/\s+/),
);

/** Runs along the alphabet, the digits and the keyboard, both ways. */
const RUNS = [
  "abcdefghijklmnopqrstuvwxyz",
  "01234567890123456789",
  "qwertyuiopasdfghjklzxcvbnm",
  "qwertzuiopasdfghjklyxcvbnm",
  "azertyuiopqsdfghjklmwxcvbn",
  "1qaz2wsx3edc4rfv5tgb6yhn7ujm",
  "1q2w3e4r5t6y7u8i9o0p",
  "zaq12wsxcde34rfvbgt5",
].flatMap((run) => [run, [...run].reverse().join("")]);

const LOOK_ALIKES: Readonly<Record<string, string>> = {
  "@": "a",
  "4": "a",
  "3": "e",
  "1": "i",
  "!": "i",
  "0": "o",
  "$": "s",
  "5": "s",
  "7": "t",
};

/**
 * Checks a new password: 10 to 200 characters, not the person's mail, nothing that is tried first.
 * No rules about kinds of characters: they make passwords worse (NIST SP 800-63B, 5.1.1.2).
 *
 * @param password as entered
 * @param email the normalised address of its owner
 * @throws {InvalidInput} with a sentence that says what to do
 */
export async function checkPassword(password: string, email: string): Promise<void> {
  const length = [...password].length;
  if (length < MIN_PASSWORD_LENGTH) {
    throw refusal(t("Choose a password of at least {n} characters.", { n: MIN_PASSWORD_LENGTH }));
  }
  if (length > MAX_PASSWORD_LENGTH) {
    throw refusal(t("Choose a password of at most {n} characters.", { n: MAX_PASSWORD_LENGTH }));
  }
  const plain = password.normalize("NFKC").toLowerCase().trim();
  if (isMadeOfMail(plain, email)) {
    throw refusal(t("Choose a password that is not made of your email."));
  }
  if (isCommon(plain) || await isBreached(plain)) {
    throw refusal(
      t("Choose a password that is harder to guess, such as four or five unrelated words."),
    );
  }
}

function refusal(message: string): InvalidInput {
  return new InvalidInput("password", message);
}

function isMadeOfMail(plain: string, email: string): boolean {
  const [mailbox = ""] = email.split("@");
  if (plain.includes(email)) return true;
  return mailbox.length >= 3 && lettersOf(plain) === lettersOf(mailbox);
}

function isCommon(plain: string): boolean {
  if (new Set(plain).size < MIN_DIFFERENT_CHARACTERS || isRepetition(plain)) return true;
  if (RUNS.some((run) => run.includes(plain) || run.includes(plain.replace(/\d+$/, "")))) {
    return true;
  }
  // Digits at the end are a year or a count; in the middle they often stand for letters.
  const stem = plain.replace(/[^\p{L}]+$/u, "");
  return [plain, spelledOut(plain), spelledOut(stem)]
    .some((text) => COMMON_WORDS.has(lettersOf(text)));
}

function spelledOut(text: string): string {
  return text.replace(/[@431!0$57]/g, (mark) => LOOK_ALIKES[mark] ?? mark);
}

/** `abcabcabcabc`, `xyzzyxyzzy`: a text found inside its own double is a repetition. */
function isRepetition(text: string): boolean {
  return (text + text).indexOf(text, 1) < text.length;
}

function lettersOf(text: string): string {
  return text.replace(/[^\p{L}]/gu, "");
}
