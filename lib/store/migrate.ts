import { ConfigError } from "../core/config.ts";
import type { Logger } from "../core/log.ts";
import type { Queryable, Sql } from "./database.ts";

interface Migration {
  readonly version: number;
  readonly name: string;
  readonly text: string;
}

const MIGRATIONS = new URL("./migrations/", import.meta.url);
const FILE_NAME = /^(\d{4})_[a-z0-9_]+\.sql$/;

/** Advisory lock of this database under which migrations run; any constant that nobody else uses. */
const MIGRATION_LOCK = 7_310_577_001;

/**
 * Brings the tables up to date: applies each numbered file that has not been applied, in order, each in its own
 * transaction. Any number of starting processes may do this at once.
 *
 * @param dir folder with `0001_name.sql`, `0002_name.sql`, …
 * @throws {ConfigError} when a migration fails (it leaves nothing) or the database has migrations that this code lacks
 */
export async function migrate(sql: Sql, log: Logger, dir: URL = MIGRATIONS): Promise<void> {
  const migrations = await readMigrations(dir);
  while (true) {
    const applied = await sql.begin((tx) => applyNext(tx, migrations));
    if (applied === null) return;
    log.info(`applied migration ${applied.name}`);
  }
}

async function readMigrations(dir: URL): Promise<Migration[]> {
  const names: string[] = [];
  for await (const { name } of Deno.readDir(dir)) names.push(name);
  const migrations = await Promise.all(
    names.sort().map(async (name, index) => {
      const version = Number(FILE_NAME.exec(name)?.[1]);
      if (version !== index + 1) {
        throw new Error(`Migration ${name} is not number ${index + 1} of its folder`);
      }
      return { version, name, text: await Deno.readTextFile(new URL(name, dir)) };
    }),
  );
  return migrations;
}

async function applyNext(
  tx: Queryable,
  migrations: readonly Migration[],
): Promise<Migration | null> {
  await tx`select pg_advisory_xact_lock(${MIGRATION_LOCK})`;
  const current = await currentVersion(tx);
  if (current > migrations.length) {
    throw new ConfigError(
      `Cannot start: the database is at migration ${current}, this version of Watchpost knows ${migrations.length}; start the newer version`,
    );
  }
  const next = migrations[current];
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
