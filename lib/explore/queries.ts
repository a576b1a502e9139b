/** Rows and series of errors, spans and logs of some projects. */
import type postgres from "postgres";
import type { Queryable, Sql } from "../store/database.ts";
import { withinTime } from "../store/query_limits.ts";
import type { Dataset } from "./datasets.ts";
import type { Field } from "./fields.ts";
import { shortIdOf } from "../errors/mod.ts";
import { conditionOf } from "./filter.ts";

export interface Question {
  readonly dataset: Dataset;
  readonly projects: readonly { readonly id: string; readonly slug: string }[];
  readonly environments: readonly string[];
  readonly start: Date;
  readonly end: Date;
  /** In Sentry's grammar. */
  readonly query: string;
}

/** Which field rows are sorted by; null: the newest first, or the greatest of the first aggregate. */
export interface Sort {
  readonly name: string;
  readonly isDescending: boolean;
}

export type Row = Readonly<Record<string, unknown>>;

const TIMEOUT_MS = 8_000;
const MAX_SERIES_ROWS = 20_000;

/**
 * Rows by fields: those of the store, or one for each combination of the columns where there is an aggregate.
 *
 * @throws {QueryTooSlow}
 * @throws {ApiError} 400 for a search that makes no sense
 */
export async function readRows(
  sql: Sql,
  question: Question,
  fields: readonly Field[],
  { sort, limit, offset }: { sort: Sort | null; limit: number; offset: number },
): Promise<Row[]> {
  const groups = fields.filter(({ isAggregate }) => !isAggregate);
  const isGrouped = groups.length < fields.length;
  const found = await withinTime(sql, TIMEOUT_MS, (tx) =>
    tx<Record<string, unknown>[]>`
      select ${selected(tx, fields)} from ${question.dataset.table(tx)} as t
      where ${matching(tx, question)}
      ${isGrouped && groups.length > 0 ? tx`group by ${ordinals(tx, fields, groups)}` : tx``}
      ${orderBy(tx, fields, sort, isGrouped)}
      limit ${limit} offset ${offset}
    `);
  return await shown(sql, question, fields, found);
}

/** Values along the time. */
export interface Point {
  /** Of the bucket, seconds since 1970. */
  readonly at: number;
  /** The fields that rows are told apart by, and the aggregates. */
  readonly row: Row;
}

/**
 * Aggregates by time and, where `fields` has columns, by those.
 *
 * @param stepSec width of a bucket
 * @throws {QueryTooSlow}
 * @throws {ApiError} 400 for a search that makes no sense
 */
export async function readSeries(
  sql: Sql,
  question: Question,
  fields: readonly Field[],
  stepSec: number,
): Promise<Point[]> {
  const groups = fields.filter(({ isAggregate }) => !isAggregate);
  const found = await withinTime(sql, TIMEOUT_MS, (tx) =>
    tx<Record<string, unknown>[]>`
      select ${selected(tx, fields)},
        (floor(extract(epoch from t."timestamp") / ${stepSec}::float8) * ${stepSec}::float8)::float8 as "at"
      from ${question.dataset.table(tx)} as t
      where ${matching(tx, question)}
      group by ${ordinals(tx, fields, groups)}${groups.length > 0 ? tx`, ` : tx``}${
      ordinal(tx, fields.length)
    }
      limit ${MAX_SERIES_ROWS}
    `);
  const rows = await shown(sql, question, fields, found);
  return rows.map((row, index) => ({ at: Number(found[index]?.at), row }));
}

/** Keys of tags and attributes, the most frequent of the newest rows first, and in how many of them. */
export async function readKeys(
  sql: Sql,
  question: Question,
): Promise<{ readonly key: string; readonly count: number }[]> {
  const { dataset } = question;
  return await withinTime(sql, TIMEOUT_MS, (tx) =>
    tx<{ key: string; count: number }[]>`
      select key, count(*)::float8 as count
      from (
        select ${dataset.tags(tx)} as tags from ${dataset.table(tx)} as t
        where ${matching(tx, question)}
        order by t."timestamp" desc limit ${SAMPLED_ROWS}
      ) as sampled, jsonb_object_keys(sampled.tags) as key
      group by key order by 2 desc, 1 limit ${MAX_KEYS}
    `);
}

const SAMPLED_ROWS = 2_000;
const MAX_KEYS = 500;

