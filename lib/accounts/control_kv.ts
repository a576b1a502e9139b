import { type Config, ConfigError } from "../core/config.ts";
import type { Logger } from "../core/log.ts";
import { waitForStore } from "../core/wait_for_store.ts";
import { damageOf, kvCopies, kvFile } from "./kv_file.ts";

/**
 * Opens Deno KV: the server at `DENO_KV_URL`, or the SQLite file `kv.sqlite3` in the data folder.
 *
 * The access token of a server is read from `DENO_KV_ACCESS_TOKEN` by `Deno.openKv` itself: there is no
 * argument for it.
 *
 * @throws {ConfigError} when the server cannot be used, or the file is damaged
 */
export async function openKv({ kvUrl, dataDir }: Config, log: Logger): Promise<Deno.Kv> {
  if (kvUrl === null) {
    await Deno.mkdir(dataDir, { recursive: true, mode: 0o700 });
    await refuseDamaged(dataDir);
    return await Deno.openKv(kvFile(dataDir));
  }
  const name = `KV at ${new URL(kvUrl).host} (DENO_KV_URL)`;
  return await waitForStore(name, () => Deno.openKv(kvUrl), log, isPassing);
}

async function refuseDamaged(dataDir: string): Promise<void> {
  const damage = await damageOf(kvFile(dataDir));
  if (damage === null) return;
  const [newest] = await kvCopies(dataDir);
  const remedy = newest === undefined
    ? "there is no copy of it; make it again from Postgres"
    : `go back to the copy of ${newest}`;
  throw new ConfigError(
    `Cannot start: ${
      kvFile(dataDir)
    } is damaged (${damage}); put a backup of it back, or ${remedy}: deno task recover kv`,
  );
}

/** `Deno.openKv` tells its errors apart by their text only. */
function isPassing(error: unknown): boolean {
  const isFinal = error instanceof Error &&
    /DENO_KV_ACCESS_TOKEN|status 4\d\d/.test(error.message);
  return !isFinal;
}
