/** What the machine gives: the version of Deno, open files, the folder of the embedded stores and its disk. */
import { accessSync, constants, statfsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type Config, VERSION } from "../../core/config.ts";
import { fullInDays, readDiskNotes } from "../../core/disk_forecast.ts";
import { type Room, roomIn } from "../../core/disk_space.ts";
import { fileLimit } from "../listen.ts";
import { type Finding, ok, problem, reasonOf, warning } from "./finding.ts";

/** Tests and releases run on it. */
const DENO = { major: 2, minor: 9 };
const FEW_FILES = 4_096;

export function checkVersions(deno: string = Deno.version.deno): Finding[] {
  const [major = 0, minor = 0] = deno.split(".").map(Number);
  const isOld = major < DENO.major || (major === DENO.major && minor < DENO.minor);
  const tested = `${DENO.major}.${DENO.minor}`;
  const version = isOld
    ? warning(
      "versions",
      `Deno is ${deno}; Watchpost ${VERSION} is tested with ${tested}.`,
      `Start it with Deno ${tested} or newer: npx --yes deno@${tested}.`,
    )
    : ok("versions", `Watchpost ${VERSION} on Deno ${deno}.`);
  const files = fileLimit();
  if (files >= FEW_FILES) return [version];
  return [
    version,
    warning(
      "versions",
      `This shell may have ${files} files open, so about ${
        Math.floor(files * 2 / 3)
      } clients may be connected.`,
      "Raise it where the service is started: ulimit -n 65536, or LimitNOFILE= in a systemd unit.",
    ),
  ];
}

const isEmbedded = ({ databaseUrl, kv, s3 }: Config) =>
  databaseUrl === null || kv === "file" || s3 === null;

/** The folder of the embedded stores, which need not be there yet. */
export async function checkDataFolder(config: Config): Promise<Finding[]> {
  if (!isEmbedded(config)) {
    return [ok("data folder", "All three stores are external: no folder is used.")];
  }
  const { dataDir } = config;
  const info = await Deno.stat(dataDir).catch(() => null);
  const remedy =
    "Give the user that runs Watchpost the right to write there, or set SERVICE_DATA_DIR to another folder.";
  if (info === null) {
    const parent = await nearestFolder(dataDir);
    return mayWrite(parent)
      ? [ok("data folder", `${dataDir} is not there yet; the first start makes it.`)]
      : [
        problem("data folder", `${dataDir} is not there and cannot be made in ${parent}.`, remedy),
      ];
  }
  if (!info.isDirectory) {
    return [problem("data folder", `${dataDir} (SERVICE_DATA_DIR) is no folder.`, remedy)];
  }
  try {
    await writeProbe(dataDir);
  } catch (error) {
    return [
      problem("data folder", `Nothing can be written into ${dataDir}: ${reasonOf(error)}.`, remedy),
    ];
  }
  const found = [...openToOthers(dataDir, info.mode), ...passing(dataDir)];
  return found.length > 0
    ? found
    : [ok("data folder", `${dataDir} can be written, by its owner alone.`)];
}

async function writeProbe(folder: string): Promise<void> {
  const path = join(folder, `.doctor-${crypto.randomUUID()}`);
  await Deno.writeTextFile(path, "probe", { createNew: true, mode: 0o600 });
  await Deno.remove(path);
}

async function nearestFolder(path: string): Promise<string> {
  let folder = resolve(path);
  while (folder !== dirname(folder) && await Deno.stat(folder).catch(() => null) === null) {
    folder = dirname(folder);
  }
  return folder;
}

function mayWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function openToOthers(dataDir: string, mode: number | null): Finding[] {
  if (mode === null || (mode & 0o007) === 0) return [];
  return [warning(
    "data folder",
    `Every user of this machine may look into ${dataDir}, which holds accounts and what was sent.`,
    `Take the right away: chmod 700 ${dataDir}`,
  )];
}

/** By the numbers of Linux' statfs(2). */
const PASSING: ReadonlyMap<number, string> = new Map([
  [0x01021994, "in memory (tmpfs)"],
  [0x794c7630, "in the layer of a container (overlay)"],
]);

function passing(dataDir: string): Finding[] {
  const kind = PASSING.get(statfsSync(dataDir).type);
  if (kind === undefined) return [];
  return [warning(
    "data folder",
    `${dataDir} lies ${kind}: what is stored is gone with it.`,
    "Mount a volume there, or set SERVICE_DATA_DIR to a folder on a disk.",
  )];
}

const GB = 1_000_000_000;
const LITTLE = { share: 0.1, bytes: 2 * GB };
/** As the intake does: see `core/disk_space.ts`. */
const NOTHING_TAKEN = { share: 0.05, minBytes: 32_000_000, maxBytes: 256_000_000 };
const SOON_DAYS = 14;
const MAKE_ROOM =
  "Make room, enlarge the disk, or keep less: SERVICE_RETENTION_DAYS, or the retention of projects.";

/** @param room of the disk, and what was noted of it; the real ones by default */
export async function checkDisk(
  config: Config,
  room: Room | null = roomIn(isEmbedded(config) ? config.dataDir : "."),
): Promise<Finding[]> {
  if (!isEmbedded(config)) {
    return [ok("disk", "All three stores are external: look at their disks where they are.")];
  }
  const found = room ?? roomIn(await nearestFolder(config.dataDir));
  if (found === null) return [ok("disk", "The file system does not tell how much room it has.")];
  return [diskFinding(found, fullInDays(await readDiskNotes(config.dataDir), found))];
}

/** @param days in which it is full, or null when nobody knows */
export function diskFinding({ freeBytes, totalBytes }: Room, days: number | null): Finding {
  const { share, minBytes, maxBytes } = NOTHING_TAKEN;
  const reserve = Math.max(minBytes, Math.min(maxBytes, totalBytes * share));
  const free = `${gigabytes(freeBytes)} of ${gigabytes(totalBytes)} are free`;
  const forecast = days === null ? "" : `, and it is full in ${Math.max(0, Math.floor(days))} days`;
  if (freeBytes < reserve) {
    return problem("disk", `${free}: too little for anything to be taken.`, MAKE_ROOM);
  }
  if (days !== null && days < SOON_DAYS) {
    return warning("disk", `${free}${forecast} if it goes on like this.`, MAKE_ROOM);
  }
  if (freeBytes < Math.min(LITTLE.bytes, totalBytes * LITTLE.share)) {
    return warning("disk", `${free}${forecast}.`, MAKE_ROOM);
  }
  return ok("disk", `${free}${forecast}.`);
}

function gigabytes(bytes: number): string {
  return `${(bytes / GB).toFixed(1)} GB`;
}
