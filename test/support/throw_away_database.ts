import { connectServer, type Sql } from "../../lib/store/database.ts";
import { migrate } from "../../lib/store/migrate.ts";
import { hashOfMigrations } from "./migrations.ts";
import { silentLogger } from "./silent_logger.ts";

export interface ThrowAwayDatabase extends AsyncDisposable {
  readonly url: string;
}

/** Advisory lock under which the migrated template is made; any constant that nobody else uses. */
const TEMPLATE_LOCK = 7_310_577_101;

/** The migrated template of this process's tests, made by the first that asks. */
let template: Promise<string> | null = null;

/**
 * A new database on a Postgres server; dropped at the end, whoever is still connected.
 *
 * @param options.isMigrated with all migrations applied, copied from a template: applying them takes ten times as long
 */
export async function throwAwayDatabase(
  serverUrl: string,
  { isMigrated = false }: { isMigrated?: boolean } = {},
): Promise<ThrowAwayDatabase> {
  const name = `watchpost_test_${crypto.randomUUID().replaceAll("-", "")}`;
  const source = isMigrated ? await (template ??= ensureTemplate(serverUrl)) : "template1";
  await onServer(serverUrl, (sql) => sql`create database ${sql(name)} template ${sql(source)}`);
  return {
    url: databaseUrl(serverUrl, name),
    async [Symbol.asyncDispose]() {
      await onServer(serverUrl, (sql) => sql`drop database ${sql(name)} with (force)`);
    },
  };
}

/** The name of a database with the migrations as they are now; another state of them is another template. */
async function ensureTemplate(serverUrl: string): Promise<string> {
  const name = `watchpost_template_${await hashOfMigrations()}`;
  const making = `${name}_making`;
  await onServer(serverUrl, async (sql) => {
    // The lock is held by a transaction, in which databases cannot be made: a second connection makes them.
    await sql.begin(async (lock) => {
      await lock`select pg_advisory_xact_lock(${TEMPLATE_LOCK})`;
      const found = await lock`select 1 from pg_database where datname = ${name}`;
      if (found.length > 0) return;
      await onServer(serverUrl, async (maker) => {
        await maker`drop database if exists ${maker(making)} with (force)`;
        await maker`create database ${maker(making)}`;
        await onServer(databaseUrl(serverUrl, making), (made) => migrate(made, silentLogger));
        await maker`alter database ${maker(making)} rename to ${maker(name)}`;
      });
    });
  });
  return name;
}

function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

async function onServer(url: string, run: (sql: Sql) => Promise<unknown>): Promise<void> {
  const sql = connectServer(url);
  try {
    await run(sql);
  } finally {
    await sql.end();
  }
}
