import { t } from "../core/language/translate.ts";
import { InvalidInput } from "../core/errors.ts";
import { randomHex } from "./secrets.ts";

const MAX_NAME_LENGTH = 64;
const MAX_EMAIL_LENGTH = 254;

/**
 * Checks a name that somebody gave to a person, an organization, a project or a key.
 *
 * @param field the form field it came from
 * @returns the name without outer and repeated blanks, 1 to 64 characters
 * @throws {InvalidInput}
 */
export function checkName(field: string, text: string): string {
  const name = text.normalize("NFC").replace(/\s+/gu, " ").trim();
  if (name === "") throw new InvalidInput(field, t("Enter a name."));
  if ([...name].length > MAX_NAME_LENGTH) {
    throw new InvalidInput(
      field,
      t("Enter a name of at most {most} characters.", { most: MAX_NAME_LENGTH }),
    );
  }
  // Control and direction characters could make one name look like another; NUL breaks other stores.
  if (/[\p{Cc}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u.test(name)) {
    throw new InvalidInput(field, t("Enter a name without control characters."));
  }
  return name;
}

/**
 * The one spelling under which a mail address is kept and looked up.
 *
 * @returns lower-case address without outer blanks, or null when the text is no address
 */
export function normalizeEmail(text: string): string | null {
  const email = text.normalize("NFC").trim().toLowerCase();
  if (email.length > MAX_EMAIL_LENGTH) return null;
  return /^[^\s@<>(),;:"\\\p{Cc}\p{Cs}]+@[^\s@<>(),;"\\\p{Cc}\p{Cs}]+$/u.test(email) ? email : null;
}

/**
 * Like `normalizeEmail`, for what somebody entered in a form.
 *
 * @throws {InvalidInput}
 */
export function checkEmail(text: string): string {
  const email = normalizeEmail(text);
  if (email === null) {
    throw new InvalidInput("email", t("Enter an email address, such as ann@example.com."));
  }
  return email;
}

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
    t(
      "Enter 1 to {most} lower-case letters, digits, hyphens and underscores; start with a letter or a digit, and do not use digits alone.",
      { most: MAX_SLUG_LENGTH },
    ),
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
      throw new InvalidInput(
        "slug",
        t('Choose another slug: "{slug}" is taken.', { slug }),
        "taken",
      );
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
