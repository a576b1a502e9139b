/** How alike two texts or two lists are: the share of what they have in common. */
import { parameterize } from "../../formats/sentry/grouping_exceptions.ts";

/** Characters of a shingle: shorter ones are in every text, longer ones miss what differs by a letter. */
const LENGTH = 4;
/** Of a text; an error says what it is about in its beginning. */
const MAX_TEXT = 400;

/** The overlapping pieces of a text, without what varies from event to event (numbers, ids, addresses). */
export function shinglesOf(text: string): Set<string> {
  const plain = parameterize(text.slice(0, MAX_TEXT)).toLowerCase().replaceAll(/\s+/g, " ").trim();
  const pieces = new Set<string>();
  if (plain !== "" && plain.length < LENGTH) pieces.add(plain);
  for (let start = 0; start + LENGTH <= plain.length; start++) {
    pieces.add(plain.slice(start, start + LENGTH));
  }
  return pieces;
}

/**
 * What two sets have in common as a share of what is in either (Jaccard).
 *
 * @returns 0 to 1; null when one of them is empty, which says nothing
 */
export function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number | null {
  if (a.size === 0 || b.size === 0) return null;
  let common = 0;
  for (const each of a) if (b.has(each)) common++;
  return common / (a.size + b.size - common);
}

/** Words that tell texts apart, the longest first: no numbers, nothing short. */
export function tellingWords(text: string, limit: number): string[] {
  const words = parameterize(text.slice(0, MAX_TEXT)).toLowerCase().match(/\p{L}{4,}/gu) ?? [];
  return [...new Set(words)].sort((a, b) => b.length - a.length).slice(0, limit);
}
