/** Rows on their way into a table: each column goes over the wire as one parameter, however many rows there are. */
import type postgres from "postgres";
import type { Transaction } from "./database.ts";

type Value = string | number | boolean | Date | null;

/**
 * `hex` is for bytes, as hexadecimal digits. Lists such as `text[]` come as array literals, since `unnest` would take
 * them apart. `json`, `long_text` and `long_hex` are joined by {@linkcode SEPARATOR}, and so must not contain it.
 */
export type ColumnType =
  | "bigint"
  | "uuid"
  | "text"
  | "timestamptz"
  | "date"
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
  | "long_text"
  | "long_hex";

/** By name: the type of a column, and what a row has in it. */
export type Columns<R> = Readonly<
  Record<string, readonly [type: ColumnType, value: (row: R) => Value]>
>;

type Fragment = postgres.PendingQuery<postgres.Row[]>;

/** Cannot occur in JSON text, which escapes control characters: joins many texts into one parameter. */
export const SEPARATOR = "\x1e";

/** `(a, b) select a, b from unnest(…) as incoming (a, b)`: what follows the name of the table in an `insert`. */
export function newRows<R>(tx: Transaction, rows: readonly R[], columns: Columns<R>): Fragment {
  const entries = Object.entries(columns);
  const selected = entries.map(([name, [type]]) => selectionOf(quoted(name), type));
  const target = `(${namesOf(columns)}) select ${selected.join(", ")} from `;
  return tx`${tx.unsafe(target)}${incoming(tx, rows, columns)}`;
}

/** `unnest(…) as incoming (a, b)`, for a `from`. Bytes are still hexadecimal digits, lists still literals. */
export function incoming<R>(tx: Transaction, rows: readonly R[], columns: Columns<R>): Fragment {
  const parameters: Parameter[] = [];
  const strings = ["unnest("];
  for (const [type, value] of Object.values(columns)) {
    const [before, after] = expressionOf(type);
    const separator = parameters.length === 0 ? "" : ", ";
    strings[parameters.length] += separator + before;
    parameters.push(parameterOf(type, rows.map(value)));
    strings.push(after);
  }
  strings[parameters.length] += `) as incoming (${namesOf(columns)})`;
  return tx(Object.assign(strings, { raw: strings }), ...parameters);
}

type Parameter = postgres.ParameterOrFragment<never>;

function namesOf(columns: Columns<never>): string {
  return Object.keys(columns).map(quoted).join(", ");
}

function quoted(name: string): string {
  return `"${name}"`;
}

function selectionOf(name: string, type: ColumnType): string {
  if (type === "hex" || type === "long_hex") return `decode(${name}, 'hex')`;
  return type.endsWith("[]") ? `${name}::${type}` : name;
}

/** JSON goes over the wire joined into one text: in an array literal every quote in it would be escaped. */
function expressionOf(type: ColumnType): readonly [beforeParameter: string, after: string] {
  switch (type) {
    case "timestamptz":
    case "date":
    case "boolean":
      return ["", `::text[]::${type}[]`];
    case "json":
      return ["string_to_array(", ", chr(30))::jsonb[]"];
    case "long_text":
    case "long_hex":
      return ["string_to_array(", ", chr(30))"];
    case "hex":
    case "text[]":
    case "bigint[]":
    case "timestamptz[]":
      return ["", "::text[]"];
    default:
      return ["", `::${type}[]`];
  }
}

function parameterOf(type: ColumnType, values: readonly Value[]): Parameter {
  switch (type) {
    case "json":
    case "long_text":
    case "long_hex":
      return values.join(SEPARATOR);
    case "timestamptz":
    case "date":
    case "boolean":
      return values.map(textOf) as unknown as Parameter;
    default:
      return values as unknown as Parameter;
  }
}

function textOf(value: Value): string | null {
  if (value === null) return null;
  return value instanceof Date ? value.toISOString() : String(value);
}
