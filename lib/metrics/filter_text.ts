/** Filters as people write them: `route="/a",status=~"5.."`. Runs in the browser as well. */
import { InvalidQuery } from "./invalid_query.ts";
import type { LabelMatcher, MatchOperator } from "./query_types.ts";

const MAX_LENGTH = 4_000;
const MAX_MATCHERS = 20;

const PLAIN_LABEL = /^[\p{L}_][\p{L}\p{N}_.:/-]*$/u;

/** A label, an operator, and a value in quotes or bare; each may be followed by blanks. */
const LABEL = /([\p{L}_][\p{L}\p{N}_.:/-]*|"(?:[^"\\]|\\.)*")\s*/suy;
const OPERATOR = /(=~|!~|!=|=)\s*/y;
const VALUE = /("(?:[^"\\]|\\.)*"|[^\s",{}]+)\s*/suy;
const BLANK = /\s*/y;
const COMMA = /,\s*/y;

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };

/**
 * Reads a filter; the braces of PromQL around it are passed over.
 *
 * @throws {InvalidQuery} saying where it cannot be read
 */
export function parseFilter(text: string): LabelMatcher[] {
  if (text.length > MAX_LENGTH) {
    throw new InvalidQuery(`A filter has at most ${MAX_LENGTH} characters.`);
  }
  const reader = new FilterReader(text.trim().replace(/^\{(.*)\}$/s, "$1"));
  const matchers: LabelMatcher[] = [];
  while (!reader.isAtEnd()) {
    matchers.push(reader.matcher());
    if (matchers.length > MAX_MATCHERS) {
      throw new InvalidQuery(`A filter has at most ${MAX_MATCHERS} conditions.`);
    }
  }
  return matchers;
}

/** Writes a filter as `parseFilter()` reads it. */
export function formatFilter(matchers: readonly LabelMatcher[]): string {
  return matchers
    .map(({ label, operator, value }) => `${formatLabel(label)}${operator}${quoted(value)}`)
    .join(",");
}

function formatLabel(label: string): string {
  return PLAIN_LABEL.test(label) ? label : quoted(label);
}

function quoted(text: string): string {
  const escaped = text
    .replaceAll(/["\\]/g, "\\$&")
    .replaceAll("\n", "\\n")
    .replaceAll("\r", "\\r");
  return `"${escaped}"`;
}

/** Without quotes a backslash stands for itself, as regular expressions want it. */
function unquoted(token: string): string {
  if (!token.startsWith('"')) return token;
  return token.slice(1, -1).replaceAll(
    /\\(.)/gs,
    (_, character: string) => ESCAPES[character] ?? escapedCharacter(character),
  );
}

/** `\.` in quotes is a regular expression by somebody who did not double the backslash. */
function escapedCharacter(character: string): string {
  return character === '"' || character === "\\" ? character : `\\${character}`;
}

class FilterReader {
  #place = 0;

  constructor(readonly text: string) {
    this.#take(BLANK);
  }

  isAtEnd(): boolean {
    return this.#place >= this.text.length;
  }

  matcher(): LabelMatcher {
    const label = this.#take(LABEL);
    if (label === null) throw this.#problem("a label");
    const operator = this.#take(OPERATOR);
    if (operator === null) throw this.#problem("=, !=, =~ or !~");
    const value = this.#take(VALUE);
    if (value === null) throw this.#problem('a value in quotes, as in route="/orders"');
    if (!this.isAtEnd() && this.#take(COMMA) === null) throw this.#problem("a comma");
    return {
      label: unquoted(label),
      operator: operator as MatchOperator,
      value: unquoted(value),
    };
  }

  #take(pattern: RegExp): string | null {
    pattern.lastIndex = this.#place;
    const found = pattern.exec(this.text);
    if (found === null) return null;
    this.#place = pattern.lastIndex;
    return found[1] ?? "";
  }

  #problem(wanted: string): InvalidQuery {
    const rest = this.text.slice(this.#place, this.#place + 20);
    const place = rest === "" ? "at its end" : `at “${rest}”`;
    return new InvalidQuery(`The filter cannot be read ${place}: ${wanted} is missing there.`);
  }
}
