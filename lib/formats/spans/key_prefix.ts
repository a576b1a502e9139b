/** Longer words are random. */
const MAX_WORD = 24;
const WORD = /^[A-Za-z]+$/;

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
    const isName = word === "_" || word === "-" || (WORD.test(word) && word.length <= MAX_WORD);
    if (!isName) break;
    kept.push(word);
  }
  const isWhole = kept.length === words.length;
  if (kept.length === 0) return "*";
  if (!isWhole) return `${kept.join("")}*`;
  return at < 0 ? first : `${first}${start[at]}*`;
}
