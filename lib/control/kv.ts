import { join } from "node:path";
import type { Config } from "../config.ts";
import type { Logger } from "../log.ts";
import { waitForStore } from "../wait_for_store.ts";

/**
 * Opens Deno KV: the server at `DENO_KV_URL`, or the SQLite file `kv.sqlite3` in the data folder.
 *
 * The access token of a server is read from `DENO_KV_ACCESS_TOKEN` by `Deno.openKv` itself: there is no
 * argument for it.
 *
 * @throws {ConfigError} when the server cannot be used
 */
export async function openKv({ kvUrl, dataDir }: Config, log: Logger): Promise<Deno.Kv> {
  if (kvUrl === null) {
    await Deno.mkdir(dataDir, { recursive: true, mode: 0o700 });
    return await Deno.openKv(join(dataDir, "kv.sqlite3"));
  }
  const name = `KV at ${new URL(kvUrl).host} (DENO_KV_URL)`;
  return await waitForStore(name, () => Deno.openKv(kvUrl), log, isPassing);
}

/** `Deno.openKv` tells its errors apart by their text only. */
function isPassing(error: unknown): boolean {
  const isFinal = error instanceof Error &&
    /DENO_KV_ACCESS_TOKEN|status 4\d\d/.test(error.message);
  return !isFinal;
}
