/** What both readers of statements, SQL's and JSON's, do with names and strings. */

const LONG_DIGITS = /\d{4,}/g;

/** A name without digits that somebody counts or dates with: `events_20261121` → `events_?`. */
export function foldDigits(name: string): string {
  return name.length < 4 ? name : name.replace(LONG_DIGITS, "?");
}

/**
 * The place after the string that begins at `at`: a quote is escaped by a backslash or by another quote. The end of the
 * text when nothing closes it.
 */
export function endOfString(text: string, at: number): number {
  const quote = text[at];
  for (let i = at + 1; i < text.length; i++) {
    const char = text[i];
    if (char === "\\") i++;
    else if (char === quote && text[i + 1] === quote) i++;
    else if (char === quote) return i + 1;
  }
  return text.length;
}

const NUMBER = /(?:0x[\da-f]+|\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?)/iy;

/** The place after the number that begins at `at`, which is a digit. */
export function endOfNumber(text: string, at: number): number {
  NUMBER.lastIndex = at;
  return at + (NUMBER.exec(text)?.[0].length ?? 1);
}

/** The place after the word that begins at `at`; `at` itself when none does. Everything beyond ASCII is in words. */
export function endOfWord(text: string, at: number): number {
  let end = at;
  while (isWordCode(text.charCodeAt(end))) end++;
  return end;
}

const DOLLAR = 0x24;
const UNDERSCORE = 0x5f;

/** False for what comes from beyond the end of a text. */
function isWordCode(code: number): boolean {
  const lower = code | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || (code >= 0x30 && code <= 0x39) ||
    code === UNDERSCORE || code === DOLLAR || code > 0x7f;
}
