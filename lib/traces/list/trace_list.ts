import { DAY_MS } from "../../core/time.ts";
import type postgres from "postgres";
import { storable } from "../../core/errors.ts";
import { isSpanFact } from "../../records/span_rules.ts";
import type { Queryable, Sql } from "../../store/database.ts";
import {
  type Cursor,
  type CursorPage,
  cutPage,
  dayOf,
  isHexId,
  isIsoTime,
  readCursor,
  readInSlices,
  withinTime,
} from "../../store/query_limits.ts";
import { lookUp, type Piece } from "../../store/search_index/look_up.ts";
import { inPiece, piecesTable, readInPieces } from "../../store/search_index/read_pieces.ts";
import { foldForReading } from "../../store/stats/fold_stats.ts";
import { conditionsOfBlocks } from "./index_transactions.ts";
import {
  type FactsOfTag,
  findNames,
  hasFact,
  indexConditions,
  matching,
  type SourcesOfTag,
  tellsOfNames,
  textPattern,
  type TraceSelection,
} from "./trace_terms.ts";

export interface TraceQuery extends TraceSelection {
  readonly cursor: string | null;
  readonly limit: number;
}

/**
 * One trace as lists show it: the whole of it, whatever part of it was searched for, as far as it happened within a
 * day of what was found.
 */
export interface TraceRow {
  /** 32 lower-case hex digits. */
  readonly traceId: string;
  /** Of the entry without parent, else of the earliest one; so are operation and status. */
  readonly name: string;
  readonly op: string;
  readonly status: string;
  readonly httpStatus: number | null;
  readonly startedAt: Date;
  /** From the start of the first entry to the end of the last. */
  readonly durationMs: number;
  readonly entries: number;
  /** Entries that failed. */
  readonly failures: number;
  /** Events of issues. */
  readonly errors: number;
  /** By name; platforms where no service was named. */
  readonly services: readonly string[];
  /** By name. */
  readonly environments: readonly string[];
}

/** Nobody waits for a list of traces any longer. */
const SEARCH_TIMEOUT_MS = 8_000;

/**
 * One page of a project's traces, those with the latest entry first.
 *
 * @throws {QueryTooSlow} when the search takes too long: a shorter time or fewer conditions would do
 */
export async function listTraces(sql: Sql, asked: TraceQuery): Promise<CursorPage<TraceRow>> {
  const query = await withSources(sql, asked);
  const page = await findLatest(sql, query);
  if (page.rows.length === 0) return { ...page, rows: [] };
  const rows = await withinTime(
    sql,
    SEARCH_TIMEOUT_MS,
    (tx) => describe(tx, query.projectId, page.rows),
  );
  return { ...page, rows };
}

async function findLatest(sql: Sql, query: TraceQuery): Promise<CursorPage<LatestEntry>> {
  const cursor = readTraceCursor(query.cursor);
  const limit = query.limit + 1;
  const timeoutMs = SEARCH_TIMEOUT_MS;
  const found = await findRare(sql, query, { cursor, limit, timeoutMs }) ??
    await readBlocks(sql, query, cursor, limit) ??
    await readAlongTime(sql, query, cursor, limit);
  return cutPage(found, query.limit, cursor, ({ timestamp, eventId }) => ({
    value: timestamp.toISOString(),
    id: eventId,
  }));
}

async function readAlongTime(
  sql: Sql,
  query: TraceQuery,
  cursor: Cursor | null,
  limit: number,
): Promise<LatestEntry[]> {
  return await readInSlices<LatestEntry>({
    ...beyond(query, cursor),
    limit,
    timeoutMs: SEARCH_TIMEOUT_MS,
    read: (slice, missing, leftMs) =>
      withinTime(sql, leftMs, (tx) => readSlice(tx, query, slice, cursor, missing)),
  });
}

/** The part of the time that lies beyond a cursor, and the direction in which it is read. */
function beyond({ start, end }: TraceQuery, cursor: Cursor | null) {
  const isForwards = cursor?.direction === "previous";
  const at = cursor === null ? null : Date.parse(cursor.value);
  return {
    start: at === null || !isForwards ? start : new Date(Math.max(at, start.getTime())),
    end: at === null || isForwards ? end : new Date(Math.min(at + 1, end.getTime())),
    isForwards,
  };
}

/** As {@linkcode readAlongTime}, where segments tell that there may be entries; null where they do not tell. */
async function readBlocks(
  sql: Sql,
  query: TraceQuery,
  cursor: Cursor | null,
  limit: number,
): Promise<LatestEntry[] | null> {
  const conditions = conditionsOfBlocks(query);
  if (conditions === null) return null;
  const { projectId } = query;
  return await readInPieces<LatestEntry>({
    ...beyond(query, cursor),
    limit,
    timeoutMs: SEARCH_TIMEOUT_MS,
    find: (slice) => lookUp(sql, "transaction", { projectId, ...slice, ...conditions }),
    read: (part, missing, leftMs) =>
      withinTime(sql, leftMs, (tx) => readPieces(tx, query, part, cursor, missing)),
  });
}

