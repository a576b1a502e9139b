/**
 * Turns the path of a route file, without its extension, into the pattern that it answers at:
 * `/(ui)/blog/[slug]` into `/blog/:slug`.
 */
export function toPattern(id: string, { keepGroups = false } = {}): string {
  const parts = id.split("/").slice(1);
  if (parts.at(-1) === "index") parts.pop();

  const names = parts
    .filter((part) => keepGroups || !/^\(.*\)$/.test(part))
    .map((part) => toSegment(part, id));
  return "/" + names.join("/");
}

function toSegment(part: string, id: string): string {
  const rest = /^\[\.\.\.(\w+)\]$/.exec(part);
  if (rest !== null) return `:${rest[1]}*`;

  const segment = part.replaceAll(/\[(\w+)\]/g, ":$1");
  if (/[[\]]/.test(segment) || part.includes("][")) {
    throw new SyntaxError(`Cannot use routes${id}: "${part}" is not a valid segment`);
  }
  return segment;
}

/** Orders route files so that what applies to others, and what is more specific, comes first. */
export function compareRouteIds(a: string, b: string): number {
  const [as, bs] = [a.split("/"), b.split("/")];
  const at = as.findIndex((part, index) => part !== bs[index]);
  const [left, right] = [as[at], bs[at]];
  if (left === undefined || right === undefined) return bs.length - as.length;
  return rank(left) - rank(right) || (left < right ? -1 : 1);
}

const RANKS = [
  /^_app$/,
  /^_middleware$/,
  /^_layout$/,
  /^_error$/,
  /^index$/,
  /^[^[(]/,
  /^\(/,
  /^\[(?!\.)/,
];

function rank(part: string): number {
  const index = RANKS.findIndex((pattern) => pattern.test(part));
  return index === -1 ? RANKS.length : index;
}
