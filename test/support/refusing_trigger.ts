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
  await sql.unsafe(`
    create function refuse_rows() returns trigger language plpgsql as $$
    begin
      if ${whose} then raise exception 'refused: %', new using errcode = '${code}'; end if;
      return new;
    end $$;
    create trigger refuse_rows before insert on ${table} for each row execute function refuse_rows();
  `);
  return async () => {
    await sql.unsafe(`drop trigger refuse_rows on ${table}; drop function refuse_rows();`);
  };
}