/** As {@linkcode readSlice}, of entries in some pieces of the time. */
async function readPieces(
  tx: postgres.TransactionSql,
  query: TraceQuery,
  pieces: readonly Piece[],
  cursor: Cursor | null,
  limit: number,
): Promise<LatestEntry[]> {
  return await tx<LatestEntry[]>`
    select found.* from ${piecesTable(tx, pieces)} cross join lateral (
      select ${latestColumns(tx)}
      from transactions as entry
      where ${matching(tx, query)} and ${inPiece(tx)} and ${beyondCursor(tx, cursor)}
        and ${isLatest(tx, query)}
      ${fromCursor(tx, cursor)}
      limit ${limit}
    ) as found
    order by ${
    cursor?.direction === "previous"
      ? tx`"timestamp", "eventId"::uuid`
      : tx`"timestamp" desc, "eventId"::uuid desc`
  }
    limit ${limit}
  `;
}

/** Whether no later entry of the trace matches. */
function isLatest(tx: Queryable, query: TraceQuery): postgres.Fragment {
  // A subquery with a limit is asked row by row along the index: as a join, Postgres may read the whole range first.
  return tx`(
    select true from transactions as later
    where ${matching(tx, query)} and later.trace_id = entry.trace_id
      and later."timestamp" >= entry."timestamp"
      and (later."timestamp", later.event_id) > (entry."timestamp", entry.event_id)
    limit 1
  ) is null`;
}

/** The latest entries of traces that lie in a part of the time and beyond the cursor. */
async function readSlice(
  tx: postgres.TransactionSql,
  query: TraceQuery,
  slice: { readonly start: Date; readonly end: Date },
  cursor: Cursor | null,
  limit: number,
): Promise<LatestEntry[]> {
  return await tx<LatestEntry[]>`
    select ${latestColumns(tx)}
    from transactions as entry
    where ${matching(tx, { ...query, ...slice })} and ${beyondCursor(tx, cursor)}
      and ${isLatest(tx, query)}
    ${fromCursor(tx, cursor)}
    limit ${limit}
  `;
}

interface TraceFacts extends Omit<TraceRow, "durationMs" | "errors"> {
  readonly endedAt: Date;
}

/** The traces of entries, in their order. */
async function describe(
  tx: postgres.TransactionSql,
  projectId: string,
  latest: readonly LatestEntry[],
): Promise<TraceRow[]> {
  const traceIds = latest.map(({ traceId }) => traceId);
  const times = latest.map(({ timestamp }) => timestamp.getTime());
  const around = {
    start: new Date(Math.min(...times) - DAY_MS),
    end: new Date(Math.max(...times) + DAY_MS),
  };
  const within = tx`
    project_id = ${projectId} and trace_id = any (${traceIds}::uuid[])
    and "timestamp" >= ${around.start} and "timestamp" < ${around.end}
  `;
  const root = tx`parent_span_id is not null, started_at, span_id`;
  const facts = await tx<TraceFacts[]>`
    select
      replace(trace_id::text, '-', '') as "traceId",
      (array_agg(name order by ${root}))[1] as name,
      (array_agg(op order by ${root}))[1] as op,
      (array_agg(status order by ${root}))[1] as status,
      (array_agg(http_status order by ${root}))[1] as "httpStatus",
      min(started_at) as "startedAt",
      max(started_at + duration_ms * interval '1 millisecond') as "endedAt",
      count(*)::int as entries,
      (count(*) filter (where is_failed))::int as failures,
      array_agg(distinct coalesce(nullif(service, ''), platform)) as services,
      array_agg(distinct environment) as environments
    from transactions
    where ${within}
    group by trace_id
  `;
  const errors = await tx<{ traceId: string; errors: number }[]>`
    select replace(trace_id::text, '-', '') as "traceId", count(*)::int as errors
    from events
    where ${within}
    group by trace_id
  `;
  const factsById = new Map(facts.map((each) => [each.traceId, each]));
  const errorsById = new Map(errors.map((each) => [each.traceId, each.errors]));
  return traceIds.flatMap((traceId) => {
    const found = factsById.get(traceId);
    if (found === undefined) return [];
    const { endedAt, environments, ...row } = found;
    return [{
      ...row,
      durationMs: endedAt.getTime() - row.startedAt.getTime(),
      environments: environments.filter((name) => name !== ""),
      errors: errorsById.get(traceId) ?? 0,
    }];
  });
}

// Finds traces by rare values in indexes: else a search for them reads every transaction of the time.

