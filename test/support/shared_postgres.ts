import { dirname, join } from "node:path";
import { type EmbeddedPostgres, openEmbeddedPostgres } from "../../lib/store/embedded/open.ts";
import { copyTemplate, MIGRATED_SCHEMAS } from "./postgres_template.ts";
import { silentLogger } from "./silent_logger.ts";

/** Starts an embedded Postgres that lives until the test file ends. */
export async function startSharedPostgres(): Promise<EmbeddedPostgres> {
  const dir = await Deno.makeTempDir({ prefix: "watchpost-test-postgres-" });
  await copyTemplate(join(dir, "postgres"), MIGRATED_SCHEMAS);
  const server = await openEmbeddedPostgres(join(dir, "postgres"), silentLogger);
  const { address } = server;
  addEventListener("unload", () => {
    Deno.removeSync(dir, { recursive: true });
    if (address.transport === "unix") Deno.removeSync(dirname(address.path), { recursive: true });
  });
  return server;
}
