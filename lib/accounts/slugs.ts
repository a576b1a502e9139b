import { InvalidInput } from "../core/invalid_input.ts";
import { randomHex } from "./secrets.ts";

const MAX_SLUG_LENGTH = 50;
/** `name`, `name-2` … `name-9`; after that a random ending, so that common names cost no long search. */
const NUMBERED_SLUGS = 9;

/** Letters and digits first, and never digits alone: the API takes ids where it takes slugs. */
const SLUG = /^(?!\d+$)[a-z0-9][a-z0-9_-]{0,49}$/;

/** Whether a text has the form of a slug, as in `[a-z0-9][a-z0-9_-]*` with at most 50 characters. */
export function isSlug(text: string): boolean {
  return SLUG.test(text);
}

/**
 * Checks a slug that somebody chose.
 *
 * @throws {InvalidInput}
 */
export function checkSlug(text: string): string {
  if (isSlug(text)) return text;
  throw new InvalidInput(
    "slug",
    `Enter 1 to ${MAX_SLUG_LENGTH} lower-case letters, digits, hyphens and underscores; ` +
      "start with a letter or a digit, and do not use digits alone.",
  );
}

/**
 * Makes a slug of a name: `Café Wien` becomes `cafe-wien`.
 *
 * @param fallback what stands for names without a Latin letter, and before those of digits alone
 */
export function slugOf(name: string, fallback: string): string {
  const slug = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()
    .replace(/[^a-z0-9_]+/g, "-").replace(/^[-_]+/, "").slice(0, MAX_SLUG_LENGTH)
    .replace(/[-_]+$/, "");
  if (slug === "") return fallback;
  return isSlug(slug) ? slug : `${fallback}-${slug}`.slice(0, MAX_SLUG_LENGTH);
}

/**
 * Finds a slug that nobody has yet. The caller commits it with a check that its index entry is absent.
 *
 * @param chosen what somebody asked for, or null to derive it from the name
 * @param isTaken looks into the index
 * @throws {InvalidInput} when the chosen slug is malformed or taken
 */
export async function freeSlug(
  { chosen, name, fallback }: { chosen: string | null; name: string; fallback: string },
  isTaken: (slug: string) => Promise<boolean>,
): Promise<string> {
  if (chosen !== null) {
    const slug = checkSlug(chosen);
    if (await isTaken(slug)) {
      throw new InvalidInput("slug", `Choose another slug: "${slug}" is taken.`, "taken");
    }
    return slug;
  }
  const slug = slugOf(name, fallback);
  if (!await isTaken(slug)) return slug;
  for (let number = 2; number <= NUMBERED_SLUGS; number++) {
    const numbered = withEnding(slug, String(number));
    if (!await isTaken(numbered)) return numbered;
  }
  return withEnding(slug, randomHex(4));
}

function withEnding(slug: string, ending: string): string {
  return `${slug.slice(0, MAX_SLUG_LENGTH - ending.length - 1)}-${ending}`;
}
