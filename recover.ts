/** `deno task recover kv|postgres|objects`: goes on after one of the stores was lost. Watchpost must be stopped. */
import { type Config, ConfigError, readConfig } from "./lib/core/config.ts";
import { kvFile, restoreKvFile, takeCopyAway } from "./lib/accounts/open_kv.ts";
import { createLogger, type Logger } from "./lib/core/log.ts";
import { goOnWithCopy, recover } from "./lib/server/recover.ts";
import { lockEmbeddedData } from "./lib/server/data_lock.ts";
import { openStores } from "./lib/server/services.ts";

const STORES = ["kv", "postgres", "objects"] as const;

/** Under the lock that keeps a running service out. */
async function restoreFile(config: Config): Promise<string | null> {
  const lock = await lockEmbeddedData(config);
  try {
    return await restoreKvFile(config.dataDir);
  } finally {
    lock?.release();
  }
}

/** When it fails, KV is missing again: a start is refused until the same command has come to its end. */
async function goOn(config: Config, day: string, log: Logger): Promise<void> {
  try {
    await using stores = await openStores(config, log);
    const done = await goOnWithCopy(config, stores, log);
    console.log(`${kvFile(config.dataDir)} is the copy of ${day} now; the old file is beside it.`);
    console.log(`${done} Keys revoked since then are disabled.`);
  } catch (error) {
    await takeCopyAway(config.dataDir);
    throw error;
  }
}

try {
  const config = readConfig(Deno.env.toObject());
  const store = STORES.find((name) => name === Deno.args[0]);
  if (store === undefined) {
    throw new ConfigError(`Name the store that was lost: deno task recover ${STORES.join("|")}`);
  }
  const log = createLogger(config.logFormat);
  const day = store === "kv" && config.kv === "file" ? await restoreFile(config) : null;
  if (day !== null && day !== "none") await goOn(config, day, log);
  else {
    await using stores = await openStores(config, log);
    console.log(await recover(stores, store, log));
  }
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error);
  Deno.exitCode = 1;
}
