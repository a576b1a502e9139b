import { connectServer, type Sql } from "../../lib/telemetry/database.ts";

export interface ThrowAwayDatabase extends AsyncDisposable {
  readonly url: string;
}

/** A new, empty database on a Postgres server; dropped at the end, whoever is still connected. */
export async function throwAwayDatabase(serverUrl: string): Promise<ThrowAwayDatabase> {
  const name = `watchpost_test_${crypto.randomUUID().replaceAll("-", "")}`;
  await onServer(serverUrl, (sql) => sql`create database ${sql(name)}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    async [Symbol.asyncDispose]() {
      await onServer(serverUrl, (sql) => sql`drop database ${sql(name)} with (force)`);
    },
  };
}

async function onServer(url: string, run: (sql: Sql) => Promise<unknown>): Promise<void> {
  const sql = connectServer(url);
  try {
    await run(sql);
  } finally {
    await sql.end();
  }
}
