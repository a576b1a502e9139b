/** Codes that people read and type: of the setup, and for who has lost their second factor. */

/** Crockford's alphabet: no letter that looks like a digit. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const GROUP_LENGTH = 4;

/** A random code of so many groups of four characters, each of five bits: `7KQ4-M2XP-9TRD`. */
export function newCode(groups: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(groups * GROUP_LENGTH));
  const characters = [...bytes].map((byte) => ALPHABET.charAt(byte % ALPHABET.length));
  return Array.from(
    { length: groups },
    (_, group) => characters.slice(group * GROUP_LENGTH, (group + 1) * GROUP_LENGTH).join(""),
  ).join("-");
}

/** Takes what people make of a code when they type it: case, blanks, O for 0, I and L for 1. */
export function canonicalCode(text: string): string {
  return text.slice(0, 100).toUpperCase().replace(/[^0-9A-Z]/g, "").replace(/O/g, "0")
    .replace(/[IL]/g, "1");
}
