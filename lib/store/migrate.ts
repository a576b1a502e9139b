import { ConfigError } from "../core/config.ts";
import type { Logger } from "../core/log.ts";
import type { Queryable, Sql } from "./database.ts";
import { shardTables } from "./sharding.ts";

interface Migration {
  readonly version: number;
  readonly name: string;
  readonly text: string;
}

const MIGRATIONS = new URL("./migrations/", import.meta.url);
const ENTRY_NAME = /^(\d{4})_[a-z0-9_]+(\.sql)?$/;

/** Advisory lock of this database under which migrations run; any constant that nobody else uses. */
const MIGRATION_LOCK = 7_310_577_001;

/**
 * Brings the tables up to date by {@linkcode applyMigrations}. On Citus the tables of projects are distributed afterwards.
 *
 * @throws {ConfigError} what that one throws, and when a table cannot be distributed
 */
export async function migrate(
  sql: Sql,
  log: Logger,
  dir: URL = MIGRATIONS,
  upTo = Infinity,
): Promise<void> {
  await applyMigrations(sql, log, dir, upTo);
  await shardTables(sql, log, MIGRATION_LOCK);
}

/**
 * Applies each numbered migration that has not been applied, in order, each in its own transaction. Any number of
 * starting processes may do this at once.
 *
 * The first migration makes an empty database what all of before would have made it, and has the number of the last of
 * those: a database that ran them goes on from there.
 *
 * @param dir folder with `0026_name`, `0027_name.sql`, …: a migration is a file, or a folder of files
 * @param upTo number of the last one to apply
 * @throws {ConfigError} when a migration fails (it leaves nothing), when the database has migrations that this code
 *   lacks, or when it is older than the first
 */
export async function applyMigrations(
  sql: Sql,
  log: Logger,
  dir: URL = MIGRATIONS,
  upTo = Infinity,
): Promise<void> {
  const migrations = (await readMigrations(dir)).filter(({ version }) => version <= upTo);
  while (true) {
    const applied = await sql.begin((tx) => applyNext(tx, migrations));
    if (applied === null) break;
    log.info(`applied migration ${applied.name}`);
  }
}

/** The last migration that this code knows, and the last one that the database has; 0: none. Changes nothing. */
export interface MigrationState {
  readonly known: number;
  readonly applied: number;
}

/** @throws what `postgres` throws */
export async function migrationState(sql: Sql, dir: URL = MIGRATIONS): Promise<MigrationState> {
  const known = versionOf((await namesIn(dir)).at(-1) ?? "");
  const [table] = await sql<{ isThere: boolean }[]>`
    select to_regclass('schema_migrations') is not null as "isThere"
  `;
  if (!table?.isThere) return { known, applied: 0 };
  const [row] = await sql<{ version: number | null }[]>`
    select max(version) as version from schema_migrations
  `;
  return { known, applied: row?.version ?? 0 };
}

/** The migration that this code upgrades from, which makes an empty database as well. */
export async function firstMigration(dir: URL = MIGRATIONS): Promise<number> {
  return versionOf((await namesIn(dir))[0] ?? "");
}

async function readMigrations(dir: URL): Promise<Migration[]> {
  const names = await namesIn(dir);
  const first = versionOf(names[0] ?? "");
  return await Promise.all(
    names.map(async (name, index) => {
      const version = versionOf(name);
      // Written this way, since a name without a number is not a number.
      if (!(version > 0) || version !== first + index) {
        throw new Error(`Migration ${name} is not number ${first + index} of its folder`);
      }
      return { version, name, text: await readText(new URL(name, dir)) };
    }),
  );
}

async function namesIn(dir: URL): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(dir));
  return entries.map(({ name }) => name).sort();
}

function versionOf(name: string): number {
  return Number(ENTRY_NAME.exec(name)?.[1]);
}

async function readText(entry: URL): Promise<string> {
  if (entry.pathname.endsWith(".sql")) return await Deno.readTextFile(entry);
  const files = await namesIn(entry);
  const texts = files.map((name) => Deno.readTextFile(new URL(`${entry.href}/${name}`)));
  return (await Promise.all(texts)).join("\n");
}

async function applyNext(
  tx: Queryable,
  migrations: readonly Migration[],
): Promise<Migration | null> {
  await tx`select pg_advisory_xact_lock(${MIGRATION_LOCK})`;
  const current = await currentVersion(tx);
  const first = migrations[0]?.version ?? 0;
  const last = migrations.at(-1)?.version ?? 0;
  if (current > last) {
    throw new ConfigError(
      `Cannot start: the database is at migration ${current}, this version of Watchpost knows ${last}; start the newer version`,
    );
  }
  if (current > 0 && current < first) {
    throw new ConfigError(
      `Cannot start: the database is at migration ${current}, this version of Watchpost upgrades from ${first} on; start a version in between first (docs/operations.md, "Upgrades")`,
    );
  }
  const next = current === 0 ? migrations[0] : migrations[current - first + 1];
  if (next === undefined) return null;
  try {
    await tx.unsafe(next.text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`Cannot start: migration ${next.name} failed: ${reason}`, {
      cause: error,
    });
  }
  await tx`insert into schema_migrations (version, name) values (${next.version}, ${next.name})`;
  return next;
}

async function currentVersion(tx: Queryable): Promise<number> {
  await tx`
    create table if not exists schema_migrations (
      version    integer     primary key,
      name       text        not null,
      applied_at timestamptz not null default now()
    )
  `;
  const [row] = await tx<{ version: number | null }[]>`
    select max(version) as version from schema_migrations
  `;
  return row?.version ?? 0;
}
