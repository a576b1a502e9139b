/**
 * Second factors of a person: an authenticator with its codes (TOTP, RFC 6238), and recovery codes for who has lost it.
 * Passkeys are second factors too; they have their own file.
 */
import { Secret, TOTP } from "otpauth";
import type { Config } from "../core/config.ts";
import { InvalidInput } from "../core/errors.ts";
import { t } from "../core/language/translate.ts";
import { MINUTE_MS, SECOND_MS } from "../core/time.ts";
import { addAudit } from "./audit.ts";
import { canonicalCode, newCode } from "./codes.ts";
import { conflict, keyOf, prefixOf, untilCommitted } from "./kv.ts";
import { openValue, sealValue, sha256 } from "./secrets.ts";
import type { User } from "./users.ts";

export interface FactorStores {
  readonly kv: Deno.Kv;
  readonly config: Pick<Config, "secretKey">;
}

interface Authenticator {
  readonly sealed: Uint8Array;
  readonly addedAt: Date;
  /** Number of the last period whose code was taken: none holds twice. */
  readonly lastCounter: number;
}

/** As KV keeps it. */
interface FactorRecord {
  readonly authenticator: Authenticator | null;
  /** SHA-256 of those that are left: enough for 80 random bits. */
  readonly recoveryHashes: readonly string[];
  readonly recoveryMadeAt: Date | null;
}

const NONE: FactorRecord = { authenticator: null, recoveryHashes: [], recoveryMadeAt: null };

/** What a person has; no secret is in it. */
export interface Factors {
  readonly authenticatorAddedAt: Date | null;
  readonly recoveryCodesLeft: number;
  readonly recoveryMadeAt: Date | null;
  readonly passkeys: number;
}

/** What a person has to show at the sign-in beside the password. */
export async function factorsOf(kv: Deno.Kv, userId: string): Promise<Factors> {
  const { value } = await kv.get<FactorRecord>(keyOf.secondFactor(userId));
  const { authenticator, recoveryHashes, recoveryMadeAt } = value ?? NONE;
  const passkeys = await Array.fromAsync(kv.list({ prefix: prefixOf.passkeys(userId) }));
  return {
    authenticatorAddedAt: authenticator?.addedAt ?? null,
    recoveryCodesLeft: recoveryHashes.length,
    recoveryMadeAt,
    passkeys: passkeys.length,
  };
}

/** Whether the password alone does not let this person in: they have an authenticator or a passkey. */
export async function hasSecondFactor(kv: Deno.Kv, userId: string): Promise<boolean> {
  const { authenticatorAddedAt, passkeys } = await factorsOf(kv, userId);
  return authenticatorAddedAt !== null || passkeys > 0;
}

/** What an authenticator is set up with: shown until its first right code. */
export interface NewAuthenticator {
  /** Base32, 32 characters. */
  readonly secret: string;
  /** `otpauth://totp/…`, for a QR code. */
  readonly uri: string;
}

/** So long an authenticator may take to be set up. */
const SETUP_MS = 10 * MINUTE_MS;

/**
 * Begins to set an authenticator up, or shows again what was begun.
 *
 * @param issuer what the authenticator shows beside the codes
 */
export async function beginAuthenticator(
  stores: FactorStores,
  user: User,
  issuer: string,
): Promise<NewAuthenticator> {
  const secret = await newSecretOf(stores, user.id) ?? await makeSecret(stores, user.id);
  return { secret, uri: totpOf(secret, issuer, user.email).toString() };
}

async function makeSecret(stores: FactorStores, userId: string): Promise<string> {
  const secret = new Secret({ size: 20 }).base32;
  const sealed = await sealValue(stores, placeOf(userId), secret);
  await stores.kv.set(keyOf.newAuthenticator(userId), sealed, { expireIn: SETUP_MS });
  return secret;
}

async function newSecretOf(stores: FactorStores, userId: string): Promise<string | null> {
  const { value } = await stores.kv.get<Uint8Array>(keyOf.newAuthenticator(userId));
  return value === null ? null : await openValue<string>(stores, placeOf(userId), value);
}

/**
 * Takes the authenticator that is being set up in place of a former one, once it shows a right code.
 *
 * @returns recovery codes, when the person had none
 * @throws {InvalidInput} for a wrong code, and when the set-up took too long
 */
