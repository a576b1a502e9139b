/** Rows on their way into a table: each column goes over the wire as one parameter, however many rows there are. */
import type postgres from "postgres";
import type { Queryable, Transaction } from "./database.ts";

type Value = string | number | boolean | Date | null;

/**
 * `hex` is for bytes, as hexadecimal digits; `long_base64` for many, of which it sends a third less. Lists such as
 * `text[]` come as array literals, since `unnest` would take them apart. `json`, `long_text` and `long_base64` are joined by {@linkcode SEPARATOR}, and so must not contain it.
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
  | "long_base64";

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
  if (rows.length === 0) return;
  if (goesByValue(tx, rows)) await writeByValue(tx, table, rows, tx.unsafe(conflictText(table)));
  else await upsert(tx, table, rows);
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
  const written: readonly { readonly projectId: string; readonly id: string }[] =
    goesByValue(tx, wanted)
      ? await writeByValue(tx, table, wanted, tx.unsafe(conflictText(table) + returning))
      : await upsert(tx, table, wanted, returning);
  if (written.length === wanted.length) return wanted;
  return written.flatMap(({ projectId, id }) => distinct.get(`${projectId}/${id}`) ?? []);
}

/** Those of sharded databases. */
const byValue = new WeakSet<Transaction>();
/** So many rows a statement: few different ones, each of which the driver and Postgres keep. 13 rows are 8 and 5. */
const SIZES_BY_VALUE = [64, 32, 16, 8, 7, 6, 5, 4, 3, 2, 1];
/** Copying more than these costs no more. */
const MOST_BY_VALUE = 1_000;

/**
 * Has the rows of a transaction sent as values. Citus sends those to their shards, while it copies the rows of an
 * `insert … select … on conflict` there first, with three times the work; plain Postgres takes columns faster.
 */
export function sendByValue(tx: Transaction): void {
  byValue.add(tx);
}

/** Whether {@linkcode sendByValue} was called: other statements too are taken best of one project each. */
export function isByValue(tx: Transaction): boolean {
  return byValue.has(tx);
}

function goesByValue(tx: Transaction, rows: readonly unknown[]): boolean {
  return isByValue(tx) && rows.length <= MOST_BY_VALUE;
}

/**
 * `insert into … as known … values …` in statements of some rows each, in one order of the key for all writers.
 *
 * @param ending `on conflict …`, `returning …`
 * @returns what they return, in no order
 */
export async function writeByValue<R extends OfProject, Row extends postgres.Row = postgres.Row>(
  tx: Transaction,
  table: Table<R>,
  rows: readonly R[],
  ending: Fragment,
): Promise<Row[]> {
  const left = sortedByKey(table, rows);
  const statements: PromiseLike<Row[]>[] = [];
  while (left.length > 0) {
    const size = SIZES_BY_VALUE.find((each) => each <= left.length) ?? 1;
    statements.push(tx<Row[]>`${insertedValues(tx, table, left.splice(0, size))}${ending}`);
  }
  return (await Promise.all(statements)).flat();
}

/** Any order does that all writers take; numbers are in that of other statements as well. */
function sortedByKey<R extends OfProject>({ key, columns }: Table<R>, rows: readonly R[]): R[] {
  const placeOf = (row: R) =>
    key.map((name) => {
      const [type, value] = columns[name] ?? ["text", () => null];
      const text = textOf(value(row)) ?? "";
      return type === "bigint" ? text.padStart(DIGITS, "0") : text;
    });
  return rows
    .map((row) => [[row.projectId.padStart(DIGITS, "0"), ...placeOf(row)].join("\0"), row] as const)
    .sort(([one], [other]) => one < other ? -1 : 1)
    .map(([, row]) => row);
}

/** Of a bigint, at most. */
const DIGITS = 19;

function insertedValues<R extends OfProject>(
  tx: Transaction,
  { name, columns }: Table<R>,
  rows: readonly R[],
): Fragment {
  const ofProject: Columns<R> = {
    project_id: ["bigint", ({ projectId }) => projectId],
    ...columns,
  };
  const texts = textsOf(columns, `${rows.length} values`, () => {
    const casts = Object.values(ofProject).map(([type]) => castOf(type));
    const made = [`insert into ${quoted(name)} as known (${namesOf(ofProject)}) values (`];
    for (let row = 0; row < rows.length; row++) {
      casts.forEach(([before, after], column) => {
        made[made.length - 1] += (column > 0 ? ", " : row > 0 ? "), (" : "") + before;
        made.push(after);
      });
    }
    made[made.length - 1] += ")";
    return made;
  });
  const values = rows.flatMap((row) =>
    Object.values(ofProject).map(([, value]) => textOf(value(row)))
  );
  return tx(texts, ...values);
}

/** Parameters are texts: the driver would write those of other types in its own way. */
function castOf(type: ColumnType): readonly [beforeParameter: string, after: string] {
  switch (type) {
    case "hex":
      return ["decode(", "::text, 'hex')"];
    case "long_base64":
      return ["decode(", "::text, 'base64')"];
    case "long_text":
      return ["", "::text"];
    case "json":
      return ["", "::text::jsonb"];
    default:
      return ["", `::text::${type}`];
  }
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

function upsertTexts(table: Table<never>, returning: string): string[] {
  const { name, key, columns } = table;
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
    last + orderText(key, ofProject) + conflictText(table) + returning,
  ];
}

function orderText(key: readonly string[], columns: Columns<never>): string {
  if (key.length === 0) return "";
  const order = ["project_id", ...key].map((each) =>
    columns[each]?.[0] === "text" ? `${quoted(each)} collate "C"` : quoted(each)
  );
  return ` order by ${order.join(", ")}`;
}

function conflictText({ key, columns, changesIf }: Table<never>): string {
  if (key.length === 0) return "";
  const changes = Object.entries(columns).flatMap(([each, [, , merge]]) =>
    merge === undefined ? [] : [`${quoted(each)} = ${MERGES[merge](quoted(each))}`]
  );
  const action = changes.length === 0 ? "nothing" : `update set ${changes.join(", ")}`;
  const condition = changesIf === undefined ? "" : ` where ${changesIf}`;
  return ` on conflict (${["project_id", ...key].map(quoted).join(", ")}) do ${action}${condition}`;
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
  if (type === "hex") return `decode(${name}, 'hex')`;
  if (type === "long_base64") return `decode(${name}, 'base64')`;
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
    case "long_base64":
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
    case "long_base64":
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
