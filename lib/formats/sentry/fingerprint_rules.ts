import { type GlobBudget, globBudget, globMatcher } from "../../core/matchers.ts";
import { isInApp } from "./frames.ts";
import type { Frame, NormalizedEvent } from "./normalized_event.ts";

/** A line of fingerprint rules that cannot be read. */
export class RuleError extends Error {
  override name = "RuleError";

  /** @param line from 1 */
  constructor(readonly line: number, message: string) {
    super(`Line ${line}: ${message}`);
  }
}

export interface FingerprintRule {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  readonly fingerprint: readonly string[];
}

export interface FingerprintRules {
  /**
   * The first rule that an event matches, or null: also when finding it takes more comparisons than one event may take.
   */
  match(event: NormalizedEvent): FingerprintRule | null;
}

interface CompiledRule extends FingerprintRule {
  readonly test: (subject: Subject) => boolean;
}

/** An event that rules are tried on. */
interface Subject {
  readonly event: NormalizedEvent;
  /** Of all its stacks. */
  readonly frames: readonly Frame[];
  /** For all rules together. */
  readonly budget: GlobBudget;
}

const MAX_RULES = 200;

/** Compiles rules; lines that cannot be read are passed over. */
export function compileRules(text: string): FingerprintRules {
  const rules = readRules(text, () => {});
  return {
    match(event) {
      if (rules.length === 0) return null;
      const budget = globBudget();
      const subject = { event, frames: framesOf(event), budget };
      const rule = rules.find(({ test }) => budget.left < 0 || test(subject));
      // What a comparison said that was not made is no match, nor the lack of one.
      return budget.left < 0 ? null : rule ?? null;
    },
  };
}

/**
 * Checks rules as somebody wrote them.
 *
 * @throws {RuleError} for the first line that cannot be read
 */
export function checkRules(text: string): void {
  readRules(text, (error) => {
    throw error;
  });
}

function readRules(text: string, onError: (error: RuleError) => void): CompiledRule[] {
  const rules: CompiledRule[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const trimmed = line.trim();
    if (trimmed === "" || trimmed.startsWith("#")) continue;
    try {
      if (rules.length === MAX_RULES) {
        throw new RuleError(index + 1, `There are more than ${MAX_RULES} rules.`);
      }
      rules.push(readRule(trimmed, index + 1));
    } catch (error) {
      if (!(error instanceof RuleError)) throw error;
      onError(error);
    }
  }
  return rules;
}

function readRule(text: string, line: number): CompiledRule {
  const arrow = text.indexOf("->");
  if (arrow < 0) throw new RuleError(line, "Write matchers, then ->, then the fingerprint.");
  const matchers = tokensOf(text.slice(0, arrow), line).map((token) => readMatcher(token, line));
  if (matchers.length === 0) throw new RuleError(line, "There is no matcher before ->.");
  const fingerprint = readFingerprint(text.slice(arrow + 2), line);
  const onEvent = matchers.flatMap((matcher) => matcher.onEvent ?? []);
  const onFrame = matchers.flatMap((matcher) => matcher.onFrame ?? []);
  return {
    line,
    text,
    fingerprint,
    // What is said of the stack is said of one and the same frame.
    test: (subject) =>
      onEvent.every((test) => test(subject)) &&
      (onFrame.length === 0 ||
        subject.frames.some((frame) => onFrame.every((test) => test(frame, subject)))),
  };
}

interface Token {
  readonly negated: boolean;
  readonly key: string;
  readonly value: string;
}

const TOKEN = /(!?)([\w.-]+):("(?:[^"\\]|\\.)*"|\S+)\s*/y;

function tokensOf(text: string, line: number): Token[] {
  const tokens: Token[] = [];
  const trimmed = text.trim();
  TOKEN.lastIndex = 0;
  for (let at = 0; at < trimmed.length; at = TOKEN.lastIndex) {
    const match = TOKEN.exec(trimmed);
    if (match === null) {
      throw new RuleError(line, `Cannot read "${trimmed.slice(at, at + 30)}": write key:value.`);
    }
    const [, not, key = "", value = ""] = match;
    tokens.push({ negated: not === "!", key, value: unquoted(value) });
  }
  return tokens;
}

function unquoted(text: string): string {
  return text.startsWith('"') && text.endsWith('"') && text.length > 1
    ? text.slice(1, -1).replaceAll(/\\(.)/g, "$1")
    : text;
}

interface Matcher {
  readonly onEvent?: (subject: Subject) => boolean;
  readonly onFrame?: (frame: Frame, subject: Subject) => boolean;
}

