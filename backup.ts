/**
 * `deno task backup [FOLDER|s3://BUCKET/PREFIX] [--keep=N]`: copies KV, Postgres and objects while the service runs.
 * With `--list` it tells which backups there are, with `--verify[=BACKUP]` it reads one again.
 */
import { openKv } from "./lib/accounts/open_kv.ts";
import { type Config, ConfigError, readConfig } from "./lib/core/config.ts";
import { createLogger, type Logger } from "./lib/core/log.ts";
import { backUp } from "./lib/server/backup/back_up.ts";
import { megabytes, optionsOf, run, teller } from "./lib/server/backup/console.ts";
import { bytesOf } from "./lib/server/backup/manifest.ts";
import { openPlace, type Place } from "./lib/server/backup/place.ts";
import { openSource } from "./lib/server/backup/source.ts";
import { noteVerified, verify } from "./lib/server/backup/verify.ts";

const USAGE =
  "Usage: deno task backup [FOLDER|s3://BUCKET/PREFIX] [--keep=N] [--list] [--verify[=BACKUP]]";

await run(async () => {
  const { words, options } = optionsOf(Deno.args, ["keep", "list", "verify"], USAGE);
  const config = readConfig(Deno.env.toObject());
  const log = createLogger(config.logFormat);
  const [address = config.backup.to] = words;
  if (address === null) throw new ConfigError(`${USAGE}\nor set SERVICE_BACKUP_TO`);
  const isReader = options.has("list") || options.has("verify");
  using place = await openPlace(config, address, { isWriter: !isReader });
  if (options.has("list")) await list(place);
  else if (options.has("verify")) {
    await check(config, log, place, options.get("verify") || undefined);
  } else await make(config, log, place, keepOf(options.get("keep"), config, address));
});

async function list(place: Place): Promise<void> {
  for (const id of await place.list()) {
    const { version, ...manifest } = await place.read(id);
    console.log(`${id}  ${megabytes(bytesOf(manifest))}  Watchpost ${version}`);
  }
}

async function check(
  config: Config,
  log: Logger,
  place: Place,
  id: string | undefined,
): Promise<void> {
  const manifest = await place.read(id);
  const faults = await verify(place, manifest, teller());
  for (const fault of faults) console.error(fault);
  console.log(
    faults.length === 0
      ? `${manifest.id} is whole: ${megabytes(bytesOf(manifest))} were read.`
      : `${manifest.id} is not whole: ${faults.length} of its parts.`,
  );
  if (faults.length > 0) Deno.exitCode = 1;
  // Backups may be checked where no service is.
  if (config.kv === "file" && !await Deno.stat(config.dataDir).then(() => true, () => false)) {
    return;
  }
  const kv = await openKv(config, log, "beside");
  await noteVerified(kv, place, manifest, faults.length === 0);
  kv.close();
}

async function make(
  config: Config,
  log: Logger,
  place: Place,
  keep: number | null,
): Promise<void> {
  await using source = await openSource(config, log);
  const { manifest, newBytes, deleted } = await backUp(source, place, { keep, say: teller() });
  const { id, postgres, kv, objects } = manifest;
  const rows = postgres.tables.reduce((sum, table) => sum + table.rows, 0);
  console.log(
    `${id}: ${rows} rows, ${kv.entries} entries of KV and ${objects.count} objects are in ${place.name}, ` +
      `${megabytes(bytesOf(manifest))}, of which ${megabytes(newBytes)} are new.`,
  );
  if (!kv.isOneMoment) console.log("KV changed all the time while it was read.");
  if (deleted.length > 0) console.log(`Deleted: ${deleted.join(", ")}`);
}

/** Backups of the service's own place are deleted as the settings say. */
function keepOf(text: string | undefined, config: Config, address: string): number | null {
  if (text === undefined) return address === config.backup.to ? config.backup.keep : null;
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new ConfigError("--keep wants a number from 1 on");
}
