import { createHash, timingSafeEqual } from "node:crypto";

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
