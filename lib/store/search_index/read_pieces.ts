import type postgres from "postgres";
import { DAY_MS, type Interval } from "../../core/time.ts";
import type { Queryable } from "../database.ts";
import { QueryTooSlow } from "../query_limits.ts";
import { bounds, type Piece, wholeOf } from "./look_up.ts";

/** A search along time, where rows may be. */
interface PiecesSearch<Row> {
  /** Included. */
  readonly start: Date;
  /** Excluded. */
  readonly end: Date;
  /** Whether the earliest rows are wanted first. */
  readonly isForwards: boolean;
  /** How many rows are enough. */
  readonly limit: number;
  readonly timeoutMs: number;
  /** Finds the pieces of a part of the time, in order; null: all of it has to be read. */
  readonly find: (slice: Interval) => Promise<readonly Piece[] | null>;
  /**
   * Reads the rows of some pieces in the order that is wanted.
   *
   * @param missing how many rows are wanted still
   * @param leftMs how long it may take, a whole number
   */
  readonly read: (
    pieces: readonly Piece[],
    missing: number,
    leftMs: number,
  ) => Promise<readonly Row[]>;
}

const FIRST_ROWS = 4_096;
const FIRST_MS = DAY_MS;
const GROWTH = 4;

/**
 * Looks for rows in some pieces after the others until there are enough: what is frequent is found in the first ones.
 *
 * @throws {QueryTooSlow} when the time is over before there are enough rows, or all were read
 */
export async function readInPieces<Row>(search: PiecesSearch<Row>): Promise<Row[]> {
  const { isForwards, limit, timeoutMs, find, read } = search;
  const [start, end] = [search.start.getTime(), search.end.getTime()];
  const deadline = performance.now() + timeoutMs;
  const found: Row[] = [];
  let reached = isForwards ? start : end;
  let mostRows = FIRST_ROWS;
  for (let length = FIRST_MS; found.length < limit; length *= GROWTH) {
    if (isForwards ? reached >= end : reached <= start) break;
    const next = isForwards ? Math.min(end, reached + length) : Math.max(start, reached - length);
    const slice = {
      start: new Date(Math.min(reached, next)),
      end: new Date(Math.max(reached, next)),
    };
    reached = next;
    const left = [...await find(slice) ?? [wholeOf(slice)]];
    if (!isForwards) left.reverse();
    for (; found.length < limit && left.length > 0; mostRows *= GROWTH) {
      const now = performance.now();
      if (now >= deadline) throw new QueryTooSlow(`The search took longer than ${timeoutMs} ms`);
      const part = take(left, mostRows);
      found.push(...await read(part, limit - found.length, Math.ceil(deadline - now)));
    }
  }
  return found;
}

function take(pieces: Piece[], mostRows: number): Piece[] {
  let [count, rows] = [0, 0];
  for (const piece of pieces) {
    rows += piece.rows;
    if (count > 0 && rows > mostRows) break;
    count++;
  }
  return pieces.splice(0, count).sort((one, other) => one.start - other.start);
}

/** Pieces as a table of `piece_start` and `piece_end`, for a `from`. */
export function piecesTable(sql: Queryable, pieces: readonly Piece[]): postgres.Fragment {
  const { starts, ends } = bounds(pieces);
  return sql`
    unnest(${starts}::text[]::timestamptz[], ${ends}::text[]::timestamptz[])
      as piece (piece_start, piece_end)
  `;
}

/** The condition that a row is in a piece. */
export function inPiece(sql: Queryable): postgres.Fragment {
  return sql`"timestamp" >= piece_start and "timestamp" < piece_end`;
}

/** The same selection of the time that pieces are in: of other partitions a plan need not know. */
export function cutTo<T extends Interval>(selection: T, pieces: readonly Piece[]): T {
  const start = pieces.reduce((least, piece) => Math.min(least, piece.start), Infinity);
  const end = pieces.reduce((most, piece) => Math.max(most, piece.end), -Infinity);
  return {
    ...selection,
    start: new Date(Math.max(start, selection.start.getTime())),
    end: new Date(Math.min(end, selection.end.getTime())),
  };
}
