import { t } from "../core/language/translate.ts";
import { storable } from "../core/errors.ts";
import type { SearchProblem } from "./search_grammar.ts";

/** A search as a tree; an `and` without nodes holds for everything. */
export type SearchNode =
  | { readonly kind: "and" | "or"; readonly nodes: readonly SearchNode[] }
  | { readonly kind: "not"; readonly node: SearchNode }
  | SearchFilter
  | SearchText;

/** `key:value`, `!key:value`, `key:[a, b]`, `"a key":value`, `tags[key]:value`. */
export interface SearchFilter extends Place {
  readonly kind: "filter";
  /** As typed. */
  readonly raw: string;
  readonly key: string;
  /** Whether the key was written as `tags[key]`: then it is a tag, whatever else has its name. */
  readonly isTag: boolean;
  readonly isNegated: boolean;
  readonly isList: boolean;
  /** At least one. */
  readonly values: readonly SearchValue[];
}

/** Bare words that follow each other, joined by single blanks, or what stood in quotes. */
export interface SearchText extends Place {
  readonly kind: "text";
  readonly value: SearchValue;
}

export interface SearchValue {
  /** The texts between stars that stand for anything: one of them when there is no such star. */
  readonly parts: readonly string[];
  readonly isQuoted: boolean;
}

/** Where something stands in the search as typed: UTF-16 units, the end excluded. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

interface SearchTree {
  readonly node: SearchNode;
  readonly problems: readonly (SearchProblem & Place)[];
}

/** Longer ones are no searches of people. */
export const MAX_SEARCH_LENGTH = 4_000;
const MAX_PARTS = 200;
const MAX_DEPTH = 20;
const MAX_VALUE_LENGTH = 200;
const MAX_TEXT_LENGTH = 1_000;

/**
 * Reads a search: terms that must all hold, `OR` between those of which one must, `AND`, parentheses, `!` before a key
 * or a parenthesis. Never throws: what makes no sense is named in `problems`, with its place, and otherwise left out.
 *
 * @param isKey whether a key has a meaning of its own. What looks like a key and is none, with nothing behind its
 * colon, `//` or a second colon, is text: `TypeError: x`, `https://a.example`, `Shop::pay`
 */
export function parseSearchTree(text: string, isKey: (key: string) => boolean): SearchTree {
  const reader = new Reader(storable(text), isKey);
  const node = reader.any(0);
  return { node, problems: reader.problems };
}

/** What a value says, stars included. */
export function textOf({ parts }: SearchValue): string {
  return parts.join("*");
}

/** The operators of Sentry's search bar, which stand between two U+F00D. */
const OPERATORS: Readonly<Record<string, { negates: boolean; before: boolean; after: boolean }>> = {
  contains: { negates: false, before: true, after: true },
  startswith: { negates: false, before: false, after: true },
  endswith: { negates: false, before: true, after: false },
  doesnotcontain: { negates: true, before: true, after: true },
  doesnotstartwith: { negates: true, before: false, after: true },
  doesnotendwith: { negates: true, before: true, after: false },
};

