import type postgres from "postgres";
import { storable } from "../core/errors.ts";
import { DAY_MS, isOfCalendar } from "../core/time.ts";
import type { Queryable, Sql } from "./database.ts";

/** What nearly every query of telemetry is limited to. Empty lists ask for all. */
export interface QueryScope {
  readonly environments: readonly string[];
  readonly releases: readonly string[];
  /** Included. */
  readonly start: Date;
  /** Excluded. */
  readonly end: Date;
}

/** `and environment = any (…) and release = any (…)`, for tables that have both columns. */
export function inScope(
  sql: Queryable,
  { environments, releases }: Pick<QueryScope, "environments" | "releases">,
): postgres.Fragment {
  const isAny = (values: readonly string[]) => sql`= any (${values.map(storable)}::text[])`;
  return sql`
    ${environments.length === 0 ? sql`` : sql`and environment ${isAny(environments)}`}
    ${releases.length === 0 ? sql`` : sql`and release ${isAny(releases)}`}
  `;
}

/** The start of the UTC day, or of another period from the epoch, that holds `date`. */
export function floorTo(periodMs: number, date: Date): Date {
  return new Date(Math.floor(date.getTime() / periodMs) * periodMs);
}

/** The first start of such a period that is not before `date`. */
export function ceilTo(periodMs: number, date: Date): Date {
  return new Date(Math.ceil(date.getTime() / periodMs) * periodMs);
}

/** `YYYY-MM-DD` of the UTC day. */
export function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/** The starts of the periods that a range is made of; its start is the first one. */
export function periods({ start, end }: { start: Date; end: Date }, periodMs: number): Date[] {
  const count = Math.max(0, Math.ceil((end.getTime() - start.getTime()) / periodMs));
  return Array.from({ length: count }, (_, index) => new Date(start.getTime() + index * periodMs));
}

/** Where a page of a list goes on: after or before one row of it. */
export interface Cursor {
  readonly direction: "next" | "previous";
  /** The sort value of that row, as text. */
  readonly value: string;
  /** Its id, which decides between equal values. */
  readonly id: string;
}

/** A value is a name of 255 characters at most, of which JSON may make six each. */
const MAX_LENGTH = 2_200;
const BASE64 = { alphabet: "base64url", omitPadding: true } as const;

/** Writes a cursor as text for URLs: opaque to whoever carries it. */
function writeCursor({ direction, value, id }: Cursor): string {
  const json = JSON.stringify([direction === "next" ? 1 : 0, value, id]);
  // Names are in any language, which `btoa()` does not know.
  return new TextEncoder().encode(json).toBase64(BASE64);
}

/**
 * Reads a cursor back.
 *
 * @param isValid whether value and id can be of the list that is asked for
 * @returns null for anything else than what `writeCursor()` wrote: the first page, then
 */
export function readCursor(
  text: string | null,
  isValid: (value: string, id: string) => boolean,
): Cursor | null {
  if (text === null || text.length > MAX_LENGTH || !/^[\w-]+$/.test(text)) return null;
  try {
    const parsed: unknown = JSON.parse(
      new TextDecoder().decode(Uint8Array.fromBase64(text, BASE64)),
    );
    if (!Array.isArray(parsed)) return null;
    const [direction, value, id]: unknown[] = parsed;
    if (typeof value !== "string" || typeof id !== "string" || !isValid(value, id)) return null;
    return { direction: direction === 1 ? "next" : "previous", value, id };
  } catch {
    return null;
  }
}

/** A page of a list with the cursors of its neighbours; null where there is none. */
export interface CursorPage<Row> {
  readonly rows: Row[];
  readonly nextCursor: string | null;
  readonly previousCursor: string | null;
}

/**
 * Cuts a page out of what a query found: one row more than the page holds, in reading direction.
 *
 * @param found at most `limit + 1` rows, farthest from the cursor last
 * @param keyOf the sort value and id of a row
 */
export function cutPage<Row>(
  found: readonly Row[],
  limit: number,
  cursor: Cursor | null,
  keyOf: (row: Row) => { value: string; id: string },
): CursorPage<Row> {
  const isBackwards = cursor?.direction === "previous";
  const rows = found.slice(0, limit);
  if (isBackwards) rows.reverse();
  const hasMore = found.length > limit;
  const [first] = rows;
  const last = rows.at(-1);
  const hasNext = isBackwards || hasMore;
  const hasPrevious = isBackwards ? hasMore : cursor !== null;
  return {
    rows,
    nextCursor: hasNext && last ? writeCursor({ direction: "next", ...keyOf(last) }) : null,
    previousCursor: hasPrevious && first
      ? writeCursor({ direction: "previous", ...keyOf(first) })
      : null,
  };
}

/**
 * Where a list goes on whose highest rows come first, and among equals those of the highest id.
 *
 * @param columns sort value and id
 * @param at makes both of a cursor, in the types of their columns
 * @returns the condition `and …` for what is beyond the cursor, and the order in which to read
 */