type EventReader = (event: NormalizedEvent) => readonly (string | undefined)[];
type FrameReader = (frame: Frame, platform: string) => string | undefined;

const exceptions = ({ exception }: NormalizedEvent) => exception?.values ?? [];

const EVENT_READERS: Readonly<Record<string, EventReader>> = {
  type: (event) => exceptions(event).map(({ type }) => type),
  value: (event) => exceptions(event).map(({ value }) => value),
  message: (event) => [
    event.logentry?.formatted ?? event.logentry?.message,
    ...exceptions(event).map(({ value }) => value),
  ],
  logger: (event) => [event.logger],
  level: (event) => [event.level],
  release: (event) => [event.release],
  environment: (event) => [event.environment],
  transaction: (event) => [event.transaction],
  sdk: (event) => [event.sdk?.name],
  family: (event) => [familyOf(event.platform)],
};

const FRAME_READERS: Readonly<Record<string, FrameReader>> = {
  function: (frame) => frame.function,
  module: (frame) => frame.module,
  path: (frame) => frame.abs_path ?? frame.filename,
  package: (frame) => frame.package,
  app: (frame, platform) => isInApp(frame, platform) ? "yes" : "no",
};

const ALIASES: Readonly<Record<string, string>> = {
  "error.type": "type",
  "error.value": "value",
  "stack.function": "function",
  "stack.module": "module",
  "stack.abs_path": "path",
  "stack.filename": "path",
  "stack.package": "package",
  "in-app": "app",
};

function readMatcher({ negated, key, value }: Token, line: number): Matcher {
  const name = own(ALIASES, key) ?? key;
  const test = globMatcher([name === "app" ? appWord(value, line) : value]);
  const readFrame = own(FRAME_READERS, name);
  if (readFrame !== undefined) {
    return {
      onFrame: (frame, { event, budget }) =>
        // The rule is not applied any more when the budget is spent: the rest of the frames need no look.
        budget.left < 0 || test(readFrame(frame, event.platform) ?? "", budget) !== negated,
    };
  }
  const read = name.startsWith("tags.") ? tagReader(name.slice(5)) : own(EVENT_READERS, name);
  if (read === undefined) {
    throw new RuleError(line, `"${key}" is nothing that can be matched.`);
  }
  return {
    onEvent: ({ event, budget }) =>
      read(event).some((text) => text !== undefined && test(text, budget)) !== negated,
  };
}

function appWord(value: string, line: number): string {
  const word = value.toLowerCase();
  if (["yes", "true", "1"].includes(word)) return "yes";
  if (["no", "false", "0"].includes(word)) return "no";
  throw new RuleError(line, "app: takes yes or no.");
}

function tagReader(name: string): EventReader {
  return (event) => {
    if (name === "environment" || name === "release" || name === "server_name") {
      return [event[name]];
    }
    return [event.tags?.find(([key]) => key === name)?.[1]];
  };
}

function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

function familyOf(platform: string): string {
  if (platform === "javascript" || platform === "node") return "javascript";
  return ["c", "cocoa", "csharp", "native", "objc", "rust", "swift"].includes(platform)
    ? "native"
    : "other";
}

function framesOf(event: NormalizedEvent): Frame[] {
  return [
    ...exceptions(event).flatMap(({ stacktrace }) => stacktrace?.frames ?? []),
    ...event.stacktrace?.frames ?? [],
    ...(event.threads?.values ?? []).flatMap(({ stacktrace }) => stacktrace?.frames ?? []),
  ];
}

const MAX_ELEMENTS = 20;

function readFingerprint(text: string, line: number): string[] {
  if (/(?:^|\s)title=/.test(text)) {
    throw new RuleError(line, "Titles cannot be set by a rule; only the fingerprint can.");
  }
  const elements = splitOutsideQuotes(text.trim()).map((part) => unquoted(part.trim()));
  if (elements.length === 0 || elements.some((element) => element === "")) {
    throw new RuleError(line, "There is no fingerprint after ->.");
  }
  if (elements.length > MAX_ELEMENTS) {
    throw new RuleError(line, `A fingerprint has at most ${MAX_ELEMENTS} parts.`);
  }
  return elements;
}

/** At commas, and at blanks between words that are neither quoted nor in `{{ }}`. */
function splitOutsideQuotes(text: string): string[] {
  return text.match(/"(?:[^"\\]|\\.)*"|\{\{[^}]*\}\}(?:[^\s,]*)|[^\s,]+/g) ?? [];
}
