import { readJsonStatement } from "./json_statement.ts";
import { endOfNumber, endOfString, endOfWord, foldDigits } from "./statement_text.ts";

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