export function keyset(
  sql: Queryable,
  cursor: Cursor | null,
  [value, id]: readonly [value: postgres.Fragment, id: postgres.Fragment],
  at: (cursor: Cursor) => postgres.Fragment,
): { readonly beyond: postgres.Fragment; readonly order: postgres.Fragment } {
  const isBackwards = cursor?.direction === "previous";
  const side = isBackwards ? sql`>` : sql`<`;
  return {
    beyond: cursor === null ? sql`` : sql`and (${value}, ${id}) ${side} (${at(cursor)})`,
    order: isBackwards ? sql`${value}, ${id}` : sql`${value} desc, ${id} desc`,
  };
}

/** Digits that are always a `bigint` to Postgres. */
export function isId(text: string): boolean {
  return /^\d{1,18}$/.test(text);
}

/** A UUID as 32 lower-case hex digits without hyphens. */
export function isHexId(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}

/** What `Date.toISOString()` writes, and Postgres reads. */
export function isIsoTime(text: string): boolean {
  const ms = Date.parse(text);
  // A `Date` takes the 31st of February for the 3rd of March.
  return isOfCalendar(ms) && new Date(ms).toISOString() === text;
}

/** A search along time. */
export interface SlicedSearch<Row> {
  /** Included. */
  readonly start: Date;
  /** Excluded. */
  readonly end: Date;
  /** Whether the earliest rows are wanted first. */
  readonly isForwards: boolean;
  /** How many rows are enough. */
  readonly limit: number;
  readonly timeoutMs: number;
  /**
   * Reads the rows of one slice in the order that is wanted.
   *
   * @param missing how many rows are wanted still
   * @param leftMs how long it may take, a whole number
   */
  readonly read: (
    slice: { readonly start: Date; readonly end: Date },
    missing: number,
    leftMs: number,
  ) => Promise<readonly Row[]>;
  /** @default {performance.now} */
  readonly now?: () => number;
}

const FIRST_MS = DAY_MS;
/** Slices grow as long as one takes less than this. */
const QUICK_MS = 250;
const GROWTH = 4;

/**
 * Looks for rows one slice of time after the other until there are enough. The embedded database does one thing at a
 * time: so others get their turn while something rare is searched for.
 *
 * @throws {QueryTooSlow} when the time is over before there are enough rows, or all were read
 */
export async function readInSlices<Row>(search: SlicedSearch<Row>): Promise<Row[]> {
  const { isForwards, limit, timeoutMs, read, now = () => performance.now() } = search;
  const [start, end] = [search.start.getTime(), search.end.getTime()];
  const deadline = now() + timeoutMs;
  const found: Row[] = [];
  let reached = isForwards ? start : end;
  let length = FIRST_MS;
  while (found.length < limit && (isForwards ? reached < end : reached > start)) {
    const began = now();
    if (began >= deadline) throw new QueryTooSlow(`The search took longer than ${timeoutMs} ms`);
    const next = isForwards ? Math.min(end, reached + length) : Math.max(start, reached - length);
    const slice = {
      start: new Date(Math.min(reached, next)),
      end: new Date(Math.max(reached, next)),
    };
    found.push(...await read(slice, limit - found.length, Math.ceil(deadline - began)));
    if (now() - began < QUICK_MS) length *= GROWTH;
    reached = next;
  }
  return found;
}

/** Nothing but ASCII, of which upper and lower case are the same in every language. */
const PLAIN = /^\p{ASCII}*$/u;

/**
 * The condition that a text is like a pattern, without regard to case. Among letters of all languages Postgres takes
 * three to five times as long as among those of ASCII, which are all that most texts have.
 *
 * @param text an expression, which comes several times
 */
export function isLike(
  sql: Queryable,
  text: postgres.Fragment,
  pattern: string,
): postgres.Fragment {
  const ofAll = sql`(${text}) ilike ${pattern}`;
  if (!PLAIN.test(pattern)) return ofAll;
  return sql`case when octet_length(${text}) = length(${text})
    then (${text}) collate "C" ilike ${pattern} else ${ofAll} end`;
}

/** A query that looks for something rare reads whole days: nobody waits for that any longer. */
export class QueryTooSlow extends Error {
  override name = "QueryTooSlow";
}

const QUERY_CANCELED = "57014";

/**
 * Runs queries of which each may take only so long. The embedded database reads the limit on its way
 * (`embedded/server.ts`), and allows four seconds at most.
 *
 * @param query gets a transaction, and uses nothing else
 * @throws {QueryTooSlow} when one takes longer
 */
export async function withinTime<T>(
  sql: Sql,
  timeoutMs: number,
  query: (tx: postgres.TransactionSql) => PromiseLike<T>,
): Promise<T> {
  try {
    return await sql.begin(async (tx) => {
      // Many partitions make a plan look dear, and Postgres compiles it: a second for a query of ten milliseconds.
      const limitMs = Math.max(1, Math.ceil(timeoutMs));
      await tx.unsafe(`set local statement_timeout = ${limitMs}; set local jit = off`);
      return await query(tx);
    }) as T;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === QUERY_CANCELED) {
      throw new QueryTooSlow(`The query took longer than ${timeoutMs} ms`);
    }
    throw error;
  }
}

/** What a query found; null when it took too long. */
export async function nullIfSlow<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof QueryTooSlow) return null;
    throw error;
  }
}
