import { createHash, timingSafeEqual } from "node:crypto";
import type { Config } from "../core/config.ts";
import { withTimeLimit } from "../core/waiting.ts";
import { conflict, keyOf, KV_LIMIT_MS, untilCommitted } from "./kv.ts";

const TOKEN_BYTES = 32;

/** A secret of 256 random bits, as 43 characters of base64url. */
export function newSecret(): string {
  return crypto.getRandomValues(new Uint8Array(TOKEN_BYTES))
    .toBase64({ alphabet: "base64url", omitPadding: true });
}

/**
 * Random lower-case hex digits.
 *
 * @param bytes how many random bytes; two digits each
 */
export function randomHex(bytes: number): string {
  return crypto.getRandomValues(new Uint8Array(bytes)).toHex();
}

/** SHA-256 of a text's UTF-8 bytes, as 64 lower-case hex digits: enough for secrets of full entropy. */
export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Compares two secrets in a time that tells nothing about where, or by how many characters, they differ. */
export function sameSecret(left: string, right: string): boolean {
  return timingSafeEqual(digest(left), digest(right));
}

function digest(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}

/** Seals secrets that have to be read again, such as tokens of channels: AES-256-GCM. */
interface Sealer {
  /**
   * Encrypts a text.
   *
   * @param place what it belongs to: it opens for the same place only
   */
  seal(text: string, place: string): Promise<Uint8Array>;
  /**
   * Decrypts what `seal()` made.
   *
   * @throws {SealBroken} when it was sealed with another key or for another place, or was damaged
   */
  open(sealed: Uint8Array, place: string): Promise<string>;
}

/** What was sealed cannot be read any more: the key of this instance has changed. */
export class SealBroken extends Error {
  override name = "SealBroken";
}

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
/** First byte of everything sealed, for a later way of doing it. */
const VERSION = 1;

/**
 * Opens the sealer of this instance: by `SERVICE_SECRET_KEY`, or else by a random key that the first call puts
 * into KV.
 */
export async function openSealer(
  kv: Deno.Kv,
  { secretKey }: Pick<Config, "secretKey">,
): Promise<Sealer> {
  const bytes = secretKey === null ? await storedSecret(kv) : new TextEncoder().encode(secretKey);
  return sealerOf(await deriveKey(bytes));
}

interface SealStores {
  readonly kv: Deno.Kv;
  readonly config: Pick<Config, "secretKey">;
}

/**
 * Seals a value as JSON.
 *
 * @param place kind and ids of the row that it stands in: nobody can make it their own by putting it into another
 * @throws {TimeLimitExceeded} while KV is away
 */
export async function sealValue(
  { kv, config }: SealStores,
  place: string,
  value: unknown,
): Promise<Uint8Array> {
  const sealer = await withTimeLimit(openSealer(kv, config), KV_LIMIT_MS);
  return await sealer.seal(JSON.stringify(value), place);
}

/**
 * Opens what `sealValue()` made for the same place; null when the key of this instance is another one now.
 *
 * @throws {TimeLimitExceeded} while KV is away
 */
export async function openValue<Value>(
  { kv, config }: SealStores,
  place: string,
  sealed: Uint8Array,
): Promise<Value | null> {
  const sealer = await withTimeLimit(openSealer(kv, config), KV_LIMIT_MS);
  try {
    // Whoever seals it knows its shape.
    return JSON.parse(await sealer.open(sealed, place)) as Value;
  } catch (error) {
    if (error instanceof SealBroken) return null;
    throw error;
  }
}

/** Signs texts that this instance alone could have signed, such as the parts of an address. */
export interface Signer {
  /**
   * @param text what is signed; the same text always has the same signature
   * @returns 32 lower-case hex digits, of HMAC-SHA-256
   */
  sign(text: string): Promise<string>;
}

/** Characters of a signature: 128 bits. */
const SIGNATURE_LENGTH = 32;

/** Opens the signer of this instance, by the same secret as `openSealer()`. */
export async function openSigner(
  kv: Deno.Kv,
  { secretKey }: Pick<Config, "secretKey">,
): Promise<Signer> {
  const bytes = secretKey === null ? await storedSecret(kv) : new TextEncoder().encode(secretKey);
  const base = await crypto.subtle.importKey("raw", bytes.slice(), "HKDF", false, ["deriveKey"]);
  const key = await crypto.subtle.deriveKey(
    {
      name: "HKDF",
      hash: "SHA-256",
      salt: new Uint8Array(),
      info: new TextEncoder().encode("watchpost sign"),
    },
    base,
    { name: "HMAC", hash: "SHA-256", length: 8 * KEY_BYTES },
    false,
    ["sign"],
  );
  return {
    async sign(text) {
      const signed = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(text));
      return new Uint8Array(signed).toHex().slice(0, SIGNATURE_LENGTH);
    },
  };
}

/** The random secret in KV; made when there is none. */
function storedSecret(kv: Deno.Kv): Promise<Uint8Array> {
  return untilCommitted("make the master secret", async () => {
    const entry = await kv.get<Uint8Array>(keyOf.masterSecret());
    if (entry.value !== null) return entry.value;
    const made = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
    return (await kv.atomic().check(entry).set(entry.key, made).commit()).ok ? made : conflict;
  });
}

/** A key of full length out of a text of any. */
async function deriveKey(secret: Uint8Array): Promise<CryptoKey> {
  const base = await crypto.subtle.importKey("raw", secret.slice(), "HKDF", false, ["deriveKey"]);
  return await crypto.subtle.deriveKey(
    {
      name: "HKDF",
      hash: "SHA-256",
      salt: new Uint8Array(),
      info: new TextEncoder().encode("watchpost seal"),
    },
    base,
    { name: "AES-GCM", length: 8 * KEY_BYTES },
    false,
    ["encrypt", "decrypt"],
  );
}

function sealerOf(key: CryptoKey): Sealer {
  const parameters = (iv: Uint8Array<ArrayBuffer>, place: string) => ({
    name: "AES-GCM",
    iv,
    additionalData: new TextEncoder().encode(place),
  });
  return {
    async seal(text, place) {
      const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
      const encrypted = await crypto.subtle.encrypt(
        parameters(nonce, place),
        key,
        new TextEncoder().encode(text),
      );
      return new Uint8Array([VERSION, ...nonce, ...new Uint8Array(encrypted)]);
    },
    async open(sealed, place) {
      try {
        if (sealed[0] !== VERSION) throw new RangeError("Unknown version");
        const nonce = new Uint8Array(sealed.slice(1, 1 + NONCE_BYTES));
        const encrypted = new Uint8Array(sealed.slice(1 + NONCE_BYTES));
        const text = await crypto.subtle.decrypt(parameters(nonce, place), key, encrypted);
        return new TextDecoder().decode(text);
      } catch (cause) {
        throw new SealBroken("The key that this was sealed with is not the instance's.", { cause });
      }
    },
  };
}
