import { normalizeRedis } from "./redis_statement.ts";
import { StatementScanner } from "./statement_scanner.ts";

/** What lies beyond is not looked at: the beginning tells statements apart. */
const MAX_INPUT = 16_384;
const MAX_OUTPUT = 1_000;

/** Applications send the same few statements again and again. */
const known = new Map<string, string>();
const MAX_KNOWN = 2_000;
const MAX_KNOWN_LENGTH = 1_000;

/**
 * A statement without what varies, for grouping: SQL without literals, comments and line breaks, lists of values as one
 * `?`; commands of Redis and MongoDB without keys and values. Takes time in proportion to the text.
 *
 * @returns at most 1,000 characters
 */
export function normalizeStatement(text: string): string {
  const before = known.get(text);
  if (before !== undefined) return before;
  const input = text.slice(0, MAX_INPUT).trim();
  const result = normalizeRedis(input) ?? new StatementScanner(input, MAX_OUTPUT).run();
  if (text.length <= MAX_KNOWN_LENGTH) {
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(text, result);
  }
  return result;
}
