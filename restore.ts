/** `deno task restore FOLDER|s3://BUCKET/PREFIX [--at=BACKUP]`: puts a backup into the empty stores that the settings name. */
import { ConfigError, readConfig } from "./lib/core/config.ts";
import { createLogger } from "./lib/core/log.ts";
import { optionsOf, run, teller } from "./lib/server/backup/console.ts";
import { openPlace } from "./lib/server/backup/place.ts";
import { restore } from "./lib/server/backup/restore.ts";
import { openStores } from "./lib/server/services.ts";

const USAGE = "Usage: deno task restore FOLDER|s3://BUCKET/PREFIX [--at=BACKUP]";

await run(async () => {
  const { words, options } = optionsOf(Deno.args, ["at"], USAGE);
  const config = readConfig(Deno.env.toObject());
  const log = createLogger(config.logFormat);
  const [address = config.backup.to] = words;
  if (address === null) throw new ConfigError(USAGE);
  using place = await openPlace(config, address, { isWriter: false });
  const manifest = await place.read(options.get("at"));
  await using stores = await openStores(config, log);
  const unknown = await restore({ config, stores, place, manifest, log, say: teller() });
  console.log(`The backup ${manifest.id} is restored: start Watchpost.`);
  if (unknown.length > 0) {
    console.log(`Left out, since no table has the name: ${unknown.join(", ")}`);
  }
});
