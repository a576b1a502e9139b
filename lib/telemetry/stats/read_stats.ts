import type postgres from "postgres";
import type { Queryable, Sql, Transaction } from "../database.ts";
import { likePattern } from "../like_pattern.ts";
import { storable } from "../storable.ts";
import { foldForReading } from "../writer/fold_stats.ts";
import { chartPiece, type Piece, piecesOf } from "./periods.ts";
import { type Series, SERIES_KINDS, type SeriesKind, WHOLE_KINDS } from "./series.ts";
import { type Stats, statsOf, type StatsRow } from "./stats.ts";

/** What counts are read of. Lists that are empty or left out ask for all. */
export interface StatsSelection {
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

export type SeriesColumn = Exclude<keyof Series, "kind">;

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

/** A list longer than this is read by nobody: the largest parts of it are what counts. */
export const MAX_GROUPS = 5_000;

export type Grouped<C extends SeriesColumn> = { readonly [column in C]: string } & Stats;

/**
 * Adds up counts by the values of columns, those with the greatest sum of values first, at most
 * {@linkcode MAX_GROUPS}. Without columns there is one row, or none.
 */
export async function readStats<C extends SeriesColumn>(
  sql: Sql,
  asked: StatsSelection,
  by: readonly C[],
): Promise<Grouped<C>[]> {
  const selection = narrowest(asked, by);
  const pieces = piecesOf(selection, selection.kind);
  if (pieces.length === 0) return [];
  await foldForReading(sql);
  const rows = await hashed(sql, (tx) =>
    tx<(StatsRow & Record<C, string>)[]>`
      select ${columnsOf(tx, by)} ${sums(tx)}
      from (${counts(tx, selection, pieces)}) as counted
      join stat_series as series
        on series.project_id = ${selection.projectId} and series.series_id = counted.series_id
      where ${ofSeries(tx, selection)}
      ${by.length === 0 ? tx`having count(*) > 0` : groupBy(tx, by.length)}
      order by sum(counted.sum) desc
      limit ${MAX_GROUPS}
    `);
  return rows.map((row) => ({ ...groupOf<C>(row, by), ...statsOf(row) }));
}

/** Counts of one step of a chart. */
export interface StatsAt {
  /** Start of the step, in milliseconds since 1970. */
  readonly time: number;
  readonly stats: Stats;
}

/** Counts along time, by step; steps without any are left out. */
export async function readStatsOverTime(
  sql: Sql,
  selection: StatsSelection,
  stepMs: number,
): Promise<StatsAt[]> {
  const series = await readSeriesOverTime(sql, selection, [], stepMs);
  return series.map(({ time, stats }) => ({ time, stats }));
}

/** The same, for each value of columns. */
export async function readSeriesOverTime<C extends SeriesColumn>(
  sql: Sql,
  asked: StatsSelection,
  by: readonly C[],
  stepMs: number,
): Promise<(StatsAt & { readonly group: { readonly [column in C]: string } })[]> {
  const selection = narrowest(asked, by);
  const piece = chartPiece(selection, stepMs);
  await foldForReading(sql);
  const rows = await hashed(sql, (tx) =>
    tx<(StatsRow & Record<C, string> & { time: Date })[]>`
      select
        date_bin(${`${stepMs} milliseconds`}, counted."timestamp", '1970-01-01T00:00:00Z') as time,
        ${columnsOf(tx, by)} ${sums(tx)}
      from (${counts(tx, selection, [piece])}) as counted
      join stat_series as series
        on series.project_id = ${selection.projectId} and series.series_id = counted.series_id
      where ${ofSeries(tx, selection)}
      ${groupBy(tx, by.length + 1)}
      order by 1
    `);
  return rows.map((row) => ({
    time: row.time.getTime(),
    group: groupOf(row, by),
    stats: statsOf(row),
  }));
}

/** The same selection of the kind with the fewest rows that can answer it. */
function narrowest(selection: StatsSelection, by: readonly SeriesColumn[]): StatsSelection {
  const { kind, environments, releases, where = {} } = selection;
  const tellsApart = (column: SeriesColumn) => by.includes(column) || where[column] !== undefined;
  const isWhole = environments.length + releases.length === 0 &&
    !tellsApart("environment") && !tellsApart("release");
  return isWhole ? { ...selection, kind: WHOLE_KINDS[kind] ?? kind } : selection;
}

/**
 * Runs a query whose joins are made by hashing, and which is not compiled. Tables that nobody has analysed yet look
 * empty to the planner: a loop within a loop took seconds then. And many partitions look dear, which it compiles for.
 */
async function hashed<T>(sql: Sql, query: (tx: Transaction) => PromiseLike<T>): Promise<T> {
  return await sql.begin(async (tx) => {
    // Sent one after the other without waiting.
    const [, rows] = await Promise.all([
      tx`select set_config('enable_nestloop', 'off', true), set_config('jit', 'off', true)`,
      query(tx),
    ]);
    return rows;
  }) as T;
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

function sums(sql: Queryable): postgres.Fragment {
  return sql`
    sum(counted.count) as count, sum(failures) as failures, sum(weight) as weight, sum(counted.sum) as sum,
    sum(status_2xx) as status_2xx, sum(status_3xx) as status_3xx,
    sum(status_4xx) as status_4xx, sum(status_5xx) as status_5xx,
    string_agg(sketch, ''::bytea) as sketch, string_agg(users, ''::bytea) as users,
    replace((array_agg(trace_id))[1]::text, '-', '') as "traceId", max(counted."timestamp") as "lastSeen"
  `;
}

function groupBy(sql: Queryable, columns: number): postgres.Fragment {
  return sql`group by ${sql.unsafe(Array.from({ length: columns }, (_, i) => i + 1).join(", "))}`;
}

/** A value of one of these is what few series have. */
const FEW = ["name", "route", "parent"] as const;

function counts(
  sql: Queryable,
  selection: StatsSelection,
  pieces: readonly Piece[],
): postgres.Fragment {
  const { projectId, kind, where = {} } = selection;
  // Few series are looked up one by one in an index; of many all counts are read.
  const areFew = FEW.some((column) => where[column] !== undefined);
  const ofThese = !areFew ? sql`` : sql`
    and series_id = any (array(
      select series_id from stat_series as series
      where project_id = ${projectId} and ${ofSeries(sql, selection)}
    ))
  `;
  const parts = pieces.map(({ table, start, end }) =>
    sql`
      select * from ${sql(table)}
      where project_id = ${projectId} and kind = ${SERIES_KINDS[kind]}
        and "timestamp" >= ${start} and "timestamp" < ${end} ${ofThese}
    `
  );
  return parts.reduce((all, part) => sql`${all} union all ${part}`);
}

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
