/** Where in time rows may be that are searched for; everything else has none of them. */
import { HOUR_MS, type Interval } from "../../core/time.ts";
import type { Sql } from "../database.ts";
import { KeptFacts } from "./kept_facts.ts";
import { type Blocks, blocksWith, hasBlock, partOf, unpackJson } from "./segment.ts";
import type { IndexName } from "./late_rows.ts";

/** A stretch of time to look at, in milliseconds since 1970. */
export interface Piece {
  /** Included. */
  readonly start: number;
  /** Excluded. */
  readonly end: number;
  /** About how many rows it has of all. */
  readonly rows: number;
  /** What is known of it when it is a block that all of its rows are in; else null. */
  readonly facts: unknown;
}

export interface Search {
  readonly projectId: string;
  readonly start: Date;
  readonly end: Date;
  /** Rows that are searched for are in all of these. */
  readonly buckets: readonly number[];
  /** Whether a block may have such rows, by what is known of it; absent: that is not read. */
  readonly mayHave?: (facts: unknown) => boolean;
  /** Makes something smaller of the facts of a segment's blocks, as they are kept in memory; always the same function. */
  readonly compact?: (facts: readonly unknown[]) => readonly unknown[];
}

/** More are not more certain. */
const MAX_BUCKETS = 16;
/** Reading more takes longer than it saves: 16,000,000 rows. */
const MAX_SEGMENTS = 1_000;
/** Of time without segments nobody has counted. */
const ROWS_UNKNOWN = 16_384;

interface Found {
  /** Of the segment; or of an hour with late rows, which has no end. */
  readonly start: Date;
  readonly end: Date | null;
  /** The number of a part, null: blocks. */
  readonly part: number | null;
  readonly bytes: Uint8Array | null;
  readonly facts: Uint8Array | null;
}

/**
 * Reads segments of a time.
 *
 * @returns what may have such rows in the order of time; null when there are no segments, or too many
 */
export async function lookUp(sql: Sql, name: IndexName, search: Search): Promise<Piece[] | null> {
  const buckets = spread(search.buckets, MAX_BUCKETS);
  const found = await read(sql, name, search, [...new Set(buckets.map(partOf))]);
  const segments = found.filter(({ part, end }) => part === null && end !== null);
  if (segments.length === 0 || segments.length > MAX_SEGMENTS) return null;
  const late = new Set(found.flatMap(({ end, start }) => end === null ? [start.getTime()] : []));
  const parts = Map.groupBy(
    found.filter(({ part }) => part !== null),
    ({ start }) => start.getTime(),
  );
  const kept = KeptFacts.of(sql);
  const pieces: Piece[] = [];
  let reached = search.start.getTime();
  const until = search.end.getTime();
  for (const segment of segments) {
    const start = segment.start.getTime();
    const end = segment.end?.getTime() ?? start;
    if (start > reached) pieces.push(unknown(reached, start));
    const ofSegment = new Map(
      (parts.get(start) ?? []).map(({ part, bytes }) => [part ?? 0, bytes ?? new Uint8Array()]),
    );
    const blocks = unpackJson<Blocks>(segment.bytes ?? new Uint8Array());
    const facts = segment.facts === null ? [] : kept.read(segment.facts, search.compact);
    const having = blocksWith(buckets, ofSegment);
    pieces.push(
      ...piecesOf(
        blocks,
        facts,
        { start, end },
        late,
        (block) => hasBlock(having, block) && (search.mayHave?.(facts[block]) ?? true),
      ),
    );
    reached = Math.max(reached, end);
  }
  if (reached < until) pieces.push(unknown(reached, until));
  return cut(pieces, search.start.getTime(), until);
}

/** Segments, their parts and late hours in one statement, which sees them as they were at one moment. */
async function read(
  sql: Sql,
  name: IndexName,
  { projectId, start, end, mayHave }: Search,
  parts: readonly number[],
): Promise<Found[]> {
  return await sql<Found[]>`
    with segments as (
      select start, "end", blocks, ${mayHave === undefined ? sql`null::bytea as` : sql``} facts
      from ${sql(`${name}_segments`)}
      where project_id = ${projectId} and start < ${end} and "end" > ${start}
      order by start limit ${MAX_SEGMENTS + 1}
    )
    select start, "end", null as part, blocks as bytes, facts from segments
    union all
    select start, null, part, bits, null from ${sql(`${name}_parts`)}
    where project_id = ${projectId} and part = any (${[...parts]}::smallint[])
      and start >= (select min(start) from segments)
      and start <= (select max(start) from segments)
    union all
    select hour, null, null, null, null from late_rows
    where project_id = ${projectId} and "table" = ${name}
      and hour > ${new Date(start.getTime() - HOUR_MS)} and hour < ${end}
    order by start
  `;
}

function* piecesOf(
  { starts, rows }: Blocks,
  facts: readonly unknown[],
  segment: { readonly start: number; readonly end: number },
  late: ReadonlySet<number>,
  isWanted: (block: number) => boolean,
): Generator<Piece> {
  for (const [block, offset] of starts.entries()) {
    const start = segment.start + offset;
    const next = starts[block + 1];
    const end = next === undefined ? segment.end : segment.start + next;
    const isLate = hoursOf(start, end).some((hour) => late.has(hour));
    if (!isLate && !isWanted(block)) continue;
    yield { start, end, rows: rows[block] ?? 0, facts: isLate ? null : facts[block] ?? null };
  }
}

function hoursOf(start: number, end: number): number[] {
  const hours: number[] = [];
  for (let hour = Math.floor(start / HOUR_MS) * HOUR_MS; hour < end; hour += HOUR_MS) {
    hours.push(hour);
  }
  return hours;
}

/** A piece of which nothing is known. */
export function wholeOf({ start, end }: Interval): Piece {
  return unknown(start.getTime(), end.getTime());
}

function unknown(start: number, end: number): Piece {
  return { start, end, rows: ROWS_UNKNOWN, facts: null };
}

/** What lies in the time; of blocks that do in part nothing is known. */
function cut(pieces: readonly Piece[], start: number, end: number): Piece[] {
  return pieces.flatMap((piece) => {
    if (piece.start >= start && piece.end <= end) return piece;
    const inside = { start: Math.max(piece.start, start), end: Math.min(piece.end, end) };
    return inside.start < inside.end ? { ...inside, rows: piece.rows, facts: null } : [];
  });
}

function spread(values: readonly number[], most: number): number[] {
  if (values.length <= most) return [...values];
  return Array.from(
    { length: most },
    (_, at) => values[Math.floor(at * values.length / most)] ?? 0,
  );
}

/** Pieces as two columns of a query, those that follow each other as one. */
export function bounds(pieces: readonly Piece[]): { starts: string[]; ends: string[] } {
  const joined: Interval[] = [];
  for (const { start, end } of pieces) {
    const last = joined.at(-1);
    if (last?.end.getTime() === start) joined[joined.length - 1] = { ...last, end: new Date(end) };
    else joined.push({ start: new Date(start), end: new Date(end) });
  }
  return {
    starts: joined.map(({ start }) => start.toISOString()),
    ends: joined.map(({ end }) => end.toISOString()),
  };
}