export async function confirmAuthenticator(
  stores: FactorStores,
  user: User,
  code: string,
  now: number = Date.now(),
): Promise<readonly string[] | null> {
  const secret = await newSecretOf(stores, user.id);
  if (secret === null) {
    throw new InvalidInput(
      "code",
      t("Setting up took longer than ten minutes. Scan the new code and try again."),
    );
  }
  const judged = judge(secret, code, -1, now);
  if (!judged.ok) throw new InvalidInput("code", wrongCode(judged.clockOffSec));
  const sealed = await sealValue(stores, placeOf(user.id), secret);
  const authenticator = { sealed, addedAt: new Date(now), lastCounter: judged.counter };
  return await changeFactors(stores.kv, user, "user.mfa.add", "authenticator", (record, atomic) => {
    atomic.delete(keyOf.newAuthenticator(user.id));
    if (record.recoveryHashes.length > 0) {
      return { record: { ...record, authenticator }, result: null };
    }
    const codes = newRecoveryCodes();
    return { record: { ...withCodes(record, codes, now), authenticator }, result: codes };
  });
}

/** Takes the authenticator away. Recovery codes go with the last second factor. */
export async function removeAuthenticator(kv: Deno.Kv, user: User): Promise<void> {
  const { passkeys } = await factorsOf(kv, user.id);
  await changeFactors(kv, user, "user.mfa.remove", "authenticator", (record) => ({
    record: passkeys === 0 ? NONE : { ...record, authenticator: null },
    result: null,
  }));
}

/** Makes ten recovery codes, to be shown once; those before do not hold any more. */
export async function renewRecoveryCodes(
  kv: Deno.Kv,
  user: User,
  now: number = Date.now(),
): Promise<readonly string[]> {
  const codes = newRecoveryCodes();
  return await changeFactors(kv, user, "user.mfa.add", "recovery codes", (record) => ({
    record: withCodes(record, codes, now),
    result: codes,
  }));
}

/** Changes what somebody has, with its entry in the audit log. */
function changeFactors<Result>(
  kv: Deno.Kv,
  user: User,
  event: "user.mfa.add" | "user.mfa.remove",
  kind: string,
  change: (
    record: FactorRecord,
    atomic: Deno.AtomicOperation,
  ) => { readonly record: FactorRecord; readonly result: Result },
): Promise<Result> {
  return untilCommitted<Result>("change the second factor", async () => {
    const entry = await kv.get<FactorRecord>(keyOf.secondFactor(user.id));
    const atomic = kv.atomic().check(entry);
    const { record, result } = change(entry.value ?? NONE, atomic);
    atomic.set(entry.key, record);
    addAudit(atomic, {
      event,
      organizationId: null,
      target: { kind: "user", id: user.id, label: user.email },
      changes: { factor: event === "user.mfa.add" ? [null, kind] : [kind, null] },
    });
    return (await atomic.commit()).ok ? result : conflict;
  });
}

const RECOVERY_CODES = 10;
/** Four characters each: 120 bits, so that a plain hash keeps them (OWASP ASVS 6.5.2). */
const RECOVERY_GROUPS = 6;

function newRecoveryCodes(): readonly string[] {
  return Array.from({ length: RECOVERY_CODES }, () => newCode(RECOVERY_GROUPS));
}

function withCodes(record: FactorRecord, codes: readonly string[], now: number): FactorRecord {
  const recoveryHashes = codes.map((code) => sha256(canonicalCode(code)));
  return { ...record, recoveryHashes, recoveryMadeAt: new Date(now) };
}

export type FactorProof =
  | { readonly ok: true; readonly how: "code" | "recovery"; readonly recoveryCodesLeft: number }
  | {
    readonly ok: false;
    /** The code is that of another time, so many seconds away: a clock is wrong. */
    readonly clockOffSec: number | null;
    /** The key of this instance has changed: no code of an authenticator can be judged. */
    readonly isUnreadable: boolean;
  };

/** Whether what was typed is meant as a code of an authenticator, and not as one for recovery. */
export function isAuthenticatorCode(text: string): boolean {
  return /^\d{6}$/.test(text.replace(/[\s-]/g, ""));
}

/**
 * Judges what somebody typed: a code of their authenticator, which holds once, or a recovery code, which is then spent.
 * Count the attempt before: see `attempts.ts`.
 *
 * @param now milliseconds since 1970
 */
