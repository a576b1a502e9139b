import { type Config, ConfigError } from "../core/config.ts";
import { addressGroup, countAttempt, forgiveAttempt } from "./attempts.ts";
import { canonicalCode, newCode } from "./codes.ts";
import { currentScope, inScope } from "../core/request_scope.ts";
import { InvalidInput } from "../core/errors.ts";
import { conflict, keyOf, untilCommitted } from "./kv.ts";
import { checkName } from "./names.ts";
import { addOrganization, type Organization } from "./organizations.ts";
import { sameSecret } from "./secrets.ts";
import { addUser, emailTaken, type NewUser, prepareUser, type User } from "./users.ts";

/** Twelve characters of five bits: 60 bits, against a few guesses a minute. */
const CODE_GROUPS = 3;
const MAX_WRONG_CODES = 10;
const WRONG_CODES_WINDOW_SEC = 15 * 60;
const DEFAULT_ORGANIZATION = "Default";
const DEFAULT_NAME = "Administrator";

export interface Claim extends NewUser {
  readonly code: string;
  readonly organizationName: string;
  /** Address of the client. */
  readonly address: string;
}

export type ClaimResult =
  | { readonly ok: true; readonly user: User; readonly organization: Organization }
  | { readonly ok: false; readonly reason: "claimed" | "wrong_code" }
  | { readonly ok: false; readonly reason: "limited"; readonly retryAfterSec: number };

/** Whether the instance waits for its first administrator. */
export async function needsSetup(kv: Deno.Kv): Promise<boolean> {
  return (await kv.get(keyOf.claim())).value === null;
}

/**
 * The one-time code that proves access to the console, as `7KQ4-M2XP-9TRD`. It stays the same, over
 * restarts and in every process, until somebody claims the instance; therefore the store keeps it as it is.
 *
 * @throws {Error} when the instance is claimed
 */
export function setupCode(kv: Deno.Kv): Promise<string> {
  return untilCommitted("make the setup code", async () => {
    const [claim, code] = await kv.getMany<[unknown, string]>([keyOf.claim(), keyOf.setupCode()]);
    if (claim.value !== null) throw new Error("Cannot make a setup code: the instance is claimed");
    if (code.value !== null) return code.value;
    const made = newCode(CODE_GROUPS);
    const committed = await kv.atomic().check(claim, code).set(code.key, made).commit();
    return committed.ok ? made : conflict;
  });
}

/**
 * Makes the first administrator and their organization, in one commit that happens once. The code is
 * judged before anything else is looked at; wrong ones are limited per address.
 *
 * @param now milliseconds since 1970
 * @throws {InvalidInput} naming the field, only for somebody who has the code
 * @throws {HashingBusy}
 */
export async function claimInstance(
  kv: Deno.Kv,
  claim: Claim,
  now: number = Date.now(),
): Promise<ClaimResult> {
  const limits = [{
    kind: "setup_code",
    subject: addressGroup(claim.address),
    max: MAX_WRONG_CODES,
    windowSec: WRONG_CODES_WINDOW_SEC,
  }];
  const attempt = await countAttempt(kv, limits, now);
  if (!attempt.ok) return { ...attempt, reason: "limited" };
  const [claimed, code] = await kv.getMany<[unknown, string]>([keyOf.claim(), keyOf.setupCode()]);
  if (claimed.value !== null) return { ok: false, reason: "claimed" };
  // While no code was made, none is right.
  const right = code.value ?? newCode(CODE_GROUPS);
  if (!sameSecret(canonicalCode(claim.code), canonicalCode(right))) {
    return { ok: false, reason: "wrong_code" };
  }
  await forgiveAttempt(kv, limits, now);
  return await makeAdministrator(kv, claim, claim.organizationName);
}

/**
 * Makes the administrator that the environment names, when the instance has none yet. Later changes of
 * the environment change nothing: from then on accounts are kept in the pages.
 *
 * @returns whether it made one
 * @throws {ConfigError} when the mail or the password cannot be taken
 */
export async function ensureAdmin(kv: Deno.Kv, admin: Config["admin"]): Promise<boolean> {
  if (admin === null || !await needsSetup(kv)) return false;
  try {
    const made = await makeAdministrator(
      kv,
      { ...admin, name: DEFAULT_NAME },
      DEFAULT_ORGANIZATION,
    );
    return made.ok;
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    const variable = error.field === "email" ? "SERVICE_ADMIN_EMAIL" : "SERVICE_ADMIN_PASSWORD";
    throw new ConfigError(`Cannot start: ${variable} is refused. ${error.message}`);
  }
}

async function makeAdministrator(
  kv: Deno.Kv,
  newUser: NewUser,
  organizationName: string,
): Promise<ClaimResult> {
  const name = checkName("organizationName", organizationName);
  const prepared = await prepareUser(newUser, { isInstanceAdmin: true });
  const scope = currentScope();
  const { id, email: label } = prepared.user;
  // Whoever claims the instance is signed in as nobody yet; that of the settings is made by the system.
  const asker = scope.asker.kind === "nobody"
    ? { ...scope.asker, kind: "user" as const, id, label }
    : scope.asker;
  return await inScope({ ...scope, asker }, () => claimFor(kv, prepared, name));
}

async function claimFor(
  kv: Deno.Kv,
  prepared: Awaited<ReturnType<typeof prepareUser>>,
  name: string,
): Promise<ClaimResult> {
  return await untilCommitted<ClaimResult>("claim the instance", async () => {
    // Of one moment: another instance that starts now may claim it for the same address.
    const [claim, email] = await kv.getMany([
      keyOf.claim(),
      keyOf.userByEmail(prepared.user.email),
    ]);
    if (claim.value !== null) return { ok: false, reason: "claimed" };
    if (email.value !== null) throw emailTaken();
    const atomic = addUser(kv.atomic().check(claim), prepared)
      .set(claim.key, { userId: prepared.user.id, claimedAt: prepared.user.createdAt })
      .delete(keyOf.setupCode());
    const { organization } = await addOrganization(kv, atomic, {
      name,
      ownerId: prepared.user.id,
    });
    return (await atomic.commit()).ok ? { ok: true, user: prepared.user, organization } : conflict;
  });
}
