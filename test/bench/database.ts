import postgres from "postgres";

export interface ThrowAwayDatabase extends AsyncDisposable {
  readonly url: string;
}

/**
 * A new database on the Postgres that `TEST_DATABASE_URL` names; `test/support/external_stores.sh` starts one.
 * Dropped at the end.
 */
export async function throwAwayDatabase(): Promise<ThrowAwayDatabase> {
  const server = Deno.env.get("TEST_DATABASE_URL");
  if (!server) {
    console.error(`The bench needs a Postgres server:
  eval "$(bash test/support/external_stores.sh start)"; deno task bench; bash test/support/external_stores.sh stop`);
    Deno.exit(2);
  }
  const name = `watchpost_bench_${crypto.randomUUID().replaceAll("-", "")}`;
  await onServer(server, (sql) => sql`create database ${sql(name)}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    async [Symbol.asyncDispose]() {
      await onServer(server, (sql) => sql`drop database ${sql(name)} with (force)`);
    },
  };
}

async function onServer(
  url: string,
  run: (sql: postgres.Sql) => Promise<unknown>,
): Promise<void> {
  const sql = postgres(url, { max: 1 });
  await run(sql);
  await sql.end();
}
