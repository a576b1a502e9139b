/**
 * A database for each test: a throw-away one on the server that `TEST_DATABASE_URL` names, otherwise a schema of
 * its own in an embedded Postgres that the tests of one file share.
 */
import { migrate } from "../../lib/store/migrate.ts";
import { connectEmbedded, connectServer, type Sql } from "../../lib/store/database.ts";
import { throwAwayDatabase } from "./throw_away_database.ts";
import { startSharedPostgres } from "./shared_postgres.ts";
import { silentLogger } from "./silent_logger.ts";

const serverUrl = Deno.env.get("TEST_DATABASE_URL") || null;

// Started here, outside of any test: the leak sanitizers would blame the first test for what stays open.
const embedded = serverUrl === null ? await startSharedPostgres() : null;

export interface TestDatabase extends AsyncDisposable {
  readonly sql: Sql;
  /** One more pool on the same database, as another isolate would have; closed with it. */
  connect(): Sql;
}

/**
 * A fresh database with all migrations applied.
 *
 * @param options.isEmpty leave the migrations out
 */
export async function testDatabase(options: { isEmpty?: boolean } = {}): Promise<TestDatabase> {
  const isMigrated = !options.isEmpty;
  return serverUrl === null
    ? await makeSchema(isMigrated)
    : await makeDatabase(serverUrl, isMigrated);
}

/** What kind `testDatabase()` makes, for the few tests of things that only one of them has. */
export const databaseKind: "embedded" | "server" = serverUrl === null ? "embedded" : "server";

let schemaCount = 0;

async function makeSchema(isMigrated: boolean): Promise<TestDatabase> {
  if (embedded === null) throw new Error("The embedded Postgres is not running");
  const { address, unused } = embedded;
  const ready = isMigrated ? unused.shift() : undefined;
  const schema = ready ?? `test_${++schemaCount}`;
  const pools = poolsOf(() => connectEmbedded(address, { searchPath: schema }));
  const sql = pools.connect();
  if (ready === undefined) {
    await sql`create schema ${sql(schema)}`;
    if (isMigrated) await migrate(sql, silentLogger);
  }
  return {
    sql,
    connect: pools.connect,
    // The schema is left to the end of the engine: dropping it takes as long as making it.
    [Symbol.asyncDispose]: () => pools.end(),
  };
}

async function makeDatabase(url: string, isMigrated: boolean): Promise<TestDatabase> {
  const database = await throwAwayDatabase(url, { isMigrated });
  const pools = poolsOf(() => connectServer(database.url));
  return {
    sql: pools.connect(),
    connect: pools.connect,
    async [Symbol.asyncDispose]() {
      await pools.end();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** Pools that are ended together. */
function poolsOf(open: () => Sql): { connect(): Sql; end(): Promise<void> } {
  const opened: Sql[] = [];
  return {
    connect() {
      const sql = open();
      opened.push(sql);
      return sql;
    },
    async end() {
      await Promise.all(opened.map((sql) => sql.end({ timeout: 1 })));
    },
  };
}
