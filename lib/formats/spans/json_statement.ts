import { endOfNumber, endOfString, endOfWord, foldDigits } from "./statement_text.ts";

const MAX_KEY = 64;
const LITERALS: ReadonlySet<string> = new Set(["true", "false", "null"]);

/**
 * Reads a command of MongoDB or another that is JSON, or looks like it, from the bracket at `start`: keys stay, values
 * become `?`, and of each list there is only the first element. What is cut off at the end is no matter.
 *
 * @returns the command without what varies, and the place after it
 */
export function readJsonStatement(
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