function matching(tx: Queryable, question: Question): postgres.Fragment {
  const { dataset, projects, environments, start, end, query } = question;
  return tx`
    t.project_id = any (${projects.map(({ id }) => id)}::bigint[])
      and t."timestamp" >= ${start} and t."timestamp" < ${end}
      ${
    environments.length === 0 ? tx`` : tx`and t.environment = any (${[...environments]}::text[])`
  }
      and ${conditionOf(tx, dataset, query, question)}
  `;
}

function selected(tx: Queryable, fields: readonly Field[]): postgres.Fragment {
  return list(
    tx,
    fields.map((field, index) => tx`${field.of(tx)} as ${tx(`f${index}`)}`),
  );
}

function list(tx: Queryable, parts: readonly postgres.Fragment[]): postgres.Fragment {
  const [first, ...others] = parts;
  return first === undefined ? tx`` : others.reduce((all, each) => tx`${all}, ${each}`, first);
}

/** Of the columns that `groups` are in `fields`. */
function ordinals(
  tx: Queryable,
  fields: readonly Field[],
  groups: readonly Field[],
): postgres.Fragment {
  return list(tx, groups.map((group) => ordinal(tx, fields.indexOf(group))));
}

/** Parameters are no ordinals: the place stands in the text. A number from 0 to 20, of our own. */
function ordinal(tx: Queryable, index: number): postgres.Fragment {
  return tx`${tx.unsafe(String(index + 1))}`;
}

function orderBy(
  tx: Queryable,
  fields: readonly Field[],
  sort: Sort | null,
  isGrouped: boolean,
): postgres.Fragment {
  const index = fields.findIndex(({ name, isAggregate }) =>
    sort === null ? isAggregate : name === sort.name || plain(name) === sort.name
  );
  if (index < 0) {
    return isGrouped
      ? tx``
      : sort?.name === "timestamp" && !sort.isDescending
      ? tx`order by t."timestamp"`
      : tx`order by t."timestamp" desc`;
  }
  const isDescending = sort?.isDescending ?? true;
  return isDescending
    ? tx`order by ${ordinal(tx, index)} desc nulls last`
    : tx`order by ${ordinal(tx, index)} asc nulls last`;
}

/** Older clients sort `count()` by `count`, and `p95(span.duration)` by `p95_span_duration`. */
function plain(name: string): string {
  return name.replace(/[^a-z0-9]+/gi, "_").replace(/_+$/, "");
}

/** Rows as they are answered: by the names of their fields, projects by slug and issues by short id. */
async function shown(
  sql: Sql,
  { projects }: Question,
  fields: readonly Field[],
  found: readonly Record<string, unknown>[],
): Promise<Row[]> {
  const slugOf = new Map(projects.map(({ id, slug }) => [id, slug]));
  const issueIndex = fields.findIndex(({ shows }) => shows === "issue");
  const shortIds = issueIndex < 0 ? new Map<string, string>() : await shortIdsOf(
    sql,
    projects,
    found.map((row) => String(row[`f${issueIndex}`])),
  );
  const value = ({ shows, type }: Field, raw: unknown): unknown => {
    if (raw === null || raw === undefined) return null;
    if (shows === "project") return slugOf.get(String(raw)) ?? null;
    if (shows === "issue") return shortIds.get(String(raw)) ?? null;
    if (raw instanceof Date) return raw.toISOString();
    return type === "string" || type === "date" ? String(raw) : Number(raw);
  };
  return found.map((row) =>
    Object.fromEntries(fields.map((field, index) => [field.name, value(field, row[`f${index}`])]))
  );
}

async function shortIdsOf(
  sql: Sql,
  projects: Question["projects"],
  issueIds: readonly string[],
): Promise<Map<string, string>> {
  const slugOf = new Map(projects.map(({ id, slug }) => [id, slug]));
  const rows = await sql<{ id: string; projectId: string; number: number }[]>`
    select id::text, project_id::text as "projectId", number::float8 as number from issues
    where project_id = any (${projects.map(({ id }) => id)}::bigint[])
      and id = any (${[...new Set(issueIds)]}::bigint[]) and number is not null
  `;
  return new Map(
    rows.map(({ id, projectId, number }) => [id, shortIdOf(slugOf.get(projectId) ?? "", number)]),
  );
}
