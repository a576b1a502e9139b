/**
 * Which lines of a CODEOWNERS file match a path. A file may have a hundred thousand lines, and they are a stranger's: most
 * kinds of lines are looked up by name, and the rest is compared segment by segment within a budget. A library that makes a
 * regular expression of each line would compare all of them, and some for ever.
 */
import type { GlobBudget } from "../../core/matchers.ts";

export interface PathIndex {
  /** The places of the patterns that match one of these paths, the last first. */
  matching(paths: readonly string[], budget: GlobBudget): number[];
}

interface General {
  readonly segments: readonly string[];
  readonly isAnchored: boolean;
  readonly isFolder: boolean;
  readonly place: number;
}

/** Places by name. */
type Named = Map<string, number[]>;

interface Kinds {
  /** `/src/cart`: this path, or what is below it. */
  readonly anchored: Named;
  /** `/src/cart/`, `/src/cart/**`: what is below it. */
  readonly below: Named;
  /** `/src/*`: what is directly in it. */
  readonly inside: Named;
  /** `cart`: any file or folder of this name. */
  readonly names: Named;
  /** `cart/`: any folder of this name. */
  readonly folders: Named;
  /** `*.ts`, and `*` as the empty ending. */
  readonly endings: Named;
  readonly general: General[];
}

/** More segments than any path has that means something. */
const MAX_SEGMENTS = 100;
/** What a comparison costs beside its text, in characters. */
const COMPARISON = 8;

/** @param patterns as in `.gitignore`, without `!` and `[]` */
export function indexPaths(patterns: readonly string[]): PathIndex {
  const kinds: Kinds = {
    anchored: new Map(),
    below: new Map(),
    inside: new Map(),
    names: new Map(),
    folders: new Map(),
    endings: new Map(),
    general: [],
  };
  for (const [place, pattern] of patterns.entries()) file(kinds, pattern, place);
  kinds.general.reverse();
  return {
    matching(paths, budget) {
      const found = new Set<number>();
      const split = paths.map((path) => segmentsOf(path).slice(0, MAX_SEGMENTS));
      for (const segments of split) lookUp(kinds, segments, found);
      compare(kinds.general, split, found, budget);
      return [...found].sort((a, b) => b - a);
    },
  };
}

function file(kinds: Kinds, pattern: string, place: number): void {
  const isFolder = pattern.endsWith("/");
  const segments = segmentsOf(pattern);
  // `**/` at the start says what having no slash says.
  let isAnchored = /\/[^]/.test(pattern);
  while (segments.length > 1 && segments[0] === "**") {
    segments.shift();
    isAnchored = false;
  }
  const last = segments.at(-1);
  if (last === undefined) return;
  const body = segments.join("/");
  const front = segments.slice(0, -1).join("/");
  const isPlain = (text: string) => !/[*?]/.test(text);
  if (isAnchored && isPlain(body)) add(isFolder ? kinds.below : kinds.anchored, body, place);
  else if (isAnchored && last === "**" && isPlain(front)) add(kinds.below, front, place);
  else if (isAnchored && last === "*" && isPlain(front) && !isFolder) {
    add(kinds.inside, front, place);
  } else if (!isAnchored && segments.length === 1 && isPlain(body)) {
    add(isFolder ? kinds.folders : kinds.names, body, place);
  } else if (!isAnchored && !isFolder && /^\*+(?:\.[^*?]*)?$/.test(body)) {
    add(kinds.endings, body.replace(/^\*+/, ""), place);
  } else kinds.general.push({ segments, isAnchored, isFolder, place });
}

function add(named: Named, name: string, place: number): void {
  const places = named.get(name);
  if (places === undefined) named.set(name, [place]);
  else places.push(place);
}

export function segmentsOf(path: string): string[] {
  return path.split("/").filter((part) => part !== "");
}

function lookUp(kinds: Kinds, segments: readonly string[], found: Set<number>): void {
  const take = (named: Named, name: string) => {
    for (const place of named.get(name) ?? []) found.add(place);
  };
  let path = "";
  for (const [index, segment] of segments.entries()) {
    const isFile = index === segments.length - 1;
    if (index === segments.length - 1) take(kinds.inside, path);
    path = index === 0 ? segment : `${path}/${segment}`;
    take(kinds.anchored, path);
    take(kinds.names, segment);
    if (!isFile) {
      take(kinds.below, path);
      take(kinds.folders, segment);
    }
    for (let at = segment.indexOf("."); at >= 0; at = segment.indexOf(".", at + 1)) {
      take(kinds.endings, segment.slice(at));
    }
  }
  if (segments.length > 0) take(kinds.endings, "");
}

/** The last patterns first: where the budget ends, the first ones are left out. */
function compare(
  general: readonly General[],
  paths: readonly (readonly string[])[],
  found: Set<number>,
  budget: GlobBudget,
): void {
  for (const pattern of general) {
    for (const segments of paths) {
      budget.left -= COMPARISON;
      if (budget.left < 0) return;
      if (!matches(pattern, segments, budget)) continue;
      found.add(pattern.place);
      break;
    }
  }
}

/** Walks over the path once, with the set of places in the pattern that can be reached: no way back. */
function matches(
  { segments: wanted, isAnchored, isFolder }: General,
  path: readonly string[],
  budget: GlobBudget,
): boolean {
  // `*` as the last segment of an anchored pattern means files of that folder only.
  const isShallow = isAnchored && wanted.at(-1) === "*";
  const skip = (places: Set<number>) => {
    for (const place of places) if (wanted[place] === "**") places.add(place + 1);
  };
  let places = new Set([0]);
  skip(places);
  for (const [index, segment] of path.entries()) {
    const next = new Set<number>();
    for (const place of places) {
      const glob = wanted[place];
      if (glob === undefined) continue;
      budget.left -= COMPARISON;
      if (budget.left < 0) return false;
      if (glob === "**") next.add(place);
      else if (isLike(glob, segment, budget)) next.add(place + 1);
    }
    if (!isAnchored) next.add(0);
    skip(next);
    const isFile = index === path.length - 1;
    if (next.has(wanted.length) && (isFile ? !isFolder : !isShallow)) return true;
    places = next;
    if (places.size === 0) return false;
  }
  return false;
}

/** `*` and `?` within one segment, for as many steps as are left: a long pattern may look at each character often. */
function isLike(glob: string, text: string, budget: GlobBudget): boolean {
  let at = 0;
  let place = 0;
  let star = -1;
  let resume = 0;
  while (at < text.length) {
    if (--budget.left < 0) return false;
    if (glob[place] === "*") {
      star = place++;
      resume = at;
    } else if (place < glob.length && (glob[place] === "?" || glob[place] === text[at])) {
      place++;
      at++;
    } else if (star >= 0) {
      place = star + 1;
      at = ++resume;
    } else return false;
  }
  while (glob[place] === "*") place++;
  return place === glob.length;
}
