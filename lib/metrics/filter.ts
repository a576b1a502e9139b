/** Filters by labels: as people write them, `route="/a",status=~"5.."`, and which series they mean. */
import { t } from "../core/language/translate.ts";
import { RE2JS, RE2JSSyntaxException } from "re2js";
import {
  InvalidQuery,
  type LabelMatcher,
  type MatchOperator,
  type MetricScope,
} from "./query_types.ts";

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
    throw new InvalidQuery(t("A filter has at most {most} characters.", { most: MAX_LENGTH }));
  }
  const reader = new FilterReader(text.trim().replace(/^\{(.*)\}$/s, "$1"));
  const matchers: LabelMatcher[] = [];
  while (!reader.isAtEnd()) {
    matchers.push(reader.matcher());
    if (matchers.length > MAX_MATCHERS) {
      throw new InvalidQuery(t("A filter has at most {most} conditions.", { most: MAX_MATCHERS }));
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
    if (label === null) throw this.#problem(t("a label"));
    const operator = this.#take(OPERATOR);
    if (operator === null) throw this.#problem(t("=, !=, =~ or !~"));
    const value = this.#take(VALUE);
    if (value === null) throw this.#problem(t('a value in quotes, as in route="/orders"'));
    if (!this.isAtEnd() && this.#take(COMMA) === null) throw this.#problem(t("a comma"));
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
    return new InvalidQuery(
      rest === ""
        ? t("The filter cannot be read at its end: {wanted} is missing there.", { wanted })
        : t("The filter cannot be read at “{rest}”: {wanted} is missing there.", { rest, wanted }),
    );
  }
}

/** Says of a series' labels whether they are meant. */
type SeriesMatcher = (labels: Labels) => boolean;
export type Labels = Readonly<Record<string, string>>;
type ValueMatcher = (value: string) => boolean;

const MAX_PATTERN = 1_000;
/** Instructions: repetitions make much of little text, and time grows with them. */
const MAX_PROGRAM = 5_000;
/** Nobody else is served meanwhile; ten thousand values take usual expressions a tenth of it. */
const MAX_MATCHING_MS = 1_000;

/**
 * A filter within a scope, ready to be asked for many series: what it said of a value it remembers.
 *
 * @throws {InvalidQuery} for a regular expression that is none; what it answers with throws it for one that takes too
 *   long on all the values
 */
export function seriesMatcher(
  filter: readonly LabelMatcher[],
  scope: MetricScope,
): SeriesMatcher {
  const spent: Spent = { ms: 0 };
  const conditions = [
    ...filter.map(({ label, operator, value }) => ({
      label,
      accepts: remembered(valueMatcher(operator, value, spent)),
    })),
    ...scopeConditions(scope),
  ];
  return (labels) => conditions.every(({ label, accepts }) => accepts(labelOf(labels, label)));
}

/** A label's value; `""` when it is missing. */
export function labelOf(labels: Labels, key: string): string {
  return Object.hasOwn(labels, key) ? labels[key] ?? "" : "";
}

function scopeConditions({ environments, releases, services }: MetricScope) {
  const lists = [["environment", environments], ["release", releases], ["service", services]];
  return (lists as [string, readonly string[]][])
    .filter(([, values]) => values.length > 0)
    .map(([label, values]) => {
      const wanted = new Set(values);
      return { label, accepts: (value: string) => wanted.has(value) };
    });
}

/** What all expressions of a filter have taken. */
interface Spent {
  ms: number;
}

function valueMatcher(
  operator: LabelMatcher["operator"],
  text: string,
  spent: Spent,
): ValueMatcher {
  switch (operator) {
    case "=":
      return (value) => value === text;
    case "!=":
      return (value) => value !== text;
    case "=~":
      return patternMatcher(text, spent);
    case "!~": {
      const isMatch = patternMatcher(text, spent);
      return (value) => !isMatch(value);
    }
  }
}

/** By RE2's rules, whose time grows with the text and the expression only, since anybody may write one. */
function patternMatcher(text: string, spent: Spent): ValueMatcher {
  if (text.length > MAX_PATTERN) {
    throw new InvalidQuery(
      t("A regular expression has at most {most} characters.", { most: MAX_PATTERN }),
    );
  }
  const pattern = compiled(text);
  return (value) => {
    const began = performance.now();
    const is = pattern.matches(value);
    spent.ms += performance.now() - began;
    if (spent.ms <= MAX_MATCHING_MS) return is;
    throw new InvalidQuery(
      t(
        "The regular expression “{text}” takes too long on so many values: write a simpler one.",
        { text },
      ),
    );
  };
}

function compiled(text: string): RE2JS {
  try {
    const pattern = RE2JS.compile(text, RE2JS.DOTALL);
    if (pattern.programSize() <= MAX_PROGRAM) return pattern;
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    throw new InvalidQuery(
      t("The regular expression “{text}” cannot be read: {reason}.", {
        text,
        reason: reasonOf(error),
      }),
    );
  }
  throw new InvalidQuery(t("The regular expression “{text}” repeats too much.", { text }));
}

/** Without the pattern as it was compiled. */
function reasonOf(error: RE2JSSyntaxException): string {
  const [, reason = t("it is not valid")] = /^error parsing regexp: ([^:`]*)/.exec(error.message) ??
    [];
  return reason.trim();
}

/** Series of a metric share few values. */
function remembered(matcher: ValueMatcher): ValueMatcher {
  const known = new Map<string, boolean>();
  return (value) => {
    const before = known.get(value);
    if (before !== undefined) return before;
    const is = matcher(value);
    known.set(value, is);
    return is;
  };
}
