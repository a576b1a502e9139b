import { t } from "../core/language/translate.ts";
import { storable } from "../core/errors.ts";

/** A word of a search: free text, or `key:value`. */
interface SearchToken {
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
function searchTokens(text: string): SearchToken[] {
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

/** A part of a search that is not understood. */
export interface SearchProblem {
  /** As typed. */
  readonly part: string;
  readonly reason: string;
  /** Where the part stands in the search, the end excluded; absent where nobody knows. */
  readonly start?: number;
  readonly end?: number;
}

/** What a value means behind its key, or the reason why it means nothing there. */
export type ReadValue<Meaning> = (
  value: string,
  /** What relative times count from, and whether the condition must not hold. */
  about: { readonly now: Date; readonly isNegated: boolean },
) => Meaning | { readonly reason: string };

/** The keys of what is searched; the rest of the grammar is the same everywhere. */
interface SearchGrammar<Meaning> {
  /** Keys with a meaning of their own, in lower case. */
  readonly keys: Readonly<Record<string, ReadValue<Meaning>>>;
  /** What every other key means. */
  readonly otherKey: (key: string, value: string) => Meaning;
  /** Words that mean more than themselves. @default none do */
  readonly word?: (value: string) => Meaning | null;
}

/** A search, understood. */
interface ParsedSearch<Meaning> {
  readonly words: readonly string[];
  readonly found: readonly { readonly token: SearchToken; readonly meaning: Meaning }[];
  readonly problems: readonly SearchProblem[];
}

const MAX_VALUE_LENGTH = 200;

/**
 * Understands what was typed into a search box: words, `key:value`, `key:"a value"`, `*` in values, `!key:value`. Never
 * throws: parts that make no sense are named in `problems` and otherwise left out.
 *
 * @param now what relative times count from
 */
export function parseSearch<Meaning extends object>(
  text: string,
  grammar: SearchGrammar<Meaning>,
  now: Date = new Date(),
): ParsedSearch<Meaning> {
  const words: string[] = [];
  const found: { token: SearchToken; meaning: Meaning }[] = [];
  const problems: SearchProblem[] = [];
  for (const token of searchTokens(storable(text))) {
    const understood = understand(token, grammar, now);
    if (understood === null) words.push(wordOf(token).slice(0, MAX_VALUE_LENGTH));
    else if ("reason" in understood) problems.push({ part: token.raw, reason: understood.reason });
    else found.push({ token, meaning: understood });
  }
  return { words: words.filter((word) => word !== ""), found, problems };
}

function understand<Meaning extends object>(
  token: SearchToken,
  { keys, otherKey, word = () => null }: SearchGrammar<Meaning>,
  now: Date,
): Meaning | { readonly reason: string } | null {
  const { key, value, isOpen } = token;
  if (isOpen) return { reason: t("The closing quote is missing") };
  if (key === null) return word(value);
  const known = key.toLowerCase();
  const read = Object.hasOwn(keys, known) ? keys[known] : undefined;
  if (read === undefined && isPasted(token)) return null;
  if (value === "") return { reason: t("Write a value after {key}:", { key }) };
  if (value.length > MAX_VALUE_LENGTH) {
    return { reason: t("Values have at most {most} characters", { most: MAX_VALUE_LENGTH }) };
  }
  return read?.(value, { now, isNegated: token.negated }) ?? otherKey(key, value);
}

/**
 * Titles and addresses look as if they had keys: `TypeError: x`, `Users::show`, `https://a.example`. What stands in
 * quotes was put there on purpose.
 */
function isPasted({ raw }: SearchToken): boolean {
  return /^!?[^:]+:(?:$|\/\/|:)/.test(raw);
}

function wordOf({ key, raw, value }: SearchToken): string {
  return key === null ? value : raw;
}
