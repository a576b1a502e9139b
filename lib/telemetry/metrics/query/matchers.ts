/** Which series a filter means. */
import { RE2JS, RE2JSSyntaxException } from "re2js";
import type { LabelMatcher, MetricScope } from "../query_types.ts";
import { InvalidQuery } from "./invalid_query.ts";

/** Says of a series' labels whether they are meant. */
export type SeriesMatcher = (labels: Labels) => boolean;
export type Labels = Readonly<Record<string, string>>;
type ValueMatcher = (value: string) => boolean;

const MAX_PATTERN = 1_000;
/** Instructions: repetitions make much of little text, and time grows with them. */
const MAX_PROGRAM = 5_000;

/**
 * A filter within a scope, ready to be asked for many series: what it said of a value it remembers.
 *
 * @throws {InvalidQuery} for a regular expression that is none
 */
export function seriesMatcher(
  filter: readonly LabelMatcher[],
  scope: MetricScope,
): SeriesMatcher {
  const conditions = [
    ...filter.map(({ label, operator, value }) => ({
      label,
      accepts: remembered(valueMatcher(operator, value)),
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

function valueMatcher(operator: LabelMatcher["operator"], text: string): ValueMatcher {
  switch (operator) {
    case "=":
      return (value) => value === text;
    case "!=":
      return (value) => value !== text;
    case "=~":
      return patternMatcher(text);
    case "!~": {
      const isMatch = patternMatcher(text);
      return (value) => !isMatch(value);
    }
  }
}

/** By RE2's rules, whose time grows with the text only, since anybody may write one. */
function patternMatcher(text: string): ValueMatcher {
  if (text.length > MAX_PATTERN) {
    throw new InvalidQuery(`A regular expression has at most ${MAX_PATTERN} characters.`);
  }
  const pattern = compiled(text);
  return (value) => pattern.matches(value);
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
