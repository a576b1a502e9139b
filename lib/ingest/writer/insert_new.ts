import type postgres from "postgres";
import type { Transaction } from "../../store/database.ts";
import { type OtherRow, SEPARATOR } from "./rows.ts";

type Row = OtherRow;

/**
 * `hex` is for bytes, as hexadecimal digits. Lists such as `text[]` come as array literals, since `unnest` would take
 * them apart. `json` and `long_text` are joined by {@linkcode SEPARATOR}, and so must not contain it.
 */
export type ColumnType =
  | "bigint"
  | "uuid"
  | "text"
  | "timestamptz"
  | "double precision"
  | "real"
  | "integer"
  | "smallint"
  | "boolean"
  | "text[]"
  | "bigint[]"
  | "timestamptz[]"
  | "json"
  | "hex"
  | "long_text";

export interface Column<R> {
  readonly name: string;
  readonly type: ColumnType;
  readonly value: (row: R) => string | number | boolean | Date | null;
}

/** A table whose rows are written once and never change. `project_id` comes by itself. */
export interface InsertOnly<R extends Row> {
  readonly table: string;
  readonly columns: readonly Column<R>[];
  /** The column that tells the rows of a project apart: a uuid. */
  readonly id: string;
  /** 32 lower-case hex digits. */
  readonly idOf: (row: R) => string;
  /** The primary key after `project_id`. */
  readonly key: readonly string[];
}

/**
 * Writes rows in one statement, each once: what is there already is left alone.
 *
 * @returns the rows that are new; of several with one id the first
 */
export async function insertNew<R extends Row>(
  tx: Transaction,
  table: InsertOnly<R>,
  rows: readonly R[],
): Promise<R[]> {
  const distinct = new Map<string, R>();
  for (const row of rows) {
    const key = `${row.projectId}/${table.idOf(row)}`;
    if (!distinct.has(key)) distinct.set(key, row);
  }
  const wanted = [...distinct.values()];
  const parameters = [
    wanted.map(({ projectId }) => projectId),
    ...table.columns.map(({ type, value }) => parameterOf(type, wanted.map(value))),
  ];
  const written = await tx.unsafe<{ projectId: string; id: string }[]>(
    statementOf(table),
    parameters as postgres.ParameterOrJSON<never>[],
    { prepare: true },
  );
  if (written.length === wanted.length) return wanted;
  return written.flatMap(({ projectId, id }) => distinct.get(`${projectId}/${id}`) ?? []);
}

const statements = new Map<string, string>();

function statementOf<R extends Row>({ table, columns, id, key }: InsertOnly<R>): string {
  let statement = statements.get(table);
  if (statement === undefined) {
    const names = ["project_id", ...columns.map(({ name }) => `"${name}"`)].join(", ");
    const types: ColumnType[] = ["bigint", ...columns.map(({ type }) => type)];
    const keyNames = ["project_id", ...key.map((name) => `"${name}"`)].join(", ");
    statement = `
      insert into ${table} (${names})
      select project_id, ${columns.map(valueOf).join(", ")}
      from unnest(${types.map(expressionOf).join(", ")}) as incoming (${names})
      order by ${keyNames}
      on conflict (${keyNames}) do nothing
      returning project_id as "projectId", replace("${id}"::text, '-', '') as id
    `;
    statements.set(table, statement);
  }
  return statement;
}

function valueOf<R>({ name, type }: Column<R>): string {
  if (type === "hex") return `decode("${name}", 'hex')`;
  return type.endsWith("[]") ? `"${name}"::${type}` : `"${name}"`;
}

/** JSON goes over the wire joined into one text: in an array literal every quote in it would be escaped. */
function expressionOf(type: ColumnType, index: number): string {
  const parameter = `$${index + 1}`;
  switch (type) {
    case "timestamptz":
    case "boolean":
      return `${parameter}::text[]::${type}[]`;
    case "json":
      return `string_to_array(${parameter}, chr(30))::jsonb[]`;
    case "long_text":
      return `string_to_array(${parameter}, chr(30))`;
    case "hex":
    case "text[]":
    case "bigint[]":
    case "timestamptz[]":
      return `${parameter}::text[]`;
    default:
      return `${parameter}::${type}[]`;
  }
}

function parameterOf(
  type: ColumnType,
  values: readonly (string | number | boolean | Date | null)[],
) {
  if (type === "json" || type === "long_text") return values.join(SEPARATOR);
  if (type === "boolean") return values.map(String);
  if (type !== "timestamptz") return values;
  return values.map((value) => value instanceof Date ? value.toISOString() : value);
}
