/** Deeper paths are cut: nobody reads them, and each level multiplies the names. */
const MAX_SEGMENTS = 8;
const MAX_SEGMENT = 64;
/** What is cut off beyond this cannot be within the first segments of any real path. */
const MAX_PATH = 2_048;

const DIGITS = /^\d+$/;
const UUID = /^[\da-f]{8}-?[\da-f]{4}-?[\da-f]{4}-?[\da-f]{4}-?[\da-f]{12}$/i;
const HEX = /^(?=\D*\d)[\da-f]{8,}$/i;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const BASE_62 = /^(?=\D*\d\D*\d)[\dA-Za-z]{16,}$/;
const ULID = /^(?=\D*\d\D*\d)[\dA-Z]{20,}$/;
const PERCENT_ENCODED = /%[\da-f]{2}/i;
/** Hashes that build tools put into names of files. */
const FILE_HASH = /^(?=\D*\d)(?=[^A-Za-z]*[A-Za-z])[\dA-Za-z_]{8,}$/;
const HAS_LOWER_AND_UPPER = /[a-z].*[A-Z]|[A-Z].*[a-z]/;

/**
 * A path with placeholders where ids were, such as `/users/{id}/orders/{uuid}`, without query, fragment, matrix
 * parameters and trailing slash; at most 8 segments, then `…`. Doing it again changes nothing.
 */
export function templatePath(path: string): string {
  const [plain = ""] = path.slice(0, MAX_PATH).split(/[?#]/, 1);
  const isAbsolute = plain.startsWith("/");
  const segments = plain.split("/").map(withoutMatrix).filter((segment) => segment !== "");
  const kept = segments.slice(0, MAX_SEGMENTS).map(templateSegment);
  if (segments.length > MAX_SEGMENTS) kept.push("…");
  return (isAbsolute ? "/" : "") + kept.join("/");
}

function withoutMatrix(segment: string): string {
  const at = segment.indexOf(";");
  return at < 0 ? segment : segment.slice(0, at);
}

function templateSegment(segment: string): string {
  return placeholderOf(segment) ?? templateFile(segment);
}

/** What stands for the segment, or undefined when it is a name. */
function placeholderOf(segment: string): string | undefined {
  const sure = idPlaceholder(segment);
  if (sure !== undefined) return sure;
  if (segment.includes("@")) return "{email}";
  if (segment.length > MAX_SEGMENT || PERCENT_ENCODED.test(segment)) return "{str}";
  return isRandomId(segment) ? "{id}" : undefined;
}

/** What stands for a word that can only be an id, a hash, a number or a date; undefined for any other. */
function idPlaceholder(word: string): string | undefined {
  if (DIGITS.test(word)) return "{id}";
  if (UUID.test(word)) return "{uuid}";
  if (DATE.test(word)) return "{date}";
  if (HEX.test(word)) return "{hex}";
  return ULID.test(word) ? "{id}" : undefined;
}

/** ULIDs, KSUIDs and their like: long, with digits, and in capitals or without order. */
function isRandomId(segment: string): boolean {
  return BASE_62.test(segment) &&
    (segment === segment.toUpperCase() || HAS_LOWER_AND_UPPER.test(segment));
}

/** `app.3f2a1b9c.js` → `app.{hash}.js`, `17.json` → `{id}.json`. */
function templateFile(segment: string): string {
  const dot = segment.lastIndexOf(".");
  if (dot <= 0) return segment;
  const stem = segment.slice(0, dot);
  const extension = segment.slice(dot);
  const parts = placeholderOf(stem) ?? stem.split(/([.-])/).map(templatePart).join("");
  return parts + extension;
}

function templatePart(part: string): string {
  const isHash = HEX.test(part) || (FILE_HASH.test(part) && HAS_LOWER_AND_UPPER.test(part));
  return isHash ? "{hash}" : part;
}

/** Longer names are cut before they are looked at. */
const MAX_NAME = 2_048;
const TIME = /\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?/g;
/** What stands between blanks, brackets, quotes and the signs that join a name with an id. */
const WORD = /[^\s/\\:=#,;|()[\]{}<>"'`]+/g;
/** Laravel's `UserController@show` is none. */
const EMAIL = /^[^@]+@[^@]+\.[A-Za-z]{2,}$/;
const JOINTS = /([-_])/;

/**
 * A name that is no route, with placeholders where ids, hashes, numbers, times and addresses were: `import order {id}`.
 * Doing it again changes nothing.
 */
export function templateName(name: string): string {
  // What has no digit and no address is a name, as most are.
  if (!/[\d@]/.test(name)) return name;
  return name.slice(0, MAX_NAME).replaceAll(TIME, "{date}").replaceAll(WORD, templateWord);
}

function templateWord(word: string): string {
  if (EMAIL.test(word)) return "{email}";
  const placeholder = idPlaceholder(word);
  if (placeholder !== undefined) return placeholder;
  // `order-4711` and `user_3f2a1b9c`: what is joined to a name may be an id as well.
  const parts = word.split(JOINTS);
  return parts.length === 1 ? word : parts.map(wordPart).join("");
}

/** A single digit is part of the name, as in `utf-8`. */
function wordPart(part: string): string {
  if (part.length === 1) return part;
  return EMAIL.test(part) ? "{email}" : idPlaceholder(part) ?? part;
}

/** Longer words are random. */
const MAX_WORD = 24;
const KEY_WORD = /^[A-Za-z]+$/;

/**
 * What cache keys of one kind have in common: `user:*` for `user:17:profile`, `laravel_user_*` for `laravel_user_17`.
 * `*` when there is nothing.
 */
export function keyPrefix(key: string): string {
  const start = key.slice(0, 200).trimStart();
  const at = start.search(/[:/|#.]/);
  const first = at < 0 ? start : start.slice(0, at);
  const words = first.split(/([_-])/);
  const kept: string[] = [];
  for (const word of words) {
    const isName = word === "_" || word === "-" ||
      (KEY_WORD.test(word) && word.length <= MAX_WORD);
    if (!isName) break;
    kept.push(word);
  }
  const isWhole = kept.length === words.length;
  if (kept.length === 0) return "*";
  if (!isWhole) return `${kept.join("")}*`;
  return at < 0 ? first : `${first}${start[at]}*`;
}
