const LITERAL = "?";
/** Stands where a secret was. */
const FILTERED = "[Filtered]";
const DOLLAR_QUOTE = /\$[A-Za-z_]*\$/y;
const PLACEHOLDER = /(?:\$\d+|%s|%\(\w+\)s|[:@][A-Za-z_]\w*)/y;
/** JDBC's `{call …}` and the names of SQL Server are no JSON. */
const JSON_START = /^(?:\{\s{0,3}(?:["'}]|[\w$]{1,60}\s?:)|\[\s{0,3}[{"])/;
const BLANK = /\s/;
/** Of `VALUES` and `SELECT`. */
const KEYWORD_LENGTH = 6;
/** After these a sign belongs to the number, and double quotes hold a text: it is no name. */
const OPERATORS: ReadonlySet<string> = new Set(["=", "<", ">", "LIKE", "ILIKE"]);
const BEFORE_SIGN: ReadonlySet<string> = new Set(
  ["(", ",", "=", "<", ">", "+", "-", "*", "/", "AND", "BETWEEN", "ELSE", "LIMIT", "OFFSET"].concat(
    ["OR", "RETURN", "SELECT", "THEN", "WHEN", "WHERE"],
  ),
);

/** Goes once through a statement and writes down what is no literal. */
export class StatementScanner {
  readonly #text: string;
  readonly #maxLength: number;
  #at = 0;
  #isAfterBlank = false;
  readonly #tokens: string[] = [];
  /** Which tokens have a blank before them. */
  readonly #blanks: boolean[] = [];
  #length = 0;
  #depth = 0;
  /** Within rows of values, of which one stands for all, at this depth; else null. */
  #mutedAt: number | null = null;
  #isAfterValues = false;
  /** Within the values of an `IN (…)` at this depth; else null. */
  #listedAt: number | null = null;

  constructor(text: string, maxLength: number) {
    this.#text = text;
    this.#maxLength = maxLength;
  }

  /** The statement without its literals, at most as long as allowed. */
  run(): string {
    while (this.#at < this.#text.length && this.#length <= this.#maxLength) this.#step();
    if (this.#last() === ";") this.#pop();
    const result = this.#tokens.map((token, i) => this.#blanks[i] === true ? ` ${token}` : token);
    return result.join("").trim().slice(0, this.#maxLength).toWellFormed();
  }

  #step(): void {
    const text = this.#text;
    const char = text[this.#at] ?? "";
    if (char === " ") return this.#skipTo(this.#at + 1);
    const wordEnd = char === "$" ? this.#at : endOfWord(text, this.#at);
    if (wordEnd > this.#at && !(char >= "0" && char <= "9")) return this.#word(wordEnd);
    if (BLANK.test(char)) return this.#skipTo(this.#at + 1);
    if (char === "'") return this.#literal(endOfString(text, this.#at));
    if (char === '"') return this.#doubleQuoted();
    if (char === "`") return this.#name(endOfString(text, this.#at));
    if (char >= "0" && char <= "9") return this.#number();
    const comment = this.#endOfComment(char);
    if (comment !== null) return this.#skipTo(comment);
    const placeholder = this.#endOfPlaceholder(char);
    if (placeholder !== null) return this.#literal(placeholder);
    const isBracket = char === "{" || char === "[";
    if (isBracket && JSON_START.test(text.slice(this.#at, this.#at + 80))) {
      return this.#json();
    }
    this.#mark(char);
  }

  #skipTo(end: number): void {
    this.#isAfterBlank = true;
    this.#at = end;
  }

  #endOfComment(char: string): number | null {
    const next = this.#text[this.#at + 1];
    const isLine = (char === "-" && next === "-") ||
      (char === "#" && next === " " && (this.#isAfterBlank || this.#at === 0));
    if (!isLine && !(char === "/" && next === "*")) return null;
    const end = this.#text.indexOf(isLine ? "\n" : "*/", this.#at + 2);
    return end < 0 ? this.#text.length : end + (isLine ? 1 : 2);
  }

  /** `?`, `$1`, `%s`, `:name`, `@name` and whole texts in dollar quotes; `::text` and `@@version` are none. */
  #endOfPlaceholder(char: string): number | null {
    const text = this.#text;
    if (char === "?") return this.#at + 1;
    if (char === "[" && text.startsWith(FILTERED, this.#at)) return this.#at + FILTERED.length;
    if (char !== "$" && char !== "%" && char !== ":" && char !== "@") return null;
    const before = text[this.#at - 1] ?? "";
    if (before === char || (char === ":" && /\w/.test(before))) return null;
    PLACEHOLDER.lastIndex = this.#at;
    const match = PLACEHOLDER.exec(text)?.[0];
    if (match !== undefined) return this.#at + match.length;
    DOLLAR_QUOTE.lastIndex = this.#at;
    const tag = char === "$" ? DOLLAR_QUOTE.exec(text)?.[0] : undefined;
    if (tag === undefined) return null;
    const end = text.indexOf(tag, this.#at + tag.length);
    return end < 0 ? text.length : end + tag.length;
  }

  #number(): void {
    const sign = this.#last();
    if ((sign === "-" || sign === "+") && BEFORE_SIGN.has(this.#last(2).toUpperCase())) this.#pop();
    this.#literal(endOfNumber(this.#text, this.#at));
  }

  /** MySQL writes texts so, everybody else names. */
  #doubleQuoted(): void {
    const end = endOfString(this.#text, this.#at);
    const before = this.#last().toUpperCase();
    const isListed = (before === "(" && this.#last(2).toUpperCase() === "IN") ||
      (before === "," && this.#last(2) === LITERAL && this.#listedAt !== null);
    const isText = (OPERATORS.has(before) || isListed) && this.#text[end] !== ".";
    if (isText) this.#literal(end);
    else this.#name(end);
  }

  #name(end: number): void {
    const name = foldDigits(this.#text.slice(this.#at, end));
    this.#at = end;
    this.#push(this.#isLast("SAVEPOINT") ? LITERAL : name);
  }

  #word(end: number): void {
    const length = end - this.#at;
    // N'…', E'…', x'…'
    const isPrefix = length === 1 && this.#text[end] === "'";
    if (isPrefix) return this.#literal(endOfString(this.#text, end));
    const keyword = length === KEYWORD_LENGTH ? this.#text.slice(this.#at, end).toUpperCase() : "";
    this.#isAfterValues = keyword === "VALUES";
    if (keyword === "SELECT") this.#listedAt = null;
    this.#name(end);
  }

  #json(): void {
    const { text, end } = readJsonStatement(this.#text, this.#at, this.#maxLength);
    this.#at = end;
    this.#push(text);
  }

  #mark(char: string): void {
    this.#at++;
    if (char === "(") return this.#openParenthesis();
    if (char === ")") return this.#closeParenthesis();
    if (char !== ",") this.#isAfterValues = false;
    this.#push(char);
  }

  #openParenthesis(): void {
    if (this.#isLast("IN")) this.#listedAt ??= this.#depth;
    this.#push("(");
    if (this.#isAfterValues && this.#mutedAt === null) {
      this.#push(LITERAL);
      this.#mutedAt = this.#depth;
    }
    this.#depth++;
  }

  #closeParenthesis(): void {
    this.#depth--;
    if (this.#listedAt !== null && this.#depth <= this.#listedAt) this.#listedAt = null;
    if (this.#mutedAt !== null && this.#depth <= this.#mutedAt) {
      this.#mutedAt = null;
      this.#isAfterBlank = false;
      // It ended with the first word within.
      this.#isAfterValues = true;
    }
    if (this.#mutedAt === null && this.#isOneMoreRow()) {
      for (let i = 0; i < 3; i++) this.#pop();
      this.#isAfterBlank = false;
      return;
    }
    this.#push(")");
  }

  /** `(?), (?` */
  #isOneMoreRow(): boolean {
    return ["?", "(", ",", ")", "?", "("].every((token, i) => this.#last(i + 1) === token);
  }

  #literal(end: number): void {
    this.#at = end;
    const isOneMore = this.#last() === "," && this.#last(2) === LITERAL;
    if (isOneMore && this.#mutedAt === null) {
      this.#pop();
      this.#isAfterBlank = false;
    } else this.#push(LITERAL);
  }

  #push(text: string): void {
    if (this.#mutedAt === null) {
      this.#tokens.push(text);
      this.#blanks.push(this.#isAfterBlank);
      this.#length += text.length;
    }
    this.#isAfterBlank = false;
  }

  #pop(): void {
    this.#length -= this.#tokens.pop()?.length ?? 0;
    this.#isAfterBlank = this.#blanks.pop() ?? false;
  }

  /** The `n`th token from the end. */
  #last(n = 1): string {
    return this.#tokens[this.#tokens.length - n] ?? "";
  }

  /** Whether the last token is this keyword, which is in capitals here. */
  #isLast(keyword: string): boolean {
    const last = this.#last();
    return last.length === keyword.length && last.toUpperCase() === keyword;
  }
}

const MAX_KEY = 64;
const LITERALS: ReadonlySet<string> = new Set(["true", "false", "null"]);

/**
 * Reads a command of MongoDB or another that is JSON, or looks like it, from the bracket at `start`: keys stay, values
 * become `?`, and of each list there is only the first element. What is cut off at the end is no matter.
 *
 * @returns the command without what varies, and the place after it
 */
function readJsonStatement(
  text: string,
  start: number,
  maxLength: number,
): { readonly text: string; readonly end: number } {
  const reader = new JsonReader(text, start, maxLength);
  return { text: reader.read(), end: reader.at };
}

class JsonReader {
  at: number;
  readonly #text: string;
  readonly #start: number;
  readonly #maxLength: number;
  readonly #open: string[] = [];
  #out = "";
  /** Nothing is written while more brackets than this are open: the rest of a list. */
  #mutedFrom = Infinity;
  /** The first value of the command names its collection. */
  #values = 0;

  constructor(text: string, start: number, maxLength: number) {
    this.#text = text;
    this.#start = start;
    this.at = start;
    this.#maxLength = maxLength;
  }

  read(): string {
    do this.#readToken(); while (
      this.#open.length > 0 && this.at < this.#text.length && this.#out.length < this.#maxLength
    );
    return this.#out;
  }

  #readToken(): void {
    const char = this.#text[this.at] ?? "";
    if (char === '"' || char === "'") return this.#readString();
    if (char === "{" || char === "[") return this.#enter(char);
    if (char === "}" || char === "]") return this.#leave(char);
    if (char >= "0" && char <= "9") {
      this.at = endOfNumber(this.#text, this.at);
      return this.#writeLiteral();
    }
    const end = endOfWord(this.#text, this.at);
    if (end > this.at) return this.#readWord(this.#text.slice(this.at, end));
    this.at++;
    if (char.trim() !== "" && char !== "-") this.#readMark(char);
  }

  #readMark(char: string): void {
    const isList = this.#open.at(-1) === "[" && this.#mutedFrom === Infinity;
    if (char === "," && isList) this.#mutedFrom = this.#open.length;
    this.#write(char);
  }

  #enter(bracket: string): void {
    this.#write(bracket);
    this.#open.push(bracket);
    this.at++;
  }

  #leave(bracket: string): void {
    if (this.#open.length <= this.#mutedFrom) this.#mutedFrom = Infinity;
    this.#open.pop();
    this.#write(bracket);
    this.at++;
  }

  #readString(): void {
    const end = endOfString(this.#text, this.at);
    const inner = this.#text.slice(this.at + 1, end - 1);
    this.at = end;
    if (this.#isBeforeColon()) return this.#writeKey(inner);
    const isCollection = this.#start === 0 && this.#open.length === 1 && this.#values === 0;
    if (isCollection && inner.length <= MAX_KEY) this.#write(`"${foldDigits(inner)}"`);
    else this.#write("?");
    this.#values++;
  }

  #readWord(word: string): void {
    this.at += word.length;
    if (this.#isBeforeColon()) this.#writeKey(word);
    else if (this.#text[this.at] === "(") this.#write(word);
    else if (LITERALS.has(word)) this.#write(word);
    else this.#writeLiteral();
  }

  #isBeforeColon(): boolean {
    // As many blanks as anybody writes: looking on for ever would take quadratic time.
    for (let i = this.at; i < this.at + 4; i++) {
      const char = this.#text[i];
      if (char === ":") return true;
      if (char !== " ") return false;
    }
    return false;
  }

  #writeKey(key: string): void {
    this.#write(key.length > MAX_KEY ? "?" : `"${foldDigits(key)}"`);
  }

  #writeLiteral(): void {
    this.#values++;
    this.#write("?");
  }

  #write(text: string): void {
    if (this.#mutedFrom === Infinity) this.#out += text;
  }
}

const LONG_DIGITS = /\d{4,}/g;

/** A name without digits that somebody counts or dates with: `events_20261121` → `events_?`. */
function foldDigits(name: string): string {
  return name.length < 4 ? name : name.replace(LONG_DIGITS, "?");
}

/**
 * The place after the string that begins at `at`: a quote is escaped by a backslash or by another quote. The end of the
 * text when nothing closes it.
 */
function endOfString(text: string, at: number): number {
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
function endOfNumber(text: string, at: number): number {
  NUMBER.lastIndex = at;
  return at + (NUMBER.exec(text)?.[0].length ?? 1);
}

/** The place after the word that begins at `at`; `at` itself when none does. Everything beyond ASCII is in words. */
function endOfWord(text: string, at: number): number {
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
