/** Which series a filter means. */
import { RE2JS, RE2JSSyntaxException } from "re2js";
import type { LabelMatcher, MetricScope } from "./query_types.ts";
import { InvalidQuery } from "./invalid_query.ts";

/** Says of a series' labels whether they are meant. */
export type SeriesMatcher = (labels: Labels) => boolean;
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
    throw new InvalidQuery(`A regular expression has at most ${MAX_PATTERN} characters.`);
  }
  const pattern = compiled(text);
  return (value) => {
    const began = performance.now();
    const is = pattern.matches(value);
    spent.ms += performance.now() - began;
    if (spent.ms <= MAX_MATCHING_MS) return is;
    throw new InvalidQuery(
      `The regular expression “${text}” takes too long on so many values: write a simpler one.`,
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
      `The regular expression “${text}” cannot be read: ${reasonOf(error)}.`,
    );
  }
  throw new InvalidQuery(`The regular expression “${text}” repeats too much.`);
}

/** Without the pattern as it was compiled. */
function reasonOf(error: RE2JSSyntaxException): string {
  const [, reason = "it is not valid"] = /^error parsing regexp: ([^:`]*)/.exec(error.message) ??
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
