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
 * @param options.workers of Citus, that an empty database is told of; without any it stays a plain one
 */
export async function throwAwayDatabase(
  serverUrl: string,
  { isMigrated = false, workers = WORKERS }: {
    readonly isMigrated?: boolean;
    readonly workers?: readonly string[];
  } = {},
): Promise<ThrowAwayDatabase> {
  const name = `watchpost_test_${crypto.randomUUID().replaceAll("-", "")}`;
  const source = isMigrated ? await (template ??= ensureTemplate(serverUrl)) : "template1";
  await onNodes(serverUrl, (sql) => sql`create database ${sql(name)} template ${sql(source)}`);
  const url = databaseUrl(serverUrl, name);
  if (!isMigrated) await addWorkers(url, workers);
  return {
    url,
    async [Symbol.asyncDispose]() {
      await onNodes(serverUrl, (sql) => dropDatabase(sql, name));
    },
  };
}

/** Ports of Citus' workers beside the server, see `citus.sh`; empty: a plain Postgres. */
export const WORKERS: readonly string[] = (Deno.env.get("TEST_CITUS_WORKERS") ?? "").split(" ")
  .filter((port) => port !== "");

/** On the server and, with Citus, on its workers: they have a database of the same name. */
async function onNodes(serverUrl: string, run: (sql: Sql) => Promise<unknown>): Promise<void> {
  const urls = WORKERS.map((port) => {
    const worker = new URL(serverUrl);
    worker.port = port;
    return worker.href;
  });
  await Promise.all([serverUrl, ...urls].map((url) => onServer(url, run)));
}

/** Makes a database one of Citus. Nothing happens without workers. */
export async function addWorkers(
  url: string,
  workers: readonly string[] = WORKERS,
): Promise<void> {
  if (workers.length === 0) return;
  await onNodes(url, (sql) => sql`create extension citus`);
  await onServer(url, async (sql) => {
    const { hostname, port } = new URL(url);
    await sql`select citus_set_coordinator_host(${hostname}, ${Number(port)}::integer)`;
    for (const worker of workers) {
      await sql`select citus_add_node(${hostname}, ${Number(worker)}::integer)`;
    }
  });
}

/** Connections of Citus' own come back while it is dropped. */
async function dropDatabase(sql: Sql, name: string, attempts = 5): Promise<void> {
  try {
    await sql`drop database ${sql(name)} with (force)`;
  } catch (error) {
    if (WORKERS.length === 0 || attempts === 1) throw error;
    await dropDatabase(sql, name, attempts - 1);
  }
}

/** Citus' own connections to a database that is about to be copied or renamed. */
async function endConnections(serverUrl: string, name: string): Promise<void> {
  if (WORKERS.length === 0) return;
  await onNodes(
    serverUrl,
    (sql) => sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`,
  );
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
      await onServer(serverUrl, async () => {
        const url = databaseUrl(serverUrl, making);
        await onNodes(serverUrl, (sql) => sql`drop database if exists ${sql(making)} with (force)`);
        await onNodes(serverUrl, (sql) => sql`create database ${sql(making)}`);
        await addWorkers(url);
        await onServer(url, (made) => migrate(made, silentLogger));
        await endConnections(serverUrl, making);
        await onNodes(
          serverUrl,
          (sql) => sql`alter database ${sql(making)} rename to ${sql(name)}`,
        );
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