interface RarePage {
  readonly cursor: Cursor | null;
  /** How many entries are enough. */
  readonly limit: number;
  readonly timeoutMs: number;
}

/** More entries than this are not rare: reading along time finds a page of them sooner. */
const MAX_ENTRIES = 2_000;
/** Counts of the newest transactions, and so their names, may not be added up yet. */
const FRESH_MS = 5 * 60_000;

/**
 * The latest matching entries of traces beyond the cursor, if few entries match in all of the time.
 *
 * @returns null when there may be many, or when no index helps
 * @throws {QueryTooSlow} when it takes too long
 */
export async function findRare(
  sql: Sql,
  selection: TraceSelection,
  page: RarePage,
): Promise<LatestEntry[] | null> {
  const conditions = indexConditions(sql, selection.terms);
  if (tellsOfNames(selection)) await foldForReading(sql);
  else if (conditions.length === 0) return null;
  return await withinTime(sql, page.timeoutMs, async (tx) => {
    const names = await findNames(tx, selection);
    if (names === null && conditions.length === 0) return null;
    // A plan for any names would read along time.
    await tx`select set_config('plan_cache_mode', 'force_custom_plan', true)`;
    return await readRare(tx, entriesOf(tx, selection, names, conditions), page);
  });
}

/** All entries that match. */
function entriesOf(
  sql: Queryable,
  selection: TraceSelection,
  names: readonly string[] | null,
  conditions: readonly postgres.Fragment[],
): postgres.Fragment {
  const entries = (part: TraceSelection, more: postgres.Fragment) =>
    sql`
      select trace_id, "timestamp", event_id from transactions
      where ${matching(sql, part)} ${more}
        ${conditions.reduce((all, each) => sql`${all} and ${each}`, sql``)}
    `;
  if (names === null) return entries(selection, sql``);
  const fresh = new Date(Math.max(selection.start.getTime(), Date.now() - FRESH_MS));
  if (fresh >= selection.end) return entries(selection, sql`and name = any (${names}::text[])`);
  return sql`
    ${entries({ ...selection, end: fresh }, sql`and name = any (${names}::text[])`)}
    union all
    ${entries({ ...selection, start: fresh }, sql``)}
  `;
}

async function readRare(
  tx: postgres.TransactionSql,
  entries: postgres.Fragment,
  { cursor, limit }: RarePage,
): Promise<LatestEntry[] | null> {
  // The limit stands outside: with it, Postgres would hope to find enough by reading along time.
  const rows = await tx<(LatestEntry & { total: number })[]>`
    with matching as materialized (${entries}),
    few as materialized (select * from matching limit ${MAX_ENTRIES + 1}),
    latest as (
      select distinct on (trace_id) * from few order by trace_id, "timestamp" desc, event_id desc
    ),
    page as (
      select * from latest where ${beyondCursor(tx, cursor)} ${fromCursor(tx, cursor)}
      limit ${limit}
    )
    select ${latestColumns(tx)}, total
    from (select count(*)::int as total from few) as counted left join page on true
    ${fromCursor(tx, cursor)}
  `;
  if ((rows[0]?.total ?? 0) > MAX_ENTRIES) return null;
  return rows.filter(({ traceId }) => traceId !== null);
}

// Finds senders of spans by attributes of their resource, and what their spans work with: a few rows a day, while spans
// are millions.

/** More senders are told apart by something else. */
const MAX_SOURCES = 2_000;

/** The selection with the senders and facts that each of its tags means; those of tags of entries alone have none. */
async function withSources<Selection extends TraceSelection>(
  sql: Sql,
  selection: Selection,
): Promise<Selection> {
  const terms = await Promise.all(selection.terms.map(async (term) => {
    if (term.kind !== "tag") return term;
    const [sources, facts] = await Promise.all([
      sourcesOf(sql, selection, term.key, term.value),
      factsOf(sql, selection, term.key, term.value),
    ]);
    return { ...term, ...(sources !== null && { sources }), ...(facts !== null && { facts }) };
  }));
  return { ...selection, terms };
}

async function sourcesOf(
  sql: Sql,
  { projectId, start, end }: TraceSelection,
  key: string,
  value: string | null,
): Promise<SourcesOfTag | null> {
  const has = value === null
    ? sql`resource ? ${storable(key)}`
    : sql`resource->>${storable(key)} ilike ${textPattern(value)}`;
  const rows = await sql<{ sourceId: string; service: string }[]>`
    select distinct source_id as "sourceId", service from span_sources
    where project_id = ${projectId} and "timestamp" >= ${dayBefore(start)} and "timestamp" < ${end}
      and ${has}
    limit ${MAX_SOURCES}
  `;
  if (rows.length === 0) return null;
  return {
    sourceIds: rows.map(({ sourceId }) => sourceId),
    services: [...new Set(rows.map(({ service }) => service))],
  };
}

