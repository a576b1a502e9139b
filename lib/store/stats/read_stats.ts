import { DAY_MS, HOUR_MS } from "../../core/time.ts";
import type postgres from "postgres";
import { storable } from "../../core/errors.ts";
import type { Queryable, Sql, Transaction } from "../database.ts";
import { likePattern } from "../values.ts";
import { foldForReading } from "./fold_stats.ts";
import { chartPiece, type Piece, piecesOf } from "./periods.ts";
import {
  isSummed,
  type Series,
  SERIES_KINDS,
  type SeriesKind,
  TOTAL_KINDS,
  WHOLE_KINDS,
} from "./series.ts";
import { hasTotals } from "./totals.ts";
import { type Costly, statsOf, type StatsRow, type StatsWithout } from "./stats.ts";

export type { SeriesColumn, StatsSelection };

/** A list longer than this is read by nobody: the largest parts of it are what counts. */
export const MAX_GROUPS = 5_000;

export type Grouped<C extends SeriesColumn, Left extends Costly = never> =
  & { readonly [column in C]: string }
  & StatsWithout<Left>;

type GroupedByEach<C extends SeriesColumn, Left extends Costly = never> = {
  readonly [column in C]: Grouped<column, Left>[];
};

/**
 * Adds up counts by the values of columns, those with the greatest sum of values first, at most
 * {@linkcode MAX_GROUPS}. Without columns there is one row, or none.
 *
 * @param without what nobody looks at: it is not read
 * @param each one of the columns: as many groups are read for each of its values
 */
export async function readStats<C extends SeriesColumn, Left extends Costly = never>(
  sql: Sql,
  asked: StatsSelection,
  by: readonly C[],
  without: readonly Left[] = [],
  each?: C,
): Promise<Grouped<C, Left>[]> {
  const pieces = piecesOf(asked, asked.kind);
  if (pieces.length === 0) return [];
  const selection = await narrowest(sql, asked, by, pieces);
  await foldForReading(sql);
  const rows = await hashed(sql, (tx) =>
    tx<(StatsRow & Record<C, string>)[]>`
      ${fewSeries(tx, selection, by)}
      select * from (
        select
          ${columnsOf(tx, by)} ${sums(tx, without)},
          row_number() over (${partitionOf(tx, each)} order by sum(counted.sum) desc) as place
        from (${counts(tx, selection, pieces)}) as counted
        join ${seriesTable(tx, selection, by)} on series.series_id = counted.series_id
        ${by.length === 0 ? tx`having count(*) > 0` : groupBy(tx, by.length)}
      ) as placed
      where place <= ${MAX_GROUPS}
      order by sum desc
    `);
  return rows.map((row) => ({ ...groupOf<C>(row, by), ...statsOf<Left>(row) }));
}

/**
 * The same by each of several columns for itself, read at once.
 *
 * @returns the counts by column, those with the greatest sum of values first
 */
export async function readStatsByEach<C extends SeriesColumn, Left extends Costly = never>(
  sql: Sql,
  asked: StatsSelection,
  columns: readonly C[],
  without: readonly Left[] = [],
): Promise<GroupedByEach<C, Left>> {
  const pieces = piecesOf(asked, asked.kind);
  const byColumn = emptyOf<C, Left>(columns);
  if (pieces.length === 0) return byColumn;
  const selection = await narrowest(sql, asked, columns, pieces);
  await foldForReading(sql);
  const rows = await hashed(sql, (tx) =>
    tx<(StatsRow & Record<C, string | null>)[]>`
      ${fewSeries(tx, selection, columns)}
      select ${columnsOf(tx, columns)} ${sums(tx, without)}
      from (${counts(tx, selection, pieces)}) as counted
      join ${seriesTable(tx, selection, columns)} on series.series_id = counted.series_id
      group by grouping sets ${tx.unsafe(`(${columns.map((_, i) => `(${i + 1})`).join(", ")})`)}
      order by sum(counted.sum) desc
      limit ${MAX_GROUPS}
    `);
  for (const row of rows) {
    // Columns themselves are never null: it says that a row is of another one.
    const column = columns.find((each) => row[each] !== null);
    if (column === undefined) continue;
    const group = { [column]: row[column], ...statsOf<Left>(row) } as Grouped<C, Left>;
    byColumn[column].push(group);
  }
  return byColumn;
}