export function proveFactor(
  stores: FactorStores,
  user: User,
  code: string,
  now: number = Date.now(),
): Promise<FactorProof> {
  const { kv } = stores;
  return untilCommitted<FactorProof>("judge the code", async () => {
    const entry = await kv.get<FactorRecord>(keyOf.secondFactor(user.id));
    const record = entry.value ?? NONE;
    const found = isAuthenticatorCode(code)
      ? await takeCode(stores, user.id, record, code, now)
      : spendRecovery(record, code);
    if ("clockOffSec" in found) return { ok: false, ...found };
    const atomic = kv.atomic().check(entry).set(entry.key, found.record);
    if (found.how === "recovery") {
      addAudit(atomic, {
        event: "user.mfa.remove",
        organizationId: null,
        target: { kind: "user", id: user.id, label: user.email },
        changes: { factor: ["recovery code", null] },
      });
    }
    if (!(await atomic.commit()).ok) return conflict;
    return { ok: true, how: found.how, recoveryCodesLeft: found.record.recoveryHashes.length };
  });
}

type Found = { readonly how: "code" | "recovery"; readonly record: FactorRecord };
type Wrong = { readonly clockOffSec: number | null; readonly isUnreadable: boolean };
const WRONG: Wrong = { clockOffSec: null, isUnreadable: false };

async function takeCode(
  stores: FactorStores,
  userId: string,
  record: FactorRecord,
  code: string,
  now: number,
): Promise<Found | Wrong> {
  const { authenticator } = record;
  if (authenticator === null) return WRONG;
  const secret = await openValue<string>(stores, placeOf(userId), authenticator.sealed);
  if (secret === null) return { ...WRONG, isUnreadable: true };
  const judged = judge(secret, code, authenticator.lastCounter, now);
  if (!judged.ok) return { ...WRONG, clockOffSec: judged.clockOffSec };
  return {
    how: "code",
    record: { ...record, authenticator: { ...authenticator, lastCounter: judged.counter } },
  };
}

function spendRecovery(record: FactorRecord, code: string): Found | Wrong {
  const hash = sha256(canonicalCode(code));
  if (!record.recoveryHashes.includes(hash)) return WRONG;
  const recoveryHashes = record.recoveryHashes.filter((each) => each !== hash);
  return { how: "recovery", record: { ...record, recoveryHashes } };
}

const PERIOD_SEC = 30;
/** Codes of the period before and after hold too: clocks differ, and typing takes a while. */
const WINDOW = 1;
/** So far a wrong clock is looked for, to say so: ten minutes. */
const HINT_WINDOW = 20;

function judge(
  secret: string,
  text: string,
  lastCounter: number,
  now: number,
): { readonly ok: true; readonly counter: number } | {
  readonly ok: false;
  readonly clockOffSec: number | null;
} {
  const token = text.replace(/[\s-]/g, "");
  const totp = totpOf(secret, "", "");
  const counter = Math.floor(now / SECOND_MS / PERIOD_SEC);
  // 0 is the delta of the present code: null alone says that none fits.
  const delta = totp.validate({ token, window: WINDOW, timestamp: now });
  if (delta !== null && counter + delta > lastCounter) {
    return { ok: true, counter: counter + delta };
  }
  const far = delta === null ? totp.validate({ token, window: HINT_WINDOW, timestamp: now }) : null;
  return { ok: false, clockOffSec: far === null ? null : Math.abs(far) * PERIOD_SEC };
}

function totpOf(secret: string, issuer: string, label: string): TOTP {
  return new TOTP({
    issuer,
    label,
    secret: Secret.fromBase32(secret),
    algorithm: "SHA1",
    digits: 6,
    period: PERIOD_SEC,
  });
}

function placeOf(userId: string): string {
  return `authenticator ${userId}`;
}

/** What to say of a code that was not taken. @param clockOffSec see {@linkcode FactorProof} */
export function wrongCode(clockOffSec: number | null): string {
  return clockOffSec === null
    ? t("This code is not right, or was used before. Wait for the next one and try again.")
    : t(
      "This code is about {n} seconds off: the clock of your device or of this server is wrong. Set the time automatically, then try again.",
      { n: clockOffSec },
    );
}