const BLANKS = /\s*/y;
const KEY =
  /(!?)(?:(tags|flags)\[([^\]\s"]{1,200})\]|"((?:[^"\\]|\\.){1,200})"|([A-Za-z0-9_.\-]+)):/y;
const BOOLEAN = /(AND|OR)(?=[\s()]|$)/y;
const MARKED = /\uF00D([A-Za-z]+)\uF00D/y;

class Reader {
  readonly problems: (SearchProblem & Place)[] = [];
  #at = 0;
  #parts = 0;
  /** Of parentheses that are open. */
  #depth = 0;

  constructor(private readonly text: string, private readonly isKey: (key: string) => boolean) {
    if (text.length <= MAX_SEARCH_LENGTH) return;
    this.text = "";
    const reason = t("A search has at most {most} characters", { most: MAX_SEARCH_LENGTH });
    this.problems.push({ part: text.slice(0, 20), reason, start: 0, end: text.length });
  }

  /** Terms with `OR` between some of them, to the end or to the parenthesis that closes them. */
  any(depth: number): SearchNode {
    const found: SearchNode[] = [];
    let nodes: SearchNode[] = [];
    let last: ({ word: string } & Place) | null = null;
    for (let isFirst = true;; isFirst = false) {
      this.#skip();
      if (this.#isAtEnd()) break;
      const word = this.#match(BOOLEAN)?.[1];
      if (word !== undefined) {
        const place = { start: this.#at - word.length, end: this.#at };
        if (isFirst || last !== null) {
          this.#wrong(place, t("{word} stands between two conditions", { word }));
        } else last = { word, ...place };
        if (word === "OR" && nodes.length > 0) {
          found.push(together(nodes));
          nodes = [];
        }
        continue;
      }
      last = null;
      const node = this.#term(depth);
      if (node !== null && node !== NOTHING) nodes.push(node);
    }
    if (last !== null) {
      this.#wrong(last, t("{word} stands between two conditions", { word: last.word }));
    }
    if (nodes.length > 0) found.push(together(nodes));
    const [only, ...others] = found;
    if (only === undefined) return { kind: "and", nodes: [] };
    return others.length === 0 ? only : { kind: "or", nodes: found };
  }

  #isAtEnd(): boolean {
    return this.#at >= this.text.length || (this.#depth > 0 && this.text[this.#at] === ")");
  }

  #term(depth: number): SearchNode | null {
    const start = this.#at;
    if (++this.#parts > MAX_PARTS) {
      this.#at = this.text.length;
      return this.#wrong(
        this.#from(start),
        t("A search has at most {most} conditions", { most: MAX_PARTS }),
      );
    }
    const isNegated = this.text.startsWith("!(", start);
    if (isNegated || this.text[start] === "(") return this.#group(depth, isNegated);
    if (this.text[start] === ")") {
      this.#at++;
      return this.#wrong(
        this.#from(start),
        t("Nothing opens this parenthesis: write it in quotes"),
      );
    }
    return this.#filter() ?? this.#phrase();
  }

  #group(depth: number, isNegated: boolean): SearchNode | null {
    const start = this.#at;
    this.#at += isNegated ? 2 : 1;
    if (depth >= MAX_DEPTH) {
      this.#at = this.text.length;
      return this.#wrong(
        this.#from(start),
        t("Parentheses go at most {most} deep", { most: MAX_DEPTH }),
      );
    }
    const problems = this.problems.length;
    this.#depth++;
    const node = this.any(depth + 1);
    this.#depth--;
    if (this.text[this.#at] !== ")") {
      return this.#wrong({ start, end: start + 1 }, t("Nothing closes this parenthesis"));
    }
    this.#at++;
    if (node.kind === "and" && node.nodes.length === 0) {
      if (this.problems.length > problems) return null;
      return this.#wrong(this.#from(start), t("Nothing stands between these parentheses"));
    }
    return isNegated ? { kind: "not", node } : node;
  }

  /** Null, having read nothing, where no key stands. */
  #filter(): SearchNode | null {
    const start = this.#at;
    const match = this.#match(KEY);
    if (match === null) return null;
    const [, bang, , tag, quoted, bare] = match;
    const key = tag ?? (quoted === undefined ? bare : unescaped(quoted)) ?? "";
    const isKnown = bare === undefined || this.isKey(bare);
    if (!isKnown && /^(?:$|[\s)]|\/\/|:)/.test(this.text.slice(this.#at, this.#at + 2))) {
      this.#at = start;
      return null;
    }
    const operator = this.#operator();
    const isList = this.text[this.#at] === "[" && this.#closesList();
    const values = isList ? this.#list() : this.#oneValue();
    const place = this.#from(start);
    if (typeof values === "string") return this.#nothing(place, values);
    if (operator === undefined) return this.#nothing(place, t("This operator is not known"));
    const [{ parts, isQuoted } = NO_VALUE] = values;
    if (!isList && !isQuoted && parts.length === 1 && parts[0] === "") {
      return this.#nothing(place, t('Write a value after {key}:, or {key}:"" for none', { key }));
    }
    if (values.some((value) => textOf(value).length > MAX_VALUE_LENGTH)) {
      return this.#nothing(
        place,
        t("Values have at most {most} characters", { most: MAX_VALUE_LENGTH }),
      );
    }
    return {
      kind: "filter",
      raw: this.text.slice(place.start, place.end),
      key,
      isTag: tag !== undefined,
      isNegated: (bang === "!") !== (operator?.negates ?? false),
      isList,
      values: operator === null ? values : values.map((value) => widened(value, operator)),
      ...place,
    };
  }

  /** Null for none, undefined for one that does not exist. */
  #operator() {
    const name = this.#match(MARKED)?.[1]?.toLowerCase();
    if (name === undefined) return null;
    return Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined;
  }

  /** Whether a list ends as one does: `[a]b` is a text. */
  #closesList(): boolean {
    const rest = this.text.slice(this.#at);
    const list = /^\[(?:"(?:[^"\\]|\\.)*"|[^"\]])*\](?=[\s()]|$)/.exec(rest);
    return list !== null || !rest.includes("]");
  }

  #list(): readonly SearchValue[] | string {
    const values: SearchValue[] = [];
    for (this.#at++;;) {
      this.#skip();
      const value = this.text[this.#at] === '"' ? this.#quoted() : this.#item();
      if (value === null) return t("The closing quote is missing");
      this.#skip();
      const next = this.text[this.#at];
      if (value.parts.length === 1 && value.parts[0] === "" && !value.isQuoted) {
        this.#at = this.#endOfList();
        return t("Nothing stands between two commas of this list, or in it");
      }
      values.push(value);
      this.#at++;
      if (next === "]") return values;
      if (next === ",") continue;
      this.#at = this.#endOfList();
      return next === undefined
        ? t("Nothing closes this list: write ]")
        : t("Write a comma between values");
    }
  }

  #endOfList(): number {
    const end = this.text.indexOf("]", this.#at - 1);
    return end === -1 ? this.text.length : end + 1;
  }

  #item(): SearchValue {
    const [raw = ""] = this.#match(/[^,\]"]*/y) ?? [];
    return bareValue(raw.trimEnd());
  }

  #oneValue(): readonly SearchValue[] | string {
    if (this.text[this.#at] !== '"') return [bareValue(this.#bare())];
    const value = this.#quoted();
    return value === null ? t("The closing quote is missing") : [value];
  }

  /** To the next blank, or to the parenthesis that was opened before this word. */
  #bare(): string {
    const start = this.#at;
    let open = 0;
    for (; this.#at < this.text.length; this.#at++) {
      const character = this.text.charAt(this.#at);
      if (/\s/.test(character)) break;
      if (character === "(") open++;
      if (character !== ")") continue;
      if (open === 0 && this.#depth > 0) break;
      open--;
    }
    return this.text.slice(start, this.#at);
  }

  /** Null, at the end of all, when nothing closes it. */
  #quoted(): SearchValue | null {
    const raw = this.#match(/"((?:[^"\\]|\\[^])*)"/y)?.[1];
    if (raw === undefined) {
      this.#at = this.text.length;
      return null;
    }
    return { parts: partsOf(raw, true), isQuoted: true };
  }

  #phrase(): SearchNode | null {
    const start = this.#at;
    if (this.text[start] === '"') {
      const value = this.#quoted();
      const place = this.#from(start);
      if (value === null) return this.#nothing(place, t("The closing quote is missing"));
      return textOf(value).trim() === "" ? null : this.#textNode(value, place);
    }
    const words: string[] = [];
    let end = start;
    do {
      words.push(this.#bare());
      end = this.#at;
      this.#skip();
    } while (!this.#isAtEnd() && this.#isWord());
    this.#at = end;
    return this.#textNode(bareValue(words.join(" ")), { start, end });
  }

  #textNode(value: SearchValue, place: Place): SearchNode | null {
    if (textOf(value).length <= MAX_TEXT_LENGTH) return { kind: "text", value, ...place };
    return this.#nothing(
      place,
      t("A text has at most {most} characters", { most: MAX_TEXT_LENGTH }),
    );
  }

  /** Whether a bare word follows, and nothing that has a meaning. */
  #isWord(): boolean {
    const start = this.#at;
    if (/^(?:["()]|!\()/.test(this.text.slice(start, start + 2))) return false;
    const isBoolean = this.#match(BOOLEAN) !== null;
    this.#at = start;
    if (isBoolean) return false;
    const problems = this.problems.length;
    const isFilter = this.#filter() !== null;
    this.problems.length = problems;
    this.#at = start;
    return !isFilter;
  }

  #skip(): void {
    this.#match(BLANKS);
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.text);
    if (match !== null) this.#at = pattern.lastIndex;
    return match;
  }

  #from(start: number): Place {
    return { start, end: this.#at };
  }

  #wrong({ start, end }: Place, reason: string): null {
    this.problems.push({ part: this.text.slice(start, end), reason, start, end });
    return null;
  }

  #nothing(place: Place, reason: string): SearchNode {
    this.#wrong(place, reason);
    return NOTHING;
  }
}

