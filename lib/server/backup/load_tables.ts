/** Writes the rows of a backup into an empty Postgres of any kind. */
import { ConfigError } from "../../core/config.ts";
import type { Logger } from "../../core/log.ts";
import type { Sql, Transaction } from "../../store/database.ts";
import { applyMigrations, migrationState } from "../../store/migrate.ts";
import { makeNamedPartition } from "../../store/partitions.ts";
import type { CopiedTable, Manifest } from "./manifest.ts";
import { nameOf, type Parts, type Piece } from "./parts.ts";
import { TEXT_FORMS } from "./snapshot.ts";

/** Which tables are whole, in the transactions that fill them: whoever goes on after a break begins with the next. */
const PROGRESS = "backup_restored_tables";

interface LoadOptions {
  readonly sql: Sql;
  readonly parts: Parts;
  readonly postgres: Manifest["postgres"];
  readonly log: Logger;
  readonly say: (done: number, of: number) => void;
}

/**
 * Brings the database to the migration of the backup, and fills its tables. Again after a break, it goes on.
 *
 * @returns names of tables that are no longer known, and were left out
 * @throws {ConfigError} when the backup is newer than this version
 */
export async function loadTables(
  { sql, parts, postgres, log, say }: LoadOptions,
): Promise<string[]> {
  const { migration, tables, sequences } = postgres;
  const { known } = await migrationState(sql);
  if (migration > known) {
    throw new ConfigError(
      `The backup is of migration ${migration}, and this version of Watchpost knows ${known}: use the version that made it, or a newer one`,
    );
  }
  // On Citus the next start distributes what is there.
  await applyMigrations(sql, log, undefined, migration);
  await sql`create table if not exists ${sql(PROGRESS)} (name text primary key)`;
  const done = new Set(
    (await sql<{ name: string }[]>`select name from ${sql(PROGRESS)}`).map(({ name }) => name),
  );
  const reader = new PieceReader(parts);
  const unknown: string[] = [];
  for (const [index, table] of tables.entries()) {
    if (!done.has(table.name) && !await loadTable(sql, reader, table)) unknown.push(table.name);
    say(index + 1, tables.length);
  }
  for (const [name, last] of Object.entries(sequences)) {
    await sql`
      select setval(to_regclass(${name}), ${last}::bigint) where to_regclass(${name}) is not null
    `;
  }
  await sql`analyze`;
  return unknown;
}

/** To be called when the whole backup is back. */
export async function endLoading(sql: Sql): Promise<void> {
  await sql`drop table if exists ${sql(PROGRESS)}`;
}

/** @returns whether there is such a table @throws {Error} when it does not get all of its rows */
async function loadTable(sql: Sql, reader: PieceReader, table: CopiedTable): Promise<boolean> {
  const { name, parent, columns } = table;
  if (parent !== null && await isTable(sql, parent)) {
    await makeNamedPartition(sql, name, parent);
  }
  if (!await isTable(sql, name)) return false;
  await sql.begin(async (tx) => {
    await tx.unsafe(TEXT_FORMS);
    // Triggers have done their work when the rows came first.
    await tx`alter table ${tx(name)} disable trigger user`;
    // Migrations leave rows in some.
    await tx`delete from only ${tx(name)}`;
    await tx`
      create temporary table piece on commit drop as
      select ${tx(columns)} from ${tx(name)} with no data
    `;
    const rows = await fill(tx, reader, table);
    if (rows !== table.rows) {
      throw new Error(
        `The table ${name} has ${table.rows} rows, of which ${rows} are in its parts`,
      );
    }
    await tx`drop table piece`;
    await tx`alter table ${tx(name)} enable trigger user`;
    await tx`insert into ${tx(PROGRESS)} (name) values (${name})`;
  });
  return true;
}

async function fill(
  tx: Transaction,
  reader: PieceReader,
  { name, columns, parts }: CopiedTable,
): Promise<number> {
  let rows = 0;
  for (const part of parts) {
    for (const piece of await reader.read(part)) {
      if (piece.name !== nameOf.rows(name)) continue;
      const { count } = await tx`
        insert into ${tx(name)} (${tx(columns)}) overriding system value
        select * from unnest(${new TextDecoder().decode(piece.bytes)}::text::piece[])
      `;
      rows += count;
    }
  }
  return rows;
}

async function isTable(sql: Sql, name: string): Promise<boolean> {
  const [row] = await sql<{ isThere: boolean }[]>`
    select to_regclass(${name}) is not null as "isThere"
  `;
  return row?.isThere ?? false;
}

/** Small tables that follow each other share a part: it is read once. */
class PieceReader {
  #last: { readonly part: string; readonly pieces: readonly Piece[] } | null = null;

  constructor(private readonly parts: Parts) {}

  async read(part: string): Promise<readonly Piece[]> {
    if (this.#last?.part !== part) {
      this.#last = { part, pieces: await this.parts.read(part) };
    }
    return this.#last.pieces;
  }
}
