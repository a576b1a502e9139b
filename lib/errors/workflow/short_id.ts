/** Names by which people speak of issues: `SHOP-1A` is the project's slug and the issue's number in it. */
import type { Queryable } from "../../store/database.ts";
import { isId } from "../../store/query_limits.ts";

/** Crockford's base 32: no letter that looks like a digit or like another. */
const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/** Letters that people read for digits. */
const MISREAD: Readonly<Record<string, string>> = { I: "1", L: "1", O: "0" };
/** 32^11 is still an exact number. */
const MAX_DIGITS = 10;

export interface ShortId {
  /** Lower case, as slugs are. */
  readonly slug: string;
  readonly number: number;
}

/** The short id of the issue with this number in the project of this slug. */
export function shortIdOf(slug: string, number: number): string {
  let text = "";
  for (let rest = number; rest > 0 || text === ""; rest = Math.floor(rest / DIGITS.length)) {
    text = DIGITS.charAt(rest % DIGITS.length) + text;
  }
  return `${slug.toUpperCase()}-${text}`;
}

/** Reads a short id, in either case and with `issue:` before it or not; null for anything else. */
export function parseShortId(text: string): ShortId | null {
  const [, slug = "", digits = ""] =
    /^(?:issue:)?([a-z0-9][a-z0-9_-]*)-([a-z0-9]+)$/i.exec(text.trim()) ?? [];
  if (digits === "" || digits.length > MAX_DIGITS) return null;
  let number = 0;
  for (const letter of digits.toUpperCase()) {
    const value = DIGITS.indexOf(MISREAD[letter] ?? letter);
    if (value < 0) return null;
    number = number * DIGITS.length + value;
  }
  return number > 0 ? { slug: slug.toLowerCase(), number } : null;
}

/** An issue as it stands now. */
export interface Found {
  readonly projectId: string;
  readonly id: string;
}

/**
 * Finds an issue by its id or its short id. A merged one stands for what it is part of.
 *
 * @param named what a client sent, whatever it is
 * @param projects where to look; slugs count for short ids only. In one project any slug does: it may have had
 *   another one
 */
export async function findIssueNamed(
  sql: Queryable,
  named: string,
  projects: readonly { readonly id: string; readonly slug: string }[],
): Promise<Found | null> {
  const short = isId(named) ? null : parseShortId(named);
  if (short === null && !isId(named)) return null;
  const meant = projects
    .filter(({ slug }) => short === null || projects.length === 1 || slug === short.slug)
    .map(({ id }) => id);
  if (meant.length === 0) return null;
  const [found] = await sql<Found[]>`
    select project_id as "projectId", coalesce(merged_into, id) as id from issues
    where project_id = any (${meant}::bigint[]) and merged_into is distinct from 0
      and ${short === null ? sql`id = ${named}` : sql`number = ${short.number}`}
  `;
  return found ?? null;
}
