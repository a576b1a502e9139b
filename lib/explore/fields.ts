/** Fields of a question: columns and aggregates, as `p95(span.duration)`. */
import type postgres from "postgres";
import { storable } from "../core/errors.ts";
import { ApiError } from "../api/route.ts";
import type { Queryable } from "../store/database.ts";
import { type Column, columnOf, type Dataset, type FieldType, numeric } from "./datasets.ts";

export interface Field {
  /** As asked, which is its name in the answer. */
  readonly name: string;
  readonly type: FieldType;
  readonly isAggregate: boolean;
  readonly shows?: "project" | "issue" | undefined;
  readonly of: (sql: Queryable) => postgres.Fragment;
}

const MAX_FIELDS = 20;
const MAX_NAME = 200;
/** Aggregates that times have as well. */
const OF_TIMES = new Set(["count", "count_unique", "min", "max"]);
const CALL = /^([a-z_0-9]+)\((.*)\)$/;
const QUANTILES: Readonly<Record<string, number>> = {
  p50: 0.5,
  median: 0.5,
  p75: 0.75,
  p90: 0.9,
  p95: 0.95,
  p99: 0.99,
  p100: 1,
};

/**
 * Reads the fields of a question.
 *
 * @param seconds that the question is about, for rates
 * @throws {ApiError} 400 for an aggregate that there is none of, and too many fields
 */
export function readFields(
  dataset: Dataset,
  names: readonly string[],
  seconds: number,
): Field[] {
  const wanted = [...new Set(names.map((name) => name.trim()).filter((name) => name !== ""))];
  if (wanted.length > MAX_FIELDS) {
    throw ApiError.detail(400, `You can view up to ${MAX_FIELDS} fields at a time.`);
  }
  return wanted.map((name) => readField(dataset, storable(name), seconds));
}

/** One of them. @throws {ApiError} 400 */
export function readField(dataset: Dataset, name: string, seconds: number): Field {
  if (name.length > MAX_NAME) throw ApiError.detail(400, "A field has at most 200 characters.");
  const [, call, argument = ""] = CALL.exec(name) ?? [];
  if (call !== undefined) return aggregate(dataset, name, call, argument.trim(), seconds);
  const { type, of, shows } = columnOf(dataset, name);
  return { name, type, of, shows, isAggregate: false };
}

function aggregate(
  dataset: Dataset,
  name: string,
  call: string,
  argument: string,
  seconds: number,
): Field {
  const field = (type: FieldType, of: Field["of"]): Field => ({
    name,
    type,
    of,
    isAggregate: true,
  });
  const column = argument === "" ? defaultColumn(dataset) : columnOf(dataset, argument);
  if (column.type === "date" && !OF_TIMES.has(call)) {
    throw ApiError.detail(400, `${call}() takes a number, and ${argument} is a time.`);
  }
  const share = Object.hasOwn(QUANTILES, call) ? QUANTILES[call] : undefined;
  if (share !== undefined) {
    return field(ofNumbers(column), (sql) => (
      sql`percentile_disc(${share}::float8) within group (order by ${numeric(sql, column)})`
    ));
  }
  switch (call) {
    case "count":
      return field("integer", (sql) => sql`count(*)::float8`);
    case "count_unique":
      return field("integer", (sql) => sql`count(distinct ${column.of(sql)})::float8`);
    case "avg":
      return field(ofNumbers(column), (sql) => sql`avg(${numeric(sql, column)})::float8`);
    case "sum":
      return field(ofNumbers(column), (sql) => sql`sum(${numeric(sql, column)})::float8`);
    case "min":
      return field(
        ofNumbers(column),
        (sql) => sql`min(${column.type === "date" ? column.of(sql) : numeric(sql, column)})`,
      );
    case "max":
      return field(
        ofNumbers(column),
        (sql) => sql`max(${column.type === "date" ? column.of(sql) : numeric(sql, column)})`,
      );
    case "last_seen":
      return field("date", (sql) => sql`max(t."timestamp")`);
    case "epm":
    case "tpm":
      return field("number", (sql) => sql`count(*)::float8 / ${Math.max(1, seconds / 60)}::float8`);
    case "eps":
    case "tps":
      return field("number", (sql) => sql`count(*)::float8 / ${Math.max(1, seconds)}::float8`);
    case "failure_rate":
      if (!("span.status" in dataset.columns)) break;
      return field("percentage", (sql) => sql`avg(t.is_failed::int)::float8`);
    case "failure_count":
      if (!("span.status" in dataset.columns)) break;
      return field("integer", (sql) => sql`count(*) filter (where t.is_failed)::float8`);
  }
  throw ApiError.detail(400, `${call}() is no aggregate of this dataset.`);
}

/** What an aggregate without an argument is about. */
function defaultColumn(dataset: Dataset): Column {
  return columnOf(dataset, "span.duration" in dataset.columns ? "span.duration" : dataset.id);
}

function ofNumbers({ type }: Column): FieldType {
  return type === "string" ? "number" : type;
}
