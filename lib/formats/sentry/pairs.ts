import { asObject, clip, readTextOrJson, unsliced } from "../fields.ts";
import { COUNT, TEXT } from "../limits.ts";
import type { Pair } from "./normalized_event.ts";

/**
 * A pair list in any form: an object, or `[[name, value], …]`. A list as value becomes one pair per element;
 * pairs without a name or with a null value are left out.
 *
 * @param limit UTF-16 units of a name and of a value
 */
export function readPairs(value: unknown, limit: number = TEXT.pair): Pair[] {
  const pairs: Pair[] = [];
  const entries = Array.isArray(value) ? value : Object.entries(asObject(value) ?? {});
  for (const entry of entries) {
    if (!Array.isArray(entry)) continue;
    const name = clip(readTextOrJson(entry[0]), limit);
    if (!name) continue;
    for (const element of Array.isArray(entry[1]) ? entry[1] : [entry[1]]) {
      if (pairs.length === COUNT.pairs) return pairs;
      const text = clip(readTextOrJson(element), limit);
      if (text !== undefined) pairs.push([name, text]);
    }
  }
  return pairs;
}

/** Pairs out of `a=1&b=2` or, with another separator, `a=1; b=2`; percent escapes are decoded where they are valid. */
export function splitPairs(text: string, separator: "&" | ";"): Pair[] {
  const pairs: Pair[] = [];
  for (const part of text.split(separator, COUNT.pairs)) {
    const equals = part.indexOf("=");
    const name = decode(equals < 0 ? part : part.slice(0, equals), separator);
    const value = equals < 0 ? "" : decode(part.slice(equals + 1), separator);
    if (name) pairs.push([clip(name, TEXT.pair), clip(value, TEXT.pair)]);
  }
  return pairs;
}

function decode(text: string, separator: "&" | ";"): string {
  const plain = unsliced((separator === "&" ? text.replaceAll("+", " ") : text).trim());
  if (!plain.includes("%")) return plain;
  try {
    return decodeURIComponent(plain).replaceAll("\0", "\ufffd");
  } catch {
    return plain; // a stray % is no reason to lose the value
  }
}