/** The migration since which facts stand by themselves, and how long processes of before may have gone on. */
const FACTS_MIGRATION = "%_span_chunks.sql";
const OVERLAP = "1 day";
/** More are looked up for each batch. */
const MAX_FACTS = 10_000;

/** @returns null when no span of the time can say it */
async function factsOf(
  sql: Sql,
  { projectId, start, end }: TraceSelection,
  key: string,
  value: string | null,
): Promise<FactsOfTag | null> {
  if (!isSpanFact(key, value ?? "any")) return null;
  const [rows, [{ isWithin = true } = {}]] = await Promise.all([
    sql<{ factsId: string }[]>`
      select distinct facts_id as "factsId" from span_facts
      where project_id = ${projectId} and "timestamp" >= ${
      dayBefore(start)
    } and "timestamp" < ${end}
        and ${hasFact(sql, key, value)}
      limit ${MAX_FACTS + 1}
    `,
    sql<{ isWithin: boolean }[]>`
      select applied_at + ${OVERLAP}::interval > ${dayBefore(start)} as "isWithin"
      from schema_migrations where name like ${FACTS_MIGRATION}
    `,
  ]);
  if (rows.length === 0 && !isWithin) return null;
  const areFew = rows.length <= MAX_FACTS;
  return { factsIds: areFew ? rows.map(({ factsId }) => factsId) : null, isWithin };
}

/** Sources and facts stand at the start of the day of their spans, which may begin the day before their entry ends. */
function dayBefore(start: Date): Date {
  return new Date(Date.parse(dayOf(start)) - DAY_MS);
}

/** How many rows tell which keys there are. */
const SAMPLE = { transactions: 1_000, batches: 500, sources: 500, facts: 500 };

/** Keys by which some traces of the time are found: of resources, and of the newest entries and spans. */
export async function traceKeys(
  sql: Sql,
  { projectId, start, end }: TraceSelection,
): Promise<string[]> {
  const within =
    sql`project_id = ${projectId} and "timestamp" >= ${start} and "timestamp" < ${end}`;
  const since = dayBefore(start);
  const rows = await sql<{ key: string }[]>`
    with newest as materialized (
      select trace_id, started_at from transactions where ${within}
      order by "timestamp" desc limit ${SAMPLE.batches}
    )
    select jsonb_object_keys(resource) as key from (
      select resource from span_sources
      where project_id = ${projectId} and "timestamp" >= ${since} and "timestamp" < ${end}
      order by "timestamp" desc limit ${SAMPLE.sources}
    ) as newest_sources
    union
    select jsonb_object_keys(tags) from (
      select tags from transactions where ${within} order by "timestamp" desc
      limit ${SAMPLE.transactions}
    ) as newest_entries
    union
    select jsonb_object_keys(facts) from (
      select facts from span_facts
      where project_id = ${projectId} and "timestamp" >= ${since} and "timestamp" < ${end}
      order by "timestamp" desc limit ${SAMPLE.facts}
    ) as newest_facts
    union
    select jsonb_object_keys(facts) from (
      select facts from span_batches
      where project_id = ${projectId} and trace_id in (select trace_id from newest)
        and facts_id is null and "timestamp" < ${end}
        and "timestamp" >= (select min(started_at) from newest) - interval '1 hour'
    ) as of_earlier_versions
    order by key
  `;
  return rows.map(({ key }) => key);
}

// Where a page of traces goes on: lists of them are in the order of each trace's latest entry.

/** The latest entry of a trace that is searched for. */
interface LatestEntry {
  /** 32 lower-case hex digits, as `eventId`. */
  readonly traceId: string;
  readonly timestamp: Date;
  readonly eventId: string;
}

/** Reads the cursor of a list of traces; null for the first page. */
export function readTraceCursor(text: string | null): Cursor | null {
  return readCursor(text, (value, id) => isIsoTime(value) && isHexId(id));
}

/** What `LatestEntry` is read of, as columns of a query. */
function latestColumns(sql: Queryable): postgres.Fragment {
  return sql`
    replace(trace_id::text, '-', '') as "traceId", "timestamp",
    replace(event_id::text, '-', '') as "eventId"
  `;
}

/** The condition that entries lie beyond the cursor. */
function beyondCursor(sql: Queryable, cursor: Cursor | null): postgres.Fragment {
  if (cursor === null) return sql`true`;
  return sql`
    ("timestamp", event_id) ${cursor.direction === "previous" ? sql`>` : sql`<`}
      (${cursor.value}::text::timestamptz, ${cursor.id}::uuid)
  `;
}

/** Those next to the cursor first. */
function fromCursor(sql: Queryable, cursor: Cursor | null): postgres.Fragment {
  return cursor?.direction === "previous"
    ? sql`order by "timestamp", event_id`
    : sql`order by "timestamp" desc, event_id desc`;
}
