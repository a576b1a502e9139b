/** Rows on their way into a table: each column goes over the wire as one parameter, however many rows there are. */
import type postgres from "postgres";
import type { Queryable, Transaction } from "./database.ts";

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

/** What becomes of a column when a row of the same key is there already. */
const MERGES = {
  add: (name: string) => `known.${name} + excluded.${name}`,
  append: (name: string) => `known.${name} || excluded.${name}`,
  either: (name: string) => `known.${name} or excluded.${name}`,
  least: (name: string) => `least(known.${name}, excluded.${name})`,
  greatest: (name: string) => `greatest(known.${name}, excluded.${name})`,
  replace: (name: string) => `excluded.${name}`,
} as const;

/** By name: the type of a column, what a row has in it, and how that is merged; it stays as it is when nothing is said. */
export type Columns<R> = Readonly<
  Record<
    string,
    readonly [type: ColumnType, value: (row: R) => Value, merge?: keyof typeof MERGES]
  >
>;

interface OfProject {
  readonly projectId: string;
}

/** A table of projects' rows. `project_id` comes by itself, as the first column and the first of the key. */
export interface Table<R extends OfProject> {
  readonly name: string;
  /** What tells the rows of a project apart, in the order in which every writer locks them; empty: all are appended. */
  readonly key: readonly string[];
  readonly columns: Columns<R>;
  /** Which rows change that are there, as a condition on `known` and `excluded`. @default all */
  readonly changesIf?: string;
}

/** A table whose rows are written once and never change. */
export interface InsertOnly<R extends OfProject> extends Omit<Table<R>, "changesIf"> {
  /** The column that tells the rows of a project apart: a uuid. */
  readonly id: string;
  /** 32 lower-case hex digits. */
  readonly idOf: (row: R) => string;
}

type Fragment = postgres.PendingQuery<postgres.Row[]>;

/** Writes rows in one statement, those of one key merged with what is there. Nothing is asked for none. */
export async function saveRows<R extends OfProject>(
  tx: Transaction,
  table: Table<R>,
  rows: readonly R[],
): Promise<void> {
  if (rows.length > 0) await upsert(tx, table, rows);
}

/**
 * Writes rows in one statement, each once: what is there already is left alone.
 *
 * @returns the rows that are new; of several with one id the first
 */
export async function insertNew<R extends OfProject>(
  tx: Transaction,
  table: InsertOnly<R>,
  rows: readonly R[],
): Promise<R[]> {
  const distinct = new Map<string, R>();
  for (const row of rows) {
    const place = `${row.projectId}/${table.idOf(row)}`;
    if (!distinct.has(place)) distinct.set(place, row);
  }
  const wanted = [...distinct.values()];
  if (wanted.length === 0) return [];
  const written = await tx<{ projectId: string; id: string }[]>`
    ${upsert(tx, table, wanted)}
    returning project_id as "projectId", replace(${tx(table.id)}::text, '-', '') as id
  `;
  if (written.length === wanted.length) return wanted;
  return written.flatMap(({ projectId, id }) => distinct.get(`${projectId}/${id}`) ?? []);
}

/** `insert into … on conflict …`, sorted by the key; `returning` may follow. Texts are sorted by their bytes. */
export function upsert<R extends OfProject>(
  tx: Transaction,
  { name, key, columns, changesIf }: Table<R>,
  rows: readonly R[],
): Fragment {
  const ofProject: Columns<R> = { project_id: ["bigint", (row) => row.projectId], ...columns };
  const target = tx`insert into ${tx(name)} as known ${newRows(tx, rows, ofProject)}`;
  if (key.length === 0) return target;
  const names = ["project_id", ...key];
  const order = names.map((each) =>
    ofProject[each]?.[0] === "text" ? `${quoted(each)} collate "C"` : quoted(each)
  );
  const changes = Object.entries(columns).flatMap(([each, [, , merge]]) =>
    merge === undefined ? [] : [`${quoted(each)} = ${MERGES[merge](quoted(each))}`]
  );
  const action = changes.length === 0 ? "nothing" : `update set ${changes.join(", ")}`;
  const condition = changesIf === undefined ? "" : ` where ${changesIf}`;
  const conflict = `on conflict (${names.map(quoted).join(", ")}) do ${action}${condition}`;
  return tx`${target} ${tx.unsafe(`order by ${order.join(", ")} ${conflict}`)}`;
}

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
export function incoming<R>(tx: Queryable, rows: readonly R[], columns: Columns<R>): Fragment {
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
      return values.map(textOf);
    default:
      return values;
  }
}

function textOf(value: Value): string | null {
  if (value === null) return null;
  return value instanceof Date ? value.toISOString() : String(value);
}
