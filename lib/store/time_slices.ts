import { DAY_MS } from "./scope_filter.ts";
import { QueryTooSlow } from "./statement_timeout.ts";

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
}

const FIRST_MS = DAY_MS;
/** Slices grow as long as one takes less than this. */
const QUICK_MS = 250;
const GROWTH = 4;

/**
 * Looks for rows one slice of time after the other until there are enough. The embedded database knows no timeouts and
 * does one thing at a time: so a search for something rare ends there as well, and others get their turn meanwhile.
 *
 * @throws {QueryTooSlow} when the time is over before there are enough rows, or all were read
 */
export async function readInSlices<Row>(search: SlicedSearch<Row>): Promise<Row[]> {
  const { isForwards, limit, timeoutMs, read } = search;
  const [start, end] = [search.start.getTime(), search.end.getTime()];
  const deadline = performance.now() + timeoutMs;
  const found: Row[] = [];
  let reached = isForwards ? start : end;
  let length = FIRST_MS;
  while (found.length < limit && (isForwards ? reached < end : reached > start)) {
    const began = performance.now();
    if (began >= deadline) throw new QueryTooSlow(`The search took longer than ${timeoutMs} ms`);
    const next = isForwards ? Math.min(end, reached + length) : Math.max(start, reached - length);
    const slice = {
      start: new Date(Math.min(reached, next)),
      end: new Date(Math.max(reached, next)),
    };
    found.push(...await read(slice, limit - found.length, Math.ceil(deadline - began)));
    if (performance.now() - began < QUICK_MS) length *= GROWTH;
    reached = next;
  }
  return found;
}
