import type { Transaction } from "../../store/database.ts";
import { type Columns, newRows } from "../../store/incoming_rows.ts";
import type { OtherRow } from "./rows.ts";

/** A table whose rows are written once and never change. `project_id` comes by itself. */
export interface InsertOnly<R extends OtherRow> {
  readonly table: string;
  readonly columns: Columns<R>;
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
export async function insertNew<R extends OtherRow>(
  tx: Transaction,
  { table, columns, id, idOf, key }: InsertOnly<R>,
  rows: readonly R[],
): Promise<R[]> {
  const distinct = new Map<string, R>();
  for (const row of rows) {
    const place = `${row.projectId}/${idOf(row)}`;
    if (!distinct.has(place)) distinct.set(place, row);
  }
  const wanted = [...distinct.values()];
  const withProject: Columns<R> = { project_id: ["bigint", (row) => row.projectId], ...columns };
  const keyNames = tx.unsafe(["project_id", ...key.map((name) => `"${name}"`)].join(", "));
  const written = await tx<{ projectId: string; id: string }[]>`
    insert into ${tx(table)} ${newRows(tx, wanted, withProject)}
    order by ${keyNames}
    on conflict (${keyNames}) do nothing
    returning project_id as "projectId", replace(${tx(id)}::text, '-', '') as id
  `;
  if (written.length === wanted.length) return wanted;
  return written.flatMap(({ projectId, id }) => distinct.get(`${projectId}/${id}`) ?? []);
}
