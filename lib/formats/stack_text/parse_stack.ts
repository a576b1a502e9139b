import { parseDotnet, parseGo, parseJava } from "./compiled_languages.ts";
import type { ParsedException, StackParser } from "./parsed_exception.ts";
import { parseJavaScript, parsePhp, parsePython, parseRuby } from "./scripting_languages.ts";

export type { ParsedException } from "./parsed_exception.ts";

/** By `telemetry.sdk.language`. */
const PARSERS: ReadonlyMap<string, StackParser> = new Map([
  ["nodejs", parseJavaScript],
  ["webjs", parseJavaScript],
  ["javascript", parseJavaScript],
  ["node", parseJavaScript],
  ["deno-rust", parseJavaScript],
  ["python", parsePython],
  ["java", parseJava],
  ["kotlin", parseJava],
  ["scala", parseJava],
  ["go", parseGo],
  ["php", parsePhp],
  ["ruby", parseRuby],
  ["dotnet", parseDotnet],
]);

/** What tells a language by its text, the surest first. */
const SIGNS: readonly (readonly [sign: RegExp, parser: StackParser])[] = [
  [/^[ \t|+-]*Traceback \(most recent call last\):/m, parsePython],
  [/^goroutine \d+ \[/m, parseGo],
  [/^#0 /m, parsePhp],
  [/^[ \t]+at .{1,500}:line \d+/m, parseDotnet],
  [/^[ \t]+at [^\s()]{1,500}\([\w$-]{1,200}\.(?:java|kt|scala|groovy|clj)(?::\d+)?\)/m, parseJava],
  [/:\d+:in [`']/, parseRuby],
  [/^[ \t]+at .{1,500}:\d+:\d+\)?$/m, parseJavaScript],
];

/** Longer texts are cut: their newest calls come first in most languages. */
const MAX_TEXT = 65_536;

/**
 * Reads a stack trace out of its text. Where the text is not in the form of its language, the form tells the language.
 *
 * @param text in a language's own form, as `exception.stacktrace` has it
 * @param language as `telemetry.sdk.language` names it
 * @returns exceptions, cause first and outermost last as Sentry has them, their frames oldest call first; empty when
 * the text has no frame that is understood
 */
export function parseStack(text: string, language: string): ParsedException[] {
  const shown = text.slice(0, MAX_TEXT);
  const own = PARSERS.get(language)?.(shown) ?? [];
  if (hasFrames(own)) return own;
  const guessed = SIGNS.find(([sign]) => sign.test(shown))?.[1](shown) ?? [];
  return hasFrames(guessed) ? guessed : [];
}

function hasFrames(exceptions: readonly ParsedException[]): boolean {
  return exceptions.some(({ frames }) => frames.length > 0);
}
