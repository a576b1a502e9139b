import { message, t } from "../core/language/translate.ts";
/** Helps whoever searched for a key that nothing has. */

const MAX_NEAR = 4;
/** Of the longer word's letters, that may differ. */
const MAX_DIFFERENCE = 0.5;
/** Nobody mistypes a longer key; comparing costs as much as the product of the lengths. */
const MAX_LENGTH = 40;

/** Keys that may have been meant, the nearest first. */
export function nearKeys(key: string, keys: readonly string[]): string[] {
  if (key.length > MAX_LENGTH) return [];
  const wanted = key.toLowerCase();
  const others = keys.filter((each) => each !== key && each.length <= MAX_LENGTH);
  const rated = others.map((each) => ({
    each,
    difference: differenceOf(wanted, each.toLowerCase()),
  }));
  return rated.filter(({ difference }) => difference <= MAX_DIFFERENCE)
    .sort((a, b) => a.difference - b.difference || a.each.length - b.each.length)
    .slice(0, MAX_NEAR)
    .map(({ each }) => each);
}

/** 0 for the same, 1 for nothing in common. */
function differenceOf(one: string, other: string): number {
  const isPart = one.length > 2 &&
    (other.includes(one) || (other.length > 2 && one.includes(other)));
  if (one !== other && isPart) return 0.3;
  return edits(one, other) / Math.max(one.length, other.length, 1);
}

/** Letters to put in, take out or change until one word is the other (Levenshtein). */
function edits(one: string, other: string): number {
  const row = Uint16Array.from({ length: other.length + 1 }, (_, place) => place);
  for (let place = 0; place < one.length; place++) {
    let diagonal = place;
    let left = place + 1;
    row[0] = left;
    for (let at = 1; at <= other.length; at++) {
      const above = row[at] ?? 0;
      const changed = diagonal + Number(other.charCodeAt(at - 1) !== one.charCodeAt(place));
      left = Math.min(left + 1, above + 1, changed);
      row[at] = left;
      diagonal = above;
    }
  }
  return row[other.length] ?? 0;
}

const NOBODY = {
  event: {
    none: message(
      "No event of this project has the key {key}; keys that exist come up while you type",
    ),
    near: message("No event of this project has the key {key}; similar ones: {keys}"),
  },
  trace: {
    none: message(
      "None of the newest traces has the key {key}; the panel of a span shows what there is",
    ),
    near: message("None of the newest traces has the key {key}; similar ones: {keys}"),
  },
} as const;

/** Says that nothing has the key, and which ones near it there are. */
export function unknownKeyReason(
  key: string,
  keys: readonly string[],
  carrier: keyof typeof NOBODY,
): string {
  const found = nearKeys(key, keys);
  const { none, near } = NOBODY[carrier];
  return found.length === 0 ? t(none, { key }) : t(near, { key, keys: found.join(", ") });
}
