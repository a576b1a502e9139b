/** Issues that the text of a commit says it fixes. */

/** A project's slug and a number in Crockford's base 32, as `SHOP-1A`. */
const SHORT_ID = "[A-Za-z][A-Za-z0-9_-]*-[0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{1,13}";
const FIXES = new RegExp(
  `\\b(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?):?\\s+(${SHORT_ID}(?:(?:\\s*,\\s*|\\s+)${SHORT_ID})*)\\b`,
  "gi",
);
const MAX_LENGTH = 10_000;
const MAX_FIXES = 50;

/**
 * The short ids behind words such as `fixes`, `closes` and `resolves`, in capitals, each once. What is not the short id
 * of an issue may look like one: `fixes UTF-8`.
 */
export function fixesIn(message: string): string[] {
  const found = [...message.slice(0, MAX_LENGTH).matchAll(FIXES)]
    .flatMap(([, ids = ""]) => ids.split(/[\s,]+/))
    .map((id) => id.toUpperCase());
  return [...new Set(found)].slice(0, MAX_FIXES);
}
