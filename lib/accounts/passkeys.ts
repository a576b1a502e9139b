/**
 * Passkeys (WebAuthn): as a second factor beside the password, and as the only thing shown. The library is loaded on use: it
 * takes a second, and most processes never need it.
 */
import { isIP } from "node:net";
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
  WebAuthnCredential,
} from "@simplewebauthn/server";
import { InvalidInput } from "../core/errors.ts";
import { t } from "../core/language/translate.ts";
import { addAudit } from "./audit.ts";
import { conflict, keyOf, prefixOf, readIndex, readMany, untilCommitted } from "./kv.ts";
import { checkName } from "./names.ts";
import { findUser, type User } from "./users.ts";

export interface Passkey {
  /** The credential's, base64url. */
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly publicKey: Uint8Array<ArrayBuffer>;
  readonly counter: number;
  readonly transports: readonly string[];
  readonly deviceType: string;
  /** Kept by its owner's account elsewhere, and on more than one device. */
  readonly isBackedUp: boolean;
  /** Model of the authenticator. */
  readonly aaguid: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

/** Whom passkeys are made for: the host of this service. */
export interface RelyingParty {
  readonly id: string;
  readonly origin: string;
}

/**
 * The relying party of this service, or null where browsers allow no passkeys: at an IP address, and without https but on
 * this machine.
 *
 * @param baseUrl `Config.baseUrl`
 */
export function relyingParty(baseUrl: string): RelyingParty | null {
  const { hostname, origin, protocol } = new URL(baseUrl);
  if (isIP(hostname.replace(/^\[|\]$/g, "")) !== 0) return null;
  if (protocol !== "https:" && hostname !== "localhost") return null;
  return { id: hostname, origin };
}

/** Of one person; nobody has so many devices. */
const MAX_PASSKEYS = 20;
const TIMEOUT_MS = 120_000;
/** Longer than any credential's id: 1,023 bytes in base64url. */
const MAX_ID_LENGTH = 1_364;

/** The passkeys of a person, oldest first. */
export async function listPasskeys(kv: Deno.Kv, userId: string): Promise<Passkey[]> {
  const ids = await readIndex(kv, prefixOf.passkeys(userId));
  const passkeys = await readMany<Passkey>(kv, ids.map((id) => keyOf.passkey(id)));
  return passkeys.sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
}

/**
 * What a browser needs to make a passkey. It asks for one that can be found without a name and that checks its owner, so
 * that it can be the only thing shown; a security key that can do neither is still a second factor.
 */
export async function registrationOptions(
  kv: Deno.Kv,
  user: User,
  { id }: RelyingParty,
  challenge: Uint8Array<ArrayBuffer>,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await import("@simplewebauthn/server");
  const passkeys = await listPasskeys(kv, user.id);
  return await generateRegistrationOptions({
    rpName: "Watchpost",
    rpID: id,
    userName: user.email,
    userDisplayName: user.name,
    userID: await handleOf(kv, user.id),
    challenge,
    timeout: TIMEOUT_MS,
    excludeCredentials: passkeys.map((passkey) => ({ id: passkey.id })),
    authenticatorSelection: { residentKey: "preferred", userVerification: "preferred" },
  });
}

/** What authenticators know a person by. */
function handleOf(kv: Deno.Kv, userId: string): Promise<Uint8Array<ArrayBuffer>> {
  return untilCommitted("make the handle", async () => {
    const entry = await kv.get<Uint8Array<ArrayBuffer>>(keyOf.passkeyHandle(userId));
    if (entry.value !== null) return entry.value;
    const made = crypto.getRandomValues(new Uint8Array(32));
    return (await kv.atomic().check(entry).set(entry.key, made).commit()).ok ? made : conflict;
  });
}

interface NewPasskey {
  /** What the browser answered to the options, as it came. */
  readonly response: unknown;
  /** Base64url: that of the options. */
  readonly challenge: string;
  readonly name: string;
}

/**
 * Adds a passkey to an account.
 *
 * @throws {InvalidInput} when it is not right, known already, or one too many
 */
export async function addPasskey(
  kv: Deno.Kv,
  user: User,
  { id: expectedRPID, origin: expectedOrigin }: RelyingParty,
  { response, challenge, name }: NewPasskey,
): Promise<Passkey> {
  const checkedName = checkName("name", name);
  const { verifyRegistrationResponse } = await import("@simplewebauthn/server");
  // Its type is what the library checks.
  const verified = await verifyRegistrationResponse({
    response: response as RegistrationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin,
    expectedRPID,
    requireUserVerification: false,
  }).catch(() => null);
  if (verified === null || !verified.verified) {
    throw new InvalidInput("passkey", t("This passkey could not be checked. Try again."));
  }
  const { credential, credentialDeviceType, credentialBackedUp, aaguid } =
    verified.registrationInfo;
  const passkey: Passkey = {
    id: credential.id,
    userId: user.id,
    name: checkedName,
    publicKey: new Uint8Array(credential.publicKey),
    counter: credential.counter,
    transports: credential.transports ?? [],
    deviceType: credentialDeviceType,
    isBackedUp: credentialBackedUp,
    aaguid,
    createdAt: new Date(),
    lastUsedAt: null,
  };
  return await untilCommitted<Passkey>("add the passkey", async () => {
    const known = await kv.get(keyOf.passkey(passkey.id));
    if (known.value !== null || passkey.id.length > MAX_ID_LENGTH) {
      throw new InvalidInput("passkey", t("This passkey is in use already."), "taken");
    }
    if ((await readIndex(kv, prefixOf.passkeys(user.id))).length >= MAX_PASSKEYS) {
      throw new InvalidInput("passkey", t("You have many passkeys: remove one first."));
    }
    const atomic = kv.atomic().check(known)
      .set(known.key, passkey)
      .set(keyOf.passkeyOf(user.id, passkey.id), passkey.id);
    audit(atomic, user, "user.mfa.add", [null, `passkey ${passkey.name}`]);
    return (await atomic.commit()).ok ? passkey : conflict;
  });
}

/**
 * What a browser needs to use a passkey.
 *
 * @param userId whose; null: whoever has one for this service
 */
export async function authenticationOptions(
  kv: Deno.Kv,
  { id }: RelyingParty,
  challenge: Uint8Array<ArrayBuffer>,
  userId: string | null,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await import("@simplewebauthn/server");
  const passkeys = userId === null ? [] : await listPasskeys(kv, userId);
  return await generateAuthenticationOptions({
    rpID: id,
    challenge,
    timeout: TIMEOUT_MS,
    allowCredentials: passkeys.map((passkey) => ({ id: passkey.id })),
    // Alone it has to stand for both factors: whoever finds the device must not get in.
    userVerification: userId === null ? "required" : "preferred",
  });
}

interface ShownPasskey {
  /** What the browser answered to the options, as it came. */
  readonly response: unknown;
  /** Base64url: that of the options. */
  readonly challenge: string;
  /** Whose it has to be; null: it stands alone, and must have checked its owner. */
  readonly userId: string | null;
}

/** Judges a passkey that was shown. @returns whose it is, or null when it is not right */
export async function provePasskey(
  kv: Deno.Kv,
  { id: expectedRPID, origin: expectedOrigin }: RelyingParty,
  { response, challenge, userId }: ShownPasskey,
  now: number = Date.now(),
): Promise<User | null> {
  const answer = readAnswer(response);
  if (answer === null) return null;
  const entry = await kv.get<Passkey>(keyOf.passkey(answer.id));
  const passkey = entry.value;
  if (passkey === null || (userId !== null && passkey.userId !== userId)) return null;
  if (!await isOwnHandle(kv, passkey.userId, answer.response.userHandle)) return null;
  const { verifyAuthenticationResponse } = await import("@simplewebauthn/server");
  const verified = await verifyAuthenticationResponse({
    response: answer,
    expectedChallenge: challenge,
    expectedOrigin,
    expectedRPID,
    credential: credentialOf(passkey),
    requireUserVerification: userId === null,
  }).catch(() => null);
  if (verified === null || !verified.verified) return null;
  const used: Passkey = {
    ...passkey,
    counter: verified.authenticationInfo.newCounter,
    isBackedUp: verified.authenticationInfo.credentialBackedUp,
    lastUsedAt: new Date(now),
  };
  // Over what was judged only: a counter that somebody else has moved does not hold twice.
  const committed = await kv.atomic().check(entry).set(entry.key, used).commit();
  return committed.ok ? await findUser(kv, passkey.userId) : null;
}

function credentialOf({ id, publicKey, counter }: Passkey): WebAuthnCredential {
  return { id, publicKey, counter };
}

/** What cannot be an answer of a passkey is none; the rest is for the library to judge. */
function readAnswer(response: unknown): AuthenticationResponseJSON | null {
  if (typeof response !== "object" || response === null || !("id" in response)) return null;
  if (!("response" in response) || typeof response.response !== "object") return null;
  if (typeof response.id !== "string" || response.id.length > MAX_ID_LENGTH) return null;
  return response.response === null ? null : response as AuthenticationResponseJSON;
}

/** Authenticators that tell whom they mean have to mean the passkey's owner. */
async function isOwnHandle(
  kv: Deno.Kv,
  userId: string,
  handle: string | undefined,
): Promise<boolean> {
  if (handle === undefined || handle === "") return true;
  const { value } = await kv.get<Uint8Array<ArrayBuffer>>(keyOf.passkeyHandle(userId));
  return value?.toBase64({ alphabet: "base64url", omitPadding: true }) === handle;
}

/**
 * Names a passkey anew.
 *
 * @throws {InvalidInput} for a malformed name
 */
export async function renamePasskey(
  kv: Deno.Kv,
  user: User,
  id: string,
  name: string,
): Promise<void> {
  const checked = checkName("name", name);
  await changePasskey(kv, user, id, (atomic, entry) => {
    atomic.set(entry.key, { ...entry.value, name: checked });
    audit(atomic, user, "user.edit", [entry.value.name, checked]);
    return Promise.resolve();
  });
}

/**
 * Removes a passkey.
 *
 * @param hasOtherWayIn whether its owner can sign in without any passkey
 * @throws {InvalidInput} for the last way in
 */
export async function removePasskey(
  kv: Deno.Kv,
  user: User,
  id: string,
  hasOtherWayIn: () => Promise<boolean>,
): Promise<void> {
  await changePasskey(kv, user, id, async (atomic, entry) => {
    const ids = await readIndex(kv, prefixOf.passkeys(user.id));
    if (ids.length <= 1 && !await hasOtherWayIn()) {
      throw new InvalidInput(
        "passkey",
        t("This is your only way to sign in: set a password or add another passkey first."),
      );
    }
    atomic.delete(entry.key).delete(keyOf.passkeyOf(user.id, id));
    audit(atomic, user, "user.mfa.remove", [`passkey ${entry.value.name}`, null]);
  });
}

/** Nothing happens when it is somebody else's or none. */
async function changePasskey(
  kv: Deno.Kv,
  user: User,
  id: string,
  change: (atomic: Deno.AtomicOperation, entry: Deno.KvEntry<Passkey>) => Promise<void>,
): Promise<void> {
  if (id.length > MAX_ID_LENGTH) return;
  await untilCommitted("change the passkey", async () => {
    const entry = await kv.get<Passkey>(keyOf.passkey(id));
    if (entry.value === null || entry.value.userId !== user.id) return null;
    const atomic = kv.atomic().check(entry);
    await change(atomic, entry);
    return (await atomic.commit()).ok ? null : conflict;
  });
}

function audit(
  atomic: Deno.AtomicOperation,
  { id, email }: User,
  event: string,
  passkey: readonly [string | null, string | null],
): void {
  addAudit(atomic, {
    event,
    organizationId: null,
    target: { kind: "user", id, label: email },
    changes: { passkey },
  });
}
