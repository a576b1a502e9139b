import { hash, verify } from "@node-rs/argon2";
import { newSecret } from "./secrets.ts";

/** OWASP's first choice for argon2id, the library's default algorithm: 19 MiB, two passes, one lane. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Hashes at work at once: a flood of sign-ins may not take all processors and memory from the intake. */
const MAX_AT_WORK = 2;
/** At some 25 ms each, the last in line waits less than a second. */
const MAX_WAITING = 60;

/** No password is this long (200 characters of two units each): hashing a megabyte would be a present. */
const MAX_HASHED_LENGTH = 400;

/** Too many passwords wait to be hashed; the attempt should be repeated in a few seconds. */
export class HashingBusy extends Error {
  override name = "HashingBusy";
}

let atWork = 0;
const waiting: (() => void)[] = [];
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
 * @throws {HashingBusy}
 */
export async function verifyPassword(stored: string | null, password: string): Promise<boolean> {
  standIn ??= hashPassword(newSecret()).catch((error) => {
    standIn = undefined;
    throw error;
  });
  const possible = password.length <= MAX_HASHED_LENGTH ? stored : null;
  const compared = possible ?? await standIn;
  const candidate = canonical(password.slice(0, MAX_HASHED_LENGTH));
  const isSame = await inTurn(() => verify(compared, candidate));
  return isSame && possible !== null;
}

/** Keyboards compose the same visible characters differently; NIST SP 800-63B advises this form. */
function canonical(password: string): string {
  return password.normalize("NFKC");
}

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (atWork >= MAX_AT_WORK) {
    if (waiting.length >= MAX_WAITING) {
      throw new HashingBusy("Cannot hash the password: too many wait already");
    }
    // The place of the one who leaves is handed over, so nobody can slip in between.
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else {
    atWork++;
  }
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next === undefined) atWork--;
    else next();
  }
}
