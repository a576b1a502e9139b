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
export function idPlaceholder(word: string): string | undefined {
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
