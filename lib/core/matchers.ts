import ipaddr from "ipaddr.js";

/**
 * How many characters may still be compared with patterns for one event. Two hundred rules on the stacks of an event of a
 * megabyte are minutes of work otherwise, and the same event has to end the same way on every machine: so no clock.
 */
export interface GlobBudget {
  left: number;
}

/** A hundredth of a second for most patterns, a tenth for the worst. */
const MAX_COMPARED = 10_000_000;
/** What a comparison costs beside its text, in characters. */
const COMPARISON = 8;

export function globBudget(left = MAX_COMPARED): GlobBudget {
  return { left };
}

/**
 * Compiles patterns with `*` into one test, without regard to case. The time is linear in the text for each part of a
 * pattern, whatever the pattern: no expression that could run away.
 *
 * @returns false as well when the budget is spent
 */
export function globMatcher(
  patterns: readonly string[],
): (text: string, budget: GlobBudget) => boolean {
  const compiled = patterns.map((pattern) => pattern.toLowerCase().split(/\*+/));
  return (text, budget) => {
    if (compiled.length === 0) return false;
    const lower = text.toLowerCase();
    return compiled.some((parts) => {
      // Only what stands between two stars is searched for.
      budget.left -= COMPARISON + (parts.length > 2 ? text.length : 0);
      return budget.left >= 0 && matches(parts, lower);
    });
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

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number];

/**
 * Reads an address or a CIDR range, of either version.
 *
 * @returns null when the text is neither
 */
export function readRange(text: string): Range | null {
  try {
    if (text.includes("/")) return ipaddr.parseCIDR(text);
    const address = ipaddr.process(text);
    return [address, address.kind() === "ipv4" ? 32 : 128];
  } catch {
    return null;
  }
}

/** A test whether an address lies in one of some ranges; what is no range or address matches nothing. */
export function addressMatcher(texts: readonly string[]): (address: string | null) => boolean {
  const ranges = texts.flatMap((text) => {
    const range = readRange(text);
    return range === null ? [] : [range];
  });
  return (text) => {
    if (ranges.length === 0 || text === null || !ipaddr.isValid(text)) return false;
    const address = ipaddr.process(text);
    return ranges.some((range) => address.kind() === range[0].kind() && address.match(range));
  };
}
