/** A word of a search: free text, or `key:value`. */
export interface SearchToken {
  /** As typed. */
  readonly raw: string;
  readonly negated: boolean;
  /** Null for free text. */
  readonly key: string | null;
  /** Without its quotes. */
  readonly value: string;
  /** Whether the closing quote is missing. */
  readonly isOpen: boolean;
}

const MAX_TOKENS = 50;
/** `!key:"a value"`, `key:value`, `"two words"`, `word`. A quote that is never closed runs to the end. */
const TOKEN = /(!)?(?:([A-Za-z0-9_.\-]+):)?(?:"((?:[^"\\]|\\.)*)("|$)|(\S*))/y;

/** Splits a search into its words, at most 50 of them. Any text can be split. */
export function searchTokens(text: string): SearchToken[] {
  const tokens: SearchToken[] = [];
  let position = 0;
  while (position < text.length && tokens.length < MAX_TOKENS) {
    if (/\s/.test(text.charAt(position))) {
      position++;
      continue;
    }
    TOKEN.lastIndex = position;
    const match = TOKEN.exec(text);
    const raw = match?.[0] ?? "";
    if (match === null || raw === "") break;
    position += raw.length;
    const [, bang, key, quoted, closing, bare = ""] = match;
    const isQuoted = quoted !== undefined;
    // `!` before plain text is text: nobody writes "not this word" that way by intention.
    const isPlain = key === undefined;
    tokens.push({
      raw,
      negated: bang !== undefined && !isPlain,
      key: key ?? null,
      value: isQuoted ? quoted.replace(/\\(.)/g, "$1") : isPlain && bang ? `!${bare}` : bare,
      isOpen: isQuoted && closing === "",
    });
  }
  return tokens;
}
