import { hash } from "node:crypto";

/** Cannot occur in what is hashed as one value, so that two lists never read the same. */
const SEPARATOR = "\u001f";

/**
 * The hash of a group: 32 lower-case hex digits over what contributes.
 *
 * @param strategy keeps equal values apart that mean different things
 */
export function groupHash(strategy: string, values: readonly string[]): string {
  return md5(strategy + SEPARATOR + values.join(SEPARATOR));
}

/** MD5 as 32 lower-case hex digits: an identity here, not a protection. */
export function md5(text: string): string {
  return hash("md5", text, "hex");
}
