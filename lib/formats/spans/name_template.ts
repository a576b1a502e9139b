import { idPlaceholder } from "./path_template.ts";

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
  return parts.length === 1 ? word : parts.map(templatePart).join("");
}

/** A single digit is part of the name, as in `utf-8`. */
function templatePart(part: string): string {
  if (part.length === 1) return part;
  return EMAIL.test(part) ? "{email}" : idPlaceholder(part) ?? part;
}
