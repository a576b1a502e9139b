/** Which series counts are read of, as conditions on `stat_series`. */
import type postgres from "postgres";
import type { Queryable } from "../database.ts";
import { likePattern } from "../like_pattern.ts";
import { storable } from "../../core/storable.ts";
import { type Series, SERIES_KINDS, type SeriesKind, WHOLE_KINDS } from "./series.ts";

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
export const COLUMNS: Readonly<Record<SeriesColumn, string>> = {
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
 */
export function narrowest(selection: StatsSelection, by: readonly SeriesColumn[]): StatsSelection {
  const { kind, environments, releases, where = {} } = selection;
  const tellsApart = (column: SeriesColumn) => by.includes(column) || where[column] !== undefined;
  const isWhole = environments.length + releases.length === 0 &&
    !tellsApart("environment") && !tellsApart("release");
  return isWhole ? { ...selection, kind: WHOLE_KINDS[kind] ?? kind } : selection;
}

/** The series of a selection, with the columns that are asked for. */
export function chosenSeries(
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
export function ofSeries(sql: Queryable, selection: StatsSelection): postgres.Fragment {
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