/** Counts of one step of a chart. */
export interface StatsAt<Left extends Costly = never> {
  /** Start of the step, in milliseconds since 1970. */
  readonly time: number;
  readonly stats: StatsWithout<Left>;
}

/** Counts along time, by step; steps without any are left out. */
export async function readStatsOverTime<Left extends Costly = never>(
  sql: Sql,
  selection: StatsSelection,
  stepMs: number,
  without: readonly Left[] = [],
): Promise<StatsAt<Left>[]> {
  const series = await readSeriesOverTime(sql, selection, [], stepMs, without);
  return series.map(({ time, stats }) => ({ time, stats }));
}

/** The same, for each value of columns. */
export async function readSeriesOverTime<C extends SeriesColumn, Left extends Costly = never>(
  sql: Sql,
  asked: StatsSelection,
  by: readonly C[],
  stepMs: number,
  without: readonly Left[] = [],
): Promise<(StatsAt<Left> & { readonly group: { readonly [column in C]: string } })[]> {
  const piece = chartPiece(asked, stepMs);
  const selection = await narrowest(sql, asked, by, [piece]);
  await foldForReading(sql);
  const rows = await hashed(sql, (tx) =>
    tx<(StatsRow & Record<C, string> & { time: Date })[]>`
      ${fewSeries(tx, selection, by)}
      select
        date_bin(${`${stepMs} milliseconds`}, counted."timestamp", '1970-01-01T00:00:00Z') as time,
        ${columnsOf(tx, by)} ${sums(tx, without)}
      from (${counts(tx, selection, [piece])}) as counted
      join ${seriesTable(tx, selection, by)} on series.series_id = counted.series_id
      ${groupBy(tx, by.length + 1)}
      order by 1
    `);
  return rows.map((row) => ({
    time: row.time.getTime(),
    group: groupOf(row, by),
    stats: statsOf<Left>(row),
  }));
}

/**
 * Runs a query whose joins are made by hashing, and which is not compiled. Tables that nobody has analysed yet look
 * empty to the planner: a loop within a loop took seconds then. And many partitions look dear, which it compiles for.
 * A plan for any time would read all of them. Sketches of thousands of groups are more than the default memory holds.
 * Groups are found by hashing as well: sorting rows by their names first costs more than adding them up.
 */
async function hashed<T>(sql: Sql, query: (tx: Transaction) => PromiseLike<T>): Promise<T> {
  return await sql.begin(async (tx) => {
    // Sent one after the other without waiting.
    const [, rows] = await Promise.all([
      tx`
        select
          set_config('enable_nestloop', 'off', true), set_config('jit', 'off', true),
          set_config('plan_cache_mode', 'force_custom_plan', true),
          set_config('work_mem', '32MB', true), set_config('enable_sort', 'off', true)
      `,
      query(tx),
    ]);
    return rows;
  }) as T;
}

function emptyOf<C extends SeriesColumn, Left extends Costly>(
  columns: readonly C[],
): GroupedByEach<C, Left> {
  const empty: { [column in C]?: Grouped<column, Left>[] } = {};
  for (const column of columns) empty[column] = [];
  return empty as GroupedByEach<C, Left>;
}

function groupOf<C extends SeriesColumn>(
  row: Readonly<Record<C, string>>,
  by: readonly C[],
): Record<C, string> {
  const group: Partial<Record<C, string>> = {};
  for (const column of by) group[column] = row[column];
  return group as Record<C, string>;
}

function columnsOf(sql: Queryable, by: readonly SeriesColumn[]): postgres.Fragment {
  return by.reduce((all, column) => {
    const name: string = COLUMNS[column];
    const as: string = column;
    return sql`${all} series.${sql(name)} as ${sql(as)},`;
  }, sql``);
}

function sums(sql: Queryable, without: readonly Costly[]): postgres.Fragment {
  const bytes = COSTLY.filter((column) => !without.includes(column)).reduce(
    (all, column) => sql`${all} string_agg(${sql(column)}, ''::bytea) as ${sql(column)},`,
    sql``,
  );
  return sql`
    sum(counted.count) as count, sum(failures) as failures, sum(weight) as weight, sum(counted.sum) as sum,
    sum(status_2xx) as status_2xx, sum(status_3xx) as status_3xx,
    sum(status_4xx) as status_4xx, sum(status_5xx) as status_5xx,
    ${bytes}
    replace((array_agg(trace_id))[1]::text, '-', '') as "traceId", max(counted."timestamp") as "lastSeen"
  `;
}

