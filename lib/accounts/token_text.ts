/**
 * The texts of tokens: a prefix by which people and secret scanners know them, a secret, and check digits, so that a scanner
 * finds no token where there is none and a token that was cut short is refused without a look into the store. As GitHub's:
 * the CRC-32 of what stands before, in six digits of base 62.
 */
import { crc32 } from "node:zlib";

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** 62⁶ is more than 2³². */
const LENGTH = 6;

/** A token with its check digits. */
export function withCheckDigits(text: string): string {
  let left = crc32(text);
  let digits = "";
  for (let i = 0; i < LENGTH; i++) {
    digits = `${DIGITS[left % DIGITS.length]}${digits}`;
    left = Math.floor(left / DIGITS.length);
  }
  return text + digits;
}

/** Whether the last six characters are the check digits of those before. */
export function hasCheckDigits(token: string): boolean {
  return withCheckDigits(token.slice(0, -LENGTH)) === token;
}
