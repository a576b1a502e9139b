import type postgres from "postgres";
import { type CursorPage, cutPage, isIsoTime, readCursor } from "./cursor.ts";
import type { Queryable, Sql } from "./database.ts";
import { likePattern } from "./like_pattern.ts";
import type { LogLevel } from "./records.ts";
import { inScope, type QueryScope } from "./scope_filter.ts";
import { storable } from "./storable.ts";

/** One log as lists show it. */
export interface LogRow {
  /** 32 lower-case hex digits. */
  readonly logId: string;
  readonly timestamp: Date;
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

/** One condition of a search: `logger:shop.*`, or `!user.id:7` for what has it not. */
export interface LogTerm {
  readonly key: string;
  readonly value: string;
  readonly isNegated: boolean;
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

/** Nobody waits for a list of logs any longer. */
export class LogSearchTooSlow extends Error {
  override name = "LogSearchTooSlow";
}

/**
 * One page of a project's logs, newest first.
 *
 * @throws {LogSearchTooSlow} when the search takes too long: a shorter time or fewer words would do
 */
export async function listLogs(sql: Sql, query: LogQuery): Promise<CursorPage<LogRow>> {
  const cursor = readCursor(
    query.cursor,
    (value, id) => isIsoTime(value) && /^[0-9a-f]{32}$/.test(id),
  );
  const isBackwards = cursor?.direction === "previous";
  const found = await inTime(sql, (tx) => {
    const beyond = cursor === null
      ? tx``
      : isBackwards
      ? tx`and ("timestamp", log_id) > (${cursor.value}::text::timestamptz, ${cursor.id}::uuid)`
      : tx`and ("timestamp", log_id) < (${cursor.value}::text::timestamptz, ${cursor.id}::uuid)`;
    return tx<LogRow[]>`
      select
        replace(log_id::text, '-', '') as "logId", "timestamp", level, body, logger, server,
        environment, release, replace(trace_id::text, '-', '') as "traceId", span_id as "spanId",
        attributes
      from logs
      where ${matching(tx, query)} ${beyond}
      order by ${isBackwards ? tx`"timestamp", log_id` : tx`"timestamp" desc, log_id desc`}
      limit ${query.limit + 1}
    `;
  });
  return cutPage(found, query.limit, cursor, ({ timestamp, logId }) => ({
    value: timestamp.toISOString(),
    id: logId,
  }));
}

/** How many logs of each level fall into each bucket of the range. */
export async function countLogs(
  sql: Sql,
  selection: LogSelection,
  bucketSec: number,
): Promise<{ readonly counts: number[]; readonly byLevel: ReadonlyMap<LogLevel, number> }> {
  const rows = await inTime(sql, (tx) =>
    tx<{ bucket: number; level: LogLevel; count: number }[]>`
      select
        floor(extract(epoch from "timestamp" - ${selection.start}::timestamptz) / ${bucketSec})::int
          as bucket,
        level, count(*)::int as count
      from logs
      where ${matching(tx, selection)}
      group by 1, 2
    `);
  const size = Math.ceil((selection.end.getTime() - selection.start.getTime()) / 1000 / bucketSec);
  const counts = new Array<number>(size).fill(0);
  const byLevel = new Map<LogLevel, number>();
  for (const { bucket, level, count } of rows) {
    if (bucket >= 0 && bucket < size) counts[bucket] = (counts[bucket] ?? 0) + count;
    byLevel.set(level, (byLevel.get(level) ?? 0) + count);
  }
  return { counts, byLevel };
}

/** How many logs a trace has around a time: a day before and after. */
export async function countLogsOfTrace(
  sql: Sql,
  projectId: string,
  traceId: string,
  around: Date,
): Promise<number> {
  const DAY_MS = 86_400_000;
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from logs
    where project_id = ${projectId} and trace_id = ${traceId}::uuid
      and "timestamp" >= ${new Date(around.getTime() - DAY_MS)}
      and "timestamp" < ${new Date(around.getTime() + DAY_MS)}
  `;
  return row?.count ?? 0;
}

const QUERY_CANCELED = "57014";

async function inTime<T>(
  sql: Sql,
  query: (tx: postgres.TransactionSql) => PromiseLike<T>,
): Promise<T> {
  try {
    return await sql.begin(async (tx) => {
      await tx`select set_config('statement_timeout', ${String(STATEMENT_TIMEOUT_MS)}, true)`;
      return await query(tx);
    }) as T;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === QUERY_CANCELED) {
      throw new LogSearchTooSlow("The search took too long");
    }
    throw error;
  }
}

function matching(sql: Queryable, selection: LogSelection): postgres.Fragment {
  const { projectId, start, end, levels, words, terms } = selection;
  const conditions = [
    ...words.map((word) => sql`body ilike ${`%${likePattern(storable(word))}%`}`),
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

const COLUMNS = new Set(["logger", "server", "level", "environment", "release"]);

/** A column, the trace, or an attribute; `*` stands for any text. */
function termCondition(sql: Queryable, { key, value }: LogTerm): postgres.Fragment {
  const pattern = value.split("*").map((part) => likePattern(storable(part))).join("%");
  if (key === "trace") {
    const id = value.replaceAll("-", "").toLowerCase();
    return /^[0-9a-f]{32}$/.test(id) ? sql`trace_id = ${id}::uuid` : sql`false`;
  }
  if (COLUMNS.has(key)) return sql`${sql(key)} ilike ${pattern}`;
  return sql`attributes->>${storable(key)} ilike ${pattern}`;
}