function partitionOf(sql: Queryable, column: SeriesColumn | undefined): postgres.Fragment {
  if (column === undefined) return sql``;
  const name: string = COLUMNS[column];
  return sql`partition by series.${sql(name)}`;
}

const COSTLY: readonly Costly[] = ["sketch", "users"];

function groupBy(sql: Queryable, columns: number): postgres.Fragment {
  return sql`group by ${sql.unsafe(Array.from({ length: columns }, (_, i) => i + 1).join(", "))}`;
}

/** A value of one of these is what few series have. */
const FEW = ["name", "route", "parent"] as const;

/**
 * Few series are looked up one by one in an index; of many all counts are read. By the series is cheaper while they are
 * less than about 40 % of all: parts of names and releases nearly always are.
 */
function areFew({ where = {}, nameLike = "", releases }: StatsSelection): boolean {
  return nameLike !== "" || releases.length > 0 ||
    FEW.some((column) => where[column] !== undefined);
}

/** The prelude of a query that looks few series up: `with series as …`. */
function fewSeries(
  sql: Queryable,
  selection: StatsSelection,
  by: readonly SeriesColumn[],
): postgres.Fragment {
  return areFew(selection)
    ? sql`with series as materialized (${chosenSeries(sql, selection, by)})`
    : sql``;
}

/** The series to join with counts. Of many the planner must see the table: else it hashes the counts, which are more. */
function seriesTable(
  sql: Queryable,
  selection: StatsSelection,
  by: readonly SeriesColumn[],
): postgres.Fragment {
  return areFew(selection) ? sql`series` : sql`(${chosenSeries(sql, selection, by)}) as series`;
}

function counts(
  sql: Queryable,
  selection: StatsSelection,
  pieces: readonly Piece[],
): postgres.Fragment {
  const { projectId, kind } = selection;
  const ofThese = areFew(selection)
    ? sql`and series_id = any (array(select series_id from series))`
    : sql``;
  const parts = pieces.map(({ table, start, end }) =>
    sql`
      select * from ${sql(table)}
      where project_id = ${projectId} and kind = ${SERIES_KINDS[kind]}
        and "timestamp" >= ${start} and "timestamp" < ${end} ${ofThese}
    `
  );
  return parts.reduce((all, part) => sql`${all} union all ${part}`);
}

// Which series counts are read of, as conditions on `stat_series`.

/** What counts are read of. Lists that are empty or left out ask for all. */
interface StatsSelection {
  readonly projectId: string;
  readonly kind: SeriesKind;
  readonly environments: readonly string[];
  readonly releases: readonly string[];
  readonly services: readonly string[];
  /** Included, brought down to the start of its minute or hour. */
  readonly start: Date;
  /** Excluded. */
  readonly end: Date;
  /** Exact values of columns. */
  readonly where?: Partial<Readonly<Record<SeriesColumn, string | readonly string[]>>>;
  /** Without regard to case, `*` stands for anything. */
  readonly nameLike?: string;
}

type SeriesColumn = Exclude<keyof Series, "kind">;

/** Columns of series by their names in Postgres. */
const COLUMNS: Readonly<Record<SeriesColumn, string>> = {
  environment: "environment",
  release: "release",
  service: "service",
  name: "name",
  op: "op",
  category: "category",
  parent: "parent",
  httpMethod: "http_method",
  route: "route",
  protocol: "protocol",
  browser: "browser",
  device: "device",
  country: "country",
};

/**
 * The same selection of the kind with the fewest rows that can answer it.
 *
 * @param by columns that are told apart
 * @param pieces the time that is read
 */