/** Instead of a condition that makes no sense: one did stand there, but it is left out. */
const NOTHING: SearchNode = { kind: "and", nodes: [] };
const NO_VALUE: SearchValue = { parts: [""], isQuoted: false };

function together(nodes: readonly SearchNode[]): SearchNode {
  const [only, ...others] = nodes;
  return only !== undefined && others.length === 0 ? only : { kind: "and", nodes };
}

function bareValue(raw: string): SearchValue {
  return { parts: partsOf(raw, false), isQuoted: false };
}

/** Divides at stars. `\*` is a star itself; in quotes, `\"` and `\\` are what follows the backslash. */
function partsOf(raw: string, isQuoted: boolean): string[] {
  const parts = [""];
  const tokens = raw.matchAll(isQuoted ? /\\([*"\\])|(\*)|[^]/g : /\\(\*)|(\*)|[^]/g);
  for (const [token, escaped, star] of tokens) {
    if (star !== undefined) parts.push("");
    else parts[parts.length - 1] += escaped ?? token;
  }
  return parts;
}

function unescaped(raw: string): string {
  return raw.replace(/\\(["\\])/g, "$1");
}

function widened(
  { parts, isQuoted }: SearchValue,
  { before, after }: { readonly before: boolean; readonly after: boolean } = {
    before: false,
    after: false,
  },
): SearchValue {
  return { parts: [...before ? [""] : [], ...parts, ...after ? [""] : []], isQuoted };
}
