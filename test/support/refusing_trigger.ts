import type { Sql } from "../../lib/store/database.ts";

/**
 * Has Postgres refuse new rows, as a feature that it lacks or a damaged index would.
 *
 * @param code SQLSTATE
 * @param projectId whose rows; null: everybody's
 * @returns what ends it
 */
export async function refuseRows(
  sql: Sql,
  table: string,
  code: string,
  projectId: string | null,
): Promise<() => Promise<void>> {
  const whose = projectId === null ? "true" : `new.project_id = ${Number(projectId)}`;
  await changeTriggers(sql, [
    `create function refuse_rows() returns trigger language plpgsql as $$
    begin
      if ${whose} then raise exception 'refused: %', new using errcode = '${code}'; end if;
      return new;
    end $$`,
    `create trigger refuse_rows before insert on ${table} for each row execute function refuse_rows()`,
  ]);
  return async () => {
    await changeTriggers(sql, [
      `drop trigger refuse_rows on ${table}`,
      "drop function refuse_rows()",
    ]);
  };
}

/** Makes triggers or takes them away, in a transaction. */
export async function changeTriggers(sql: Sql, statements: readonly string[]): Promise<void> {
  await sql.begin(async (tx) => {
    // Citus has triggers on what is distributed only so; elsewhere nobody reads it.
    await tx`
      select set_config('citus.enable_unsafe_triggers', 'on', true),
        set_config('citus.multi_shard_modify_mode', 'sequential', true)
    `;
    for (const statement of statements) await tx.unsafe(statement);
  });
}