async function narrowest(
  sql: Sql,
  selection: StatsSelection,
  by: readonly SeriesColumn[],
  pieces: readonly Piece[],
): Promise<StatsSelection> {
  const { kind, nameLike = "", where = {} } = selection;
  if (!isSummed(kind) || nameLike !== "") return wholeIfAll(selection, by);
  const total = TOTAL_KINDS[kind];
  const known: readonly SeriesColumn[] = ["environment", "release", "service", total.by];
  const asked = [...by, ...Object.keys(where) as SeriesColumn[]];
  const isTotal = asked.every((column) => known.includes(column)) &&
    await hasTotals(sql, new Date(Math.min(...pieces.map(({ start }) => start.getTime()))));
  return isTotal ? { ...selection, kind: total.kind } : wholeIfAll(selection, by);
}

/** The same selection of all environments and releases together, where nobody tells them apart. */
function wholeIfAll(selection: StatsSelection, by: readonly SeriesColumn[]): StatsSelection {
  const { kind, environments, releases, where = {} } = selection;
  const tellsApart = (column: SeriesColumn) => by.includes(column) || where[column] !== undefined;
  const isWhole = environments.length + releases.length === 0 &&
    !tellsApart("environment") && !tellsApart("release");
  return isWhole ? { ...selection, kind: WHOLE_KINDS[kind] ?? kind } : selection;
}

/** The series of a selection, with the columns that are asked for. */
function chosenSeries(
  sql: Queryable,
  selection: StatsSelection,
  by: readonly SeriesColumn[],
): postgres.Fragment {
  const columns = by.reduce((all, column) => sql`${all}, ${sql(COLUMNS[column])}`, sql``);
  return sql`
    select series_id ${columns} from stat_series as series
    where series.project_id = ${selection.projectId} and ${ofSeries(sql, selection)}
  `;
}

/** Conditions on the columns of a table `series`, but for its project. */
function ofSeries(sql: Queryable, selection: StatsSelection): postgres.Fragment {
  const { kind, environments, releases, services, where = {}, nameLike } = selection;
  const scope: [string, readonly string[]][] = [
    ["environment", environments],
    ["release", releases],
    ["service", services],
  ];
  const exact = (Object.keys(where) as SeriesColumn[]).map((column): [string, string[]] => {
    const value = where[column] ?? "";
    return [COLUMNS[column], typeof value === "string" ? [value] : [...value]];
  });
  const wanted = [...scope.filter(([, values]) => values.length > 0), ...exact];
  return wanted.reduce(
    (all, [column, values]) =>
      sql`${all} and series.${sql(column)} = any (${values.map(storable)}::text[])`,
    sql`
      series.kind = ${SERIES_KINDS[kind]}
      ${nameLike ? sql`and series.name ilike ${`%${likePattern(storable(nameLike))}%`}` : sql``}
    `,
  );
}

/** How many transactions by name have spans of a group. */
export interface ParentCount {
  readonly category: string;
  readonly name: string;
  readonly parents: number;
}

/**
 * Counts the names of transactions that called what is selected of the kind `caller`; spans that came without their
 * transaction have none. Series say on which day they were last seen, so that nearly no counts are read; hence only
 * for a stretch that ends now: of an earlier one they do not know.
 *
 * @param selection its end is not before now
 */
export async function countParents(sql: Sql, selection: StatsSelection): Promise<ParentCount[]> {
  const narrow = wholeIfAll(selection, ["category", "name", "parent"]);
  const from = new Date(Math.floor(narrow.start.getTime() / HOUR_MS) * HOUR_MS);
  const day = Math.floor(from.getTime() / DAY_MS) * DAY_MS;
  const firstDay = new Date(day).toISOString().slice(0, 10);
  await foldForReading(sql);
  // What was last seen on the first day was perhaps seen too early: only its hours tell.
  return await sql<ParentCount[]>`
    select category, name, count(distinct parent)::int as parents
    from stat_series as series
    where series.project_id = ${narrow.projectId} and ${ofSeries(sql, narrow)} and parent <> ''
      and (
        seen_on > ${firstDay}::text::date
        or seen_on = ${firstDay}::text::date and exists (
          select 1 from stat_hours as counted
          where counted.project_id = ${narrow.projectId} and counted.series_id = series.series_id
            and counted.kind = ${SERIES_KINDS[narrow.kind]}
            and counted."timestamp" >= ${from} and counted."timestamp" < ${new Date(day + DAY_MS)}
        )
      )
    group by 1, 2
  `;
}
