import { type ThrowAwayDatabase, throwAwayDatabase } from "../support/throw_away_database.ts";

/**
 * A new database on the Postgres that `TEST_DATABASE_URL` names; ends the bench with advice when there is none.
 */
export async function benchDatabase(): Promise<ThrowAwayDatabase> {
  const server = Deno.env.get("TEST_DATABASE_URL");
  if (server) return await throwAwayDatabase(server);
  console.error(`The bench needs a Postgres server:
  eval "$(bash test/support/external_stores.sh start)"; deno task bench; bash test/support/external_stores.sh stop`);
  Deno.exit(2);
}
