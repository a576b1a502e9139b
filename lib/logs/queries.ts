import type postgres from "postgres";
import { storable } from "../core/errors.ts";
import { DAY_MS, type Interval } from "../core/time.ts";
import type { LogLevel } from "../records/mod.ts";
import type { Queryable, Sql } from "../store/database.ts";
import {
  type CursorPage,
  cutPage,
  inScope,
  isHexId,
  isIsoTime,
  isLike,
  type QueryScope,
  readCursor,
  withinTime,
} from "../store/query_limits.ts";
import { lookUp, type Piece } from "../store/search_index/look_up.ts";
import { cutTo, inPiece, piecesTable, readInPieces } from "../store/search_index/read_pieces.ts";
import { likePattern } from "../store/values.ts";
import { bucketsOf, COLUMNS, compactCounts, countsIn, type LogTerm } from "./index_logs.ts";

/** One log as lists show it. */
export interface LogRow {
  /** 32 lower-case hex digits. */
  readonly logId: string;
  readonly timestamp: Date;
  /** Beyond the whole millisecond of `timestamp`. */
  readonly nanos: number;
  readonly receivedAt: Date;
  /** Which of its request. */
  readonly place: number;
  readonly level: LogLevel;
  readonly body: string;
  readonly logger: string;
  readonly server: string;
  readonly environment: string;
  readonly release: string;
  /** 32 lower-case hex digits, or null. */
  readonly traceId: string | null;
  readonly spanId: string | null;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface LogSelection extends QueryScope {
  readonly projectId: string;
  /** All when empty. */
  readonly levels: readonly LogLevel[];
  /** Words that all stand in the body, without regard to case. */
  readonly words: readonly string[];
  readonly terms: readonly LogTerm[];
}

export interface LogQuery extends LogSelection {
  readonly cursor: string | null;
  readonly limit: number;
}

/** A search for rare words reads whole days: then the newest that were found in time have to do. */
const STATEMENT_TIMEOUT_MS = 8_000;

/**
 * One page of a project's logs, newest first: by the time as sent; of one instant the request that came later, and in it
 * what was written later.
 *
 * @throws {QueryTooSlow} when the search takes too long: a shorter time or fewer words would do
 */
export async function listLogs(sql: Sql, query: LogQuery): Promise<CursorPage<LogRow>> {
  const cursor = readCursor(
    query.cursor,
    (value, id) => readPosition(value) !== null && isHexId(id),
  );
  const position = cursor && readPosition(cursor.value);
  const isBackwards = cursor?.direction === "previous";
  const beyondCursor = (tx: Queryable) =>
    cursor && position ? beyond(tx, position, cursor.id, isBackwards) : tx``;
  const limit = query.limit + 1;
  const found = isNarrowed(query)
    ? await readInPieces<LogRow>({
      ...timeBeyond(query, position, isBackwards),
      isForwards: isBackwards,
      limit,
      timeoutMs: STATEMENT_TIMEOUT_MS,
      find: (slice) => piecesFor(sql, { ...query, ...slice }),
      read: (part, missing, leftMs) =>
        withinTime(sql, leftMs, (tx) =>
          tx<LogRow[]>`
            select found.* from ${piecesTable(tx, part)} cross join lateral (
              select ${columns(tx)} from logs
              where ${matching(tx, cutTo(query, part))} and ${inPiece(tx)} ${beyondCursor(tx)}
              order by ${order(tx, isBackwards)}
              limit ${missing}
            ) as found
            order by ${orderOfFound(tx, isBackwards)}
            limit ${missing}
          `),
    })
    : await withinTime(sql, STATEMENT_TIMEOUT_MS, (tx) =>
      tx<LogRow[]>`
        select ${columns(tx)} from logs
        where ${matching(tx, query)} ${beyondCursor(tx)}
        order by ${order(tx, isBackwards)}
        limit ${limit}
      `);
  return cutPage(
    found,
    query.limit,
    cursor,
    (log) => ({ value: writePosition(log), id: log.logId }),
  );
}

function columns(sql: Queryable): postgres.Fragment {
  return sql`
    replace(log_id::text, '-', '') as "logId", "timestamp", nanos, received_at as "receivedAt",
    place, level, body, logger, server, environment, release,
    replace(trace_id::text, '-', '') as "traceId", span_id as "spanId", attributes
  `;
}

function order(sql: Queryable, isBackwards: boolean): postgres.Fragment {
  return isBackwards
    ? sql`"timestamp", nanos, received_at, place, log_id`
    : sql`"timestamp" desc, nanos desc, received_at desc, place desc, log_id desc`;
}

function orderOfFound(sql: Queryable, isBackwards: boolean): postgres.Fragment {
  return isBackwards
    ? sql`"timestamp", nanos, "receivedAt", place, "logId"::uuid`
    : sql`"timestamp" desc, nanos desc, "receivedAt" desc, place desc, "logId"::uuid desc`;
}

/** Whether not all logs of the time are asked for. */
function isNarrowed({ levels, words, terms, environments, releases }: LogSelection): boolean {
  return [levels, words, terms, environments, releases].some(({ length }) => length > 0);
}

/** Where such logs may be; null: nobody knows. */
async function piecesFor(sql: Sql, selection: LogSelection): Promise<Piece[] | null> {
  const { projectId, start, end, levels, environments, releases } = selection;
  const buckets = bucketsOf(selection);
  const isInBlocks = [levels, environments, releases].some(({ length }) => length > 0);
  const mayHave = (facts: unknown) => {
    const counts = countsIn(facts, selection);
    if (counts === null) return true;
    return levels.length === 0 ? counts.size > 0 : levels.some((level) => counts.has(level));
  };
  const search = { projectId, start, end, buckets, compact: compactCounts };
  return await lookUp(
    sql,
    "log",
    isInBlocks || buckets.length === 0 ? { ...search, mayHave } : search,
  );
}

/** The part of the time that has something beyond the cursor. */
function timeBeyond(
  { start, end }: LogSelection,
  position: Position | null,
  isBackwards: boolean,
): Interval {
  const at = position?.timestamp.getTime();
  if (at === undefined) return { start, end };
  return isBackwards
    ? { start: new Date(Math.max(at, start.getTime())), end }
    : { start, end: new Date(Math.min(at + 1, end.getTime())) };
}

/** Where a log stands among those of its project, but for its id. */
type Position = Pick<LogRow, "timestamp" | "nanos" | "receivedAt" | "place">;

function writePosition({ timestamp, nanos, receivedAt, place }: Position): string {
  return [timestamp.toISOString(), nanos, receivedAt.toISOString(), place].join();
}

function readPosition(text: string): Position | null {
  const [timestamp = "", nanos = "", receivedAt = "", place = "", ...more] = text.split(",");
  const areNumbers = [nanos, place].every((digits) => /^\d{1,9}$/.test(digits));
  if (more.length > 0 || !isIsoTime(timestamp) || !isIsoTime(receivedAt) || !areNumbers) {
    return null;
  }
  return {
    timestamp: new Date(timestamp),
    nanos: Number(nanos),
    receivedAt: new Date(receivedAt),
    place: Number(place),
  };
}

/** The first condition is what the index knows. */
function beyond(
  sql: Queryable,
  { timestamp, nanos, receivedAt, place }: Position,
  id: string,
  isBackwards: boolean,
): postgres.Fragment {
  const all = sql`("timestamp", nanos, received_at, place, log_id)`;
  const one = sql`(
    ${timestamp}::timestamptz, ${nanos}::integer, ${receivedAt}::timestamptz, ${place}::integer, ${id}::uuid
  )`;
  return isBackwards
    ? sql`and "timestamp" >= ${timestamp} and ${all} > ${one}`
    : sql`and "timestamp" <= ${timestamp} and ${all} < ${one}`;
}

/** How many logs fall into each bucket, and how many of each level there are. */
export interface CountedLogs {
  readonly counts: number[];
  /** The same of each level that is asked for and there. */
  readonly countsOf: Readonly<Partial<Record<LogLevel, number[]>>>;
  readonly byLevel: ReadonlyMap<LogLevel, number>;
}

/** So many are counted while somebody waits for the page. */
const FEW_ROWS = 60_000;

/** As {@linkcode countLogs}, when that is soon done; else null. */
export async function countSoon(
  sql: Sql,
  selection: LogSelection,
  bucketSec: number,
  mostRows = FEW_ROWS,
): Promise<CountedLogs | null> {
  return await count(sql, selection, bucketSec, mostRows);
}

/**
 * How many logs fall into each bucket of the range, and how many of each level there are: also of levels that are not
 * asked for, since that is what one chooses them by.
 *
 * @throws {QueryTooSlow} when it takes too long
 */
export async function countLogs(
  sql: Sql,
  selection: LogSelection,
  bucketSec: number,
): Promise<CountedLogs> {
  return await count(sql, selection, bucketSec, Infinity) ??
    { counts: [], countsOf: {}, byLevel: new Map() };
}

/** @returns null when more rows than `mostRows` have to be looked at */
async function count(
  sql: Sql,
  selection: LogSelection,
  bucketSec: number,
  mostRows: number,
): Promise<CountedLogs | null> {
  const all = { ...selection, levels: [] };
  const pieces = await piecesFor(sql, all);
  const bucketAt = (ms: number) => Math.floor((ms - selection.start.getTime()) / 1000 / bucketSec);
  const rows: Count[] = [];
  const unknown: Piece[] = [];
  const isCounted = selection.words.length === 0 && selection.terms.length === 0;
  for (const piece of pieces ?? []) {
    const bucket = bucketAt(piece.start);
    const isWhole = isCounted && bucket === bucketAt(piece.end - 1);
    const known = isWhole ? countsIn(piece.facts, selection) : null;
    if (known === null) unknown.push(piece);
    else for (const [level, count] of known) rows.push({ bucket, level, count });
  }
  const counted = (tx: Queryable) =>
    tx`
    floor(extract(epoch from "timestamp" - ${selection.start}::timestamptz) / ${bucketSec})::int
      as bucket,
    level, count(*)::int as count
  `;
  const left = unknown.reduce((sum, each) => sum + each.rows, 0);
  if (left > mostRows) return null;
  const isPlain = pieces === null || left > MANY_ROWS;
  if (isPlain || unknown.length > 0) {
    rows.push(
      ...await withinTime(sql, STATEMENT_TIMEOUT_MS, (tx) =>
        isPlain
          ? tx<Count[]>`
            select ${counted(tx)} from logs where ${matching(tx, all)} group by 1, 2
          `
          : tx<Count[]>`
            select bucket, level, sum(count)::int as count
            from ${piecesTable(tx, unknown)} cross join lateral (
              select ${counted(tx)} from logs
              where ${matching(tx, cutTo(all, unknown))} and ${inPiece(tx)} group by 1, 2
            ) as found
            group by 1, 2
          `),
    );
  }
  const isWanted = (level: LogLevel) =>
    selection.levels.length === 0 || selection.levels.includes(level);
  const size = Math.ceil((selection.end.getTime() - selection.start.getTime()) / 1000 / bucketSec);
  const counts = new Array<number>(size).fill(0);
  const countsOf: Partial<Record<LogLevel, number[]>> = {};
  const byLevel = new Map<LogLevel, number>();
  for (const { bucket, level, count } of rows) {
    if (isWanted(level) && bucket >= 0 && bucket < size) {
      counts[bucket] = (counts[bucket] ?? 0) + count;
      const own = countsOf[level] ??= new Array<number>(size).fill(0);
      own[bucket] = (own[bucket] ?? 0) + count;
    }
    byLevel.set(level, (byLevel.get(level) ?? 0) + count);
  }
  return { counts, countsOf, byLevel };
}

interface Count {
  readonly bucket: number;
  readonly level: LogLevel;
  readonly count: number;
}

/** So many are read as fast without pieces. */
const MANY_ROWS = 500_000;

/** How many logs a trace has around a time: a day before and after. */
export async function countLogsOfTrace(
  sql: Sql,
  projectId: string,
  traceId: string,
  around: Date,
): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from logs
    where project_id = ${projectId} and trace_id = ${traceId}::uuid
      and "timestamp" >= ${new Date(around.getTime() - DAY_MS)}
      and "timestamp" < ${new Date(around.getTime() + DAY_MS)}
  `;
  return row?.count ?? 0;
}

function matching(sql: Queryable, selection: LogSelection): postgres.Fragment {
  const { projectId, start, end, levels, words, terms } = selection;
  const conditions = [
    ...words.map((word) => isLike(sql, sql`body`, `%${likePattern(storable(word))}%`)),
    ...terms.map((term) => {
      const condition = termCondition(sql, term);
      return term.isNegated ? sql`not coalesce(${condition}, false)` : condition;
    }),
  ];
  return sql`
    project_id = ${projectId} and "timestamp" >= ${start} and "timestamp" < ${end}
    ${inScope(sql, selection)}
    ${levels.length === 0 ? sql`` : sql`and level = any (${[...levels]}::text[])`}
    ${conditions.reduce((all, condition) => sql`${all} and ${condition}`, sql``)}
  `;
}

/** A column, the trace, or an attribute; `*` stands for any text. */
function termCondition(sql: Queryable, { key, value }: LogTerm): postgres.Fragment {
  const pattern = value.split("*").map((part) => likePattern(storable(part))).join("%");
  if (key === "trace") {
    const id = value.replaceAll("-", "").toLowerCase();
    return /^[0-9a-f]{32}$/.test(id) ? sql`trace_id = ${id}::uuid` : sql`false`;
  }
  if (COLUMNS.some((column) => column === key)) return sql`${sql(key)} ilike ${pattern}`;
  return isLike(sql, sql`attributes->>${storable(key)}`, pattern);
}
