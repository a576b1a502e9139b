/**
 * `deno task move FILE [--through=FOLDER]`: moves all that Watchpost has from the stores of the settings to the empty
 * ones that a file of settings names, whatever kinds both are. Watchpost must be stopped. After a break, the same
 * command goes on.
 */
import { join } from "node:path";
import { parseEnv } from "node:util";
import { keyOf } from "./lib/accounts/kv.ts";
import { type Config, ConfigError, readConfig } from "./lib/core/config.ts";
import { createLogger, type Logger } from "./lib/core/log.ts";
import { backUp } from "./lib/server/backup/back_up.ts";
import { optionsOf, run, teller } from "./lib/server/backup/console.ts";
import { openPlace } from "./lib/server/backup/place.ts";
import { refuseFull, restore } from "./lib/server/backup/restore.ts";
import { openSource } from "./lib/server/backup/source.ts";
import { dataFolderState } from "./lib/server/data_lock.ts";
import { openStores } from "./lib/server/services.ts";
import type { Stores } from "./lib/store/stores.ts";

const USAGE = "Usage: deno task move FILE [--through=FOLDER]";
/** What says where stores are: nothing of it is taken over from the settings that are moved away from. */
const OF_STORES = /^(?:DATABASE_URL|DENO_KV_|S3_|AWS_|SERVICE_DATA_DIR$)/;

await run(async () => {
  const { words: [file], options } = optionsOf(Deno.args, ["through"], USAGE);
  if (file === undefined) throw new ConfigError(USAGE);
  const env = Deno.env.toObject();
  const from = readConfig(env);
  const target = targetOf(env, await settingsIn(file));
  const to = readConfig(target);
  const through = options.get("through") ?? join(from.dataDir, "move");
  const log = createLogger(from.logFormat);
  const begun = await inTarget(to, target, log, async (stores) => {
    const id = await unfinished(stores.kv);
    // Before anything is copied, which may take long.
    await refuseFull(to, stores, id);
    return id;
  });
  const id = begun ?? await copyOut(from, env, through, log);
  await inTarget(to, target, log, async (stores) => {
    using place = await openPlace(from, through, { isWriter: false });
    const manifest = await place.read(id);
    await restore({ config: to, stores, place, manifest, log, say: teller() });
  });
  await Deno.remove(through, { recursive: true });
  console.log(
    `All is moved: start Watchpost with the settings of ${file}. The old stores are as they were.`,
  );
});

type Settings = Readonly<Record<string, string | undefined>>;

async function settingsIn(file: string): Promise<Settings> {
  try {
    return parseEnv(await Deno.readTextFile(file));
  } catch (error) {
    throw new ConfigError(
      `${file} cannot be read: ${error instanceof Error ? error.message : error}`,
    );
  }
}

function targetOf(env: Settings, file: Settings): Settings {
  const kept = Object.entries(env).filter(([name]) => !OF_STORES.test(name));
  return { ...Object.fromEntries(kept), ...file };
}

/** The token of a KV server is read from the environment by Deno itself. */
function setToken({ DENO_KV_ACCESS_TOKEN: token }: Settings): void {
  if (token === undefined) Deno.env.delete("DENO_KV_ACCESS_TOKEN");
  else Deno.env.set("DENO_KV_ACCESS_TOKEN", token);
}

async function inTarget<T>(
  config: Config,
  settings: Settings,
  log: Logger,
  work: (stores: Stores) => Promise<T>,
): Promise<T> {
  setToken(settings);
  await using stores = await openStores(config, log);
  return await work(stores);
}

/** The backup that an interrupted move was putting there, or null. */
async function unfinished(kv: Deno.Kv): Promise<string | null> {
  return (await kv.get<string>(keyOf.restoring())).value;
}

/** What was copied before a break is not copied again. @returns the id of the backup */
async function copyOut(
  config: Config,
  settings: Settings,
  through: string,
  log: Logger,
): Promise<string> {
  setToken(settings);
  if ((await dataFolderState(config.dataDir)).isInUse) {
    throw new ConfigError(`${config.dataDir} is in use: stop Watchpost first, and then move`);
  }
  using place = await openPlace(config, through, { isWriter: true });
  await using source = await openSource(config, log);
  const { manifest } = await backUp(source, place, { keep: null, isAlone: true, say: teller() });
  return manifest.id;
}
