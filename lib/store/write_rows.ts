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
  const returning = ` returning project_id as "projectId", replace(${
    quoted(table.id)
  }::text, '-', '') as id`;
  const written = await upsert<R, { projectId: string; id: string }>(tx, table, wanted, returning);
  if (written.length === wanted.length) return wanted;
  return written.flatMap(({ projectId, id }) => distinct.get(`${projectId}/${id}`) ?? []);
}

/**
 * `insert into … on conflict …`, sorted by the key. Texts are sorted by their bytes.
 *
 * @param returning SQL at the end; when absent, it may follow
 */
export function upsert<R extends OfProject, Row extends postgres.Row = postgres.Row>(
  tx: Transaction,
  table: Table<R>,
  rows: readonly R[],
  returning = "",
): postgres.PendingQuery<Row[]> {
  const { name, key, columns, changesIf } = table;
  const what = `${name} ${key} ${changesIf} ${returning}`;
  const texts = textsOf(columns, what, () => upsertTexts(table, returning));
  const projects: Parameter = rows.map(({ projectId }) => projectId);
  return tx<Row[]>(texts, projects, ...parametersOf(columns, rows));
}

function upsertTexts(
  { name, key, columns, changesIf }: Table<never>,
  returning: string,
): string[] {
  const ofProject: Columns<never> = { project_id: ["bigint", () => null], ...columns };
  const selected = Object.entries(ofProject).map(([each, [type]]) =>
    selectionOf(quoted(each), type)
  );
  const [first = "", ...others] = unnestTexts(ofProject);
  const last = others.pop() ?? "";
  const target = `insert into ${quoted(name)} as known (${namesOf(ofProject)})`;
  return [
    `${target} select ${selected.join(", ")} from ${first}`,
    ...others,
    last + (key.length === 0 ? "" : conflictText(key, ofProject, changesIf)) + returning,
  ];
}

function conflictText(
  key: readonly string[],
  columns: Columns<never>,
  changesIf: string | undefined,
): string {
  const names = ["project_id", ...key];
  const order = names.map((each) =>
    columns[each]?.[0] === "text" ? `${quoted(each)} collate "C"` : quoted(each)
  );
  const changes = Object.entries(columns).flatMap(([each, [, , merge]]) =>
    merge === undefined ? [] : [`${quoted(each)} = ${MERGES[merge](quoted(each))}`]
  );
  const action = changes.length === 0 ? "nothing" : `update set ${changes.join(", ")}`;
  const condition = changesIf === undefined ? "" : ` where ${changesIf}`;
  return ` order by ${order.join(", ")} on conflict (${
    names.map(quoted).join(", ")
  }) do ${action}${condition}`;
}

/** Cannot occur in JSON text, which escapes control characters: joins many texts into one parameter. */
export const SEPARATOR = "\x1e";

/** `unnest(…) as incoming (a, b)`, for a `from`. Bytes are still hexadecimal digits, lists still literals. */
export function incoming<R>(tx: Queryable, rows: readonly R[], columns: Columns<R>): Fragment {
  return tx(textsOf(columns, "", () => unnestTexts(columns)), ...parametersOf(columns, rows));
}

function unnestTexts(columns: Columns<never>): string[] {
  const texts = ["unnest("];
  for (const [type] of Object.values(columns)) {
    const [before, after] = expressionOf(type);
    texts[texts.length - 1] += (texts.length === 1 ? "" : ", ") + before;
    texts.push(after);
  }
  texts[texts.length - 1] += `) as incoming (${namesOf(columns)})`;
  return texts;
}

/** By the columns, and by what is done with them. */
const TEXTS = new WeakMap<object, Map<string, TemplateStringsArray>>();

/** The texts between the parameters of a statement, made once: the driver keeps something for each such array, for good. */
function textsOf(
  columns: Columns<never>,
  what: string,
  make: () => string[],
): TemplateStringsArray {
  const known = TEXTS.get(columns) ?? new Map<string, TemplateStringsArray>();
  TEXTS.set(columns, known);
  const texts = known.get(what);
  if (texts !== undefined) return texts;
  const made = make();
  const tagged = Object.assign(made, { raw: made });
  known.set(what, tagged);
  return tagged;
}

function parametersOf<R>(columns: Columns<R>, rows: readonly R[]): Parameter[] {
  return Object.values(columns).map(([type, value]) => parameterOf(type, rows.map(value)));
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
