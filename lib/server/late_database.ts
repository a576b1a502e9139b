/** A start while Postgres is away: the rest goes on, and the database is brought up to date when its server comes. */
import { ConfigError } from "../core/config.ts";
import type { Logger } from "../core/log.ts";
import type { AwayDatabase, Sql } from "../store/database.ts";
import { withTimeLimit } from "../core/time_limit.ts";

const RETRY_MS = 1_000;
const ANSWER_LIMIT_MS = 5_000;

/**
 * Tries until the server answers and `prepare` has done its work there; only then do other queries reach it. A server
 * that cannot be used is told in the log and tried again: what is spooled meanwhile must not get into a wrong one.
 *
 * @param prepare checks and migrates @throws {ConfigError}
 * @param stopping ends the waiting
 */
export async function admitLater(
  away: AwayDatabase,
  prepare: (sql: Sql) => Promise<void>,
  log: Logger,
  stopping: AbortSignal,
): Promise<void> {
  let told = "";
  while (!stopping.aborted) {
    try {
      await withTimeLimit(Promise.resolve(away.sql`select 1`), ANSWER_LIMIT_MS);
      await away.check();
      await prepare(away.sql);
      await away.admit();
      log.info("Postgres answers and is up to date: what waits is stored now");
      return;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (message !== told && !stopping.aborted) {
        if (error instanceof ConfigError) {
          log.error(message.replace("Cannot start", "Postgres cannot be used"));
        } else log.warn("Postgres is away: requests are spooled", { reason: message });
      }
      told = message;
    }
    await pause(RETRY_MS, stopping);
  }
}

function pause(ms: number, stopping: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  stopping.addEventListener("abort", () => resolve(), { once: true });
  return promise.finally(() => clearTimeout(timer));
}
