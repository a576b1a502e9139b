/** Seals the parts of a backup with the key of the settings: AES-256-GCM, by WebCrypto. */
import { Buffer } from "node:buffer";
import { createHmac, scryptSync } from "node:crypto";
import { ConfigError } from "../../core/config.ts";

export interface Cipher {
  /** The nonce, the ciphertext and its proof: the same for the same bytes, as backups share parts by their content. */
  seal(bytes: Uint8Array): Promise<Uint8Array>;
  /** @throws {DOMException} when the bytes were not sealed with this key, or were changed since */
  open(bytes: Uint8Array): Promise<Uint8Array>;
}

/** What a place of backups says of its key, without telling it. */
export interface KeyProof {
  /** Base64. */
  readonly salt: string;
  /** A known sentence, sealed. */
  readonly proof: string;
}

const NONCE_BYTES = 12;
const SALT_BYTES = 16;
const KEY_BYTES = 32;
/** Keys are chosen by people: trying one takes 64 MB and about a fifth of a second. */
const SCRYPT = { N: 2 ** 16, r: 8, p: 1, maxmem: 128 * 1024 * 1024 };
const SENTENCE = new TextEncoder().encode("This is a backup of Watchpost.");

/** A cipher for a place that has no backup yet, and what is to be kept there. */
export async function newCipher(
  key: string,
): Promise<{ readonly cipher: Cipher; readonly proof: KeyProof }> {
  const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES));
  const cipher = await cipherOf(key, salt);
  const proof = (await cipher.seal(SENTENCE)).toBase64();
  return { cipher, proof: { salt: salt.toBase64(), proof } };
}

/** @throws {ConfigError} when it is not the key that the place was begun with */
export async function knownCipher(key: string, { salt, proof }: KeyProof): Promise<Cipher> {
  const cipher = await cipherOf(key, Uint8Array.fromBase64(salt));
  try {
    await cipher.open(Uint8Array.fromBase64(proof));
    return cipher;
  } catch {
    throw new ConfigError(
      "The backup was encrypted with another key: set SERVICE_BACKUP_KEY to the one that it was made with",
    );
  }
}

async function cipherOf(key: string, salt: Uint8Array): Promise<Cipher> {
  const derived = scryptSync(key, salt, 2 * KEY_BYTES, SCRYPT);
  const name = "AES-GCM";
  const raw = Buffer.from(derived.subarray(0, KEY_BYTES));
  const secret = await crypto.subtle.importKey("raw", raw, name, false, ["encrypt", "decrypt"]);
  const nonceKey = derived.subarray(KEY_BYTES);
  return {
    async seal(bytes) {
      // No two contents have one nonce, and whoever reads the place learns no more than that two parts are the same.
      const digest = createHmac("sha256", nonceKey).update(bytes).digest();
      const iv = Buffer.from(digest.subarray(0, NONCE_BYTES));
      const sealed = await crypto.subtle.encrypt({ name, iv }, secret, Buffer.from(bytes));
      return Buffer.concat([iv, new Uint8Array(sealed)]);
    },
    async open(bytes) {
      const iv = Buffer.from(bytes.subarray(0, NONCE_BYTES));
      const rest = Buffer.from(bytes.subarray(NONCE_BYTES));
      return new Uint8Array(await crypto.subtle.decrypt({ name, iv }, secret, rest));
    },
  };
}
