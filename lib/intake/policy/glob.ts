/**
 * Compiles patterns with `*` into one test, without regard to case. The time is linear in the text for each part of a
 * pattern, whatever the pattern: no expression that could run away.
 */
export function globMatcher(patterns: readonly string[]): (text: string) => boolean {
  const compiled = patterns.map((pattern) => pattern.toLowerCase().split(/\*+/));
  return (text) => {
    if (compiled.length === 0) return false;
    const lower = text.toLowerCase();
    return compiled.some((parts) => matches(parts, lower));
  };
}

/** Literal parts between stars, in their order; the first and last hang on the ends of the text. */
function matches(parts: readonly string[], text: string): boolean {
  const [first = "", ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || text.length < first.length + last.length) return false;
  if (!text.endsWith(last)) return false;
  const end = text.length - last.length;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
