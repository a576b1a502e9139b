/** Sentry's ownership rules: `path:src/checkout/* ann@example.com #checkout`, one a line. */
import { t } from "../../core/language/translate.ts";

export interface RuleOwner {
  readonly type: "user" | "team";
  /** A mail address in lower case, or the slug of a team. */
  readonly identifier: string;
}

export interface OwnershipRule {
  /** `path`, `module`, `url`, `tags.<key>`; `codeowners` for a line of that file. */
  readonly type: string;
  readonly pattern: string;
  /** Never empty. */
  readonly owners: readonly RuleOwner[];
  /** From 1. */
  readonly line: number;
}

/** What is wrong with a line. */
export interface RuleProblem {
  /** Both from 1. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export interface ParsedRules {
  readonly rules: readonly OwnershipRule[];
  readonly problems: readonly RuleProblem[];
}

/** Characters of all rules; as Sentry has it. */
export const MAX_RULES_LENGTH = 100_000;
/** More are of no help to whoever has to put them right. */
const MAX_PROBLEMS = 20;

const MATCHER = /^(?:(path|module|url|codeowners|tags\.[^:\s"]+):)?/;
const QUOTED = /^"((?:[^"\\]|\\.)*)"/;

/**
 * Reads rules. Empty lines, and lines that begin with `#`, mean nothing. Of a line with a mistake nothing is taken.
 */
export function parseRules(raw: string): ParsedRules {
  const rules: OwnershipRule[] = [];
  const problems: RuleProblem[] = [];
  for (const [index, text] of raw.split(/\r\n|\r|\n/).entries()) {
    if (/^\s*(?:#|$)/.test(text)) continue;
    const line = index + 1;
    const read = readRule(text);
    if ("message" in read) problems.push({ ...read, line });
    else rules.push({ ...read, line });
    if (problems.length >= MAX_PROBLEMS) break;
  }
  return { rules, problems };
}

type Mistake = Omit<RuleProblem, "line">;

function readRule(text: string): Omit<OwnershipRule, "line"> | Mistake {
  const start = text.length - text.trimStart().length;
  const [prefix, type = "path"] = MATCHER.exec(text.slice(start)) ?? [""];
  if (type === "codeowners") {
    return mistake(start, t("Lines of codeowners: come from the CODEOWNERS file alone."));
  }
  const at = start + (prefix?.length ?? 0);
  const pattern = readPattern(text, at);
  if ("message" in pattern) return pattern;
  const owners: RuleOwner[] = [];
  for (const { 0: word, index } of text.slice(pattern.end).matchAll(/\S+/g)) {
    if (word === "#") {
      return mistake(
        pattern.end + index,
        t("A team is # with its slug; comments stand on lines of their own."),
      );
    }
    owners.push(readOwner(word));
  }
  if (owners.length === 0) {
    return mistake(
      text.trimEnd().length,
      t("An owner is missing: an email, or # and a team."),
    );
  }
  return { type, pattern: pattern.text, owners };
}

function readPattern(text: string, at: number): { text: string; end: number } | Mistake {
  const rest = text.slice(at);
  if (rest.startsWith('"')) {
    const [whole, inner = ""] = QUOTED.exec(rest) ?? [];
    if (whole === undefined) return mistake(at, t("The quotation mark is not closed."));
    const end = at + whole.length;
    if (/^\S/.test(text.slice(end))) {
      return mistake(end, t("After the pattern there must be a blank."));
    }
    if (inner === "") return mistake(at, t("The pattern is empty."));
    return { text: inner.replaceAll(/\\(.)/g, "$1"), end };
  }
  const [word = ""] = /^\S+/.exec(rest) ?? [];
  if (word === "") return mistake(at, t("The pattern is missing."));
  return { text: word, end: at + word.length };
}

/** @param word `#slug`, or a mail address */
export function readOwner(word: string): RuleOwner {
  return word.startsWith("#")
    ? { type: "team", identifier: word.slice(1) }
    : { type: "user", identifier: word.toLowerCase() };
}

function mistake(index: number, message: string): Mistake {
  return { column: index + 1, message };
}

/** As it can be entered again. */
export function ruleText({ type, pattern, owners }: Omit<OwnershipRule, "line">): string {
  const quoted = /[\s"]/.test(pattern) ? `"${pattern.replaceAll(/["\\]/g, "\\$&")}"` : pattern;
  return `${type}:${quoted} ${owners.map(ownerText).join(" ")}`;
}

export function ownerText({ type, identifier }: RuleOwner): string {
  return type === "team" ? `#${identifier}` : identifier;
}

export function problemText({ line, column, message }: RuleProblem): string {
  return t("Line {line}, column {column}: {message}", {
    line: String(line),
    column: String(column),
    message,
  });
}
