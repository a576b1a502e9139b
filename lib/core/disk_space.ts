import { statfsSync } from "node:fs";
import type { Config } from "./config.ts";
import type { Logger } from "./log.ts";

/** How much room there is where the embedded stores are. */
export interface DiskSpace {
  /** Too little for more telemetry: what is left is for what keeps the service alive. */
  isLow(): boolean;
  /** Too little for anything: the engine of the embedded KV ends the process when it cannot write. */
  isFull(): boolean;
  /** Null where nobody watches, or the file system does not tell. */
  room(): Room | null;
}

/** As far as a file system tells. */
export interface Room {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

const MB = 1_000_000;
/** Postgres writes ahead in files of 16 MB, and packs and cleans up in what is left. */
const RESERVE = { share: 0.05, minBytes: 32 * MB, maxBytes: 256 * MB };
/** So much more has to be free again, so that the intake does not flap. */
const RECOVERED = 1.2;
/** KV writes up to 4 MB beside its file before it moves them there. */
const FULL_BYTES = 5 * MB;
/** The fastest disks take 100 MB meanwhile, a busy intake a few. */
const LOOK_EVERY_MS = 100;

/** Watches the data folder when one of the stores is embedded; other stores look after their own room. */
export function watchDisk(config: Config, log: Logger): DiskSpace {
  const { databaseUrl, kv, s3, dataDir } = config;
  const isEmbedded = databaseUrl === null || kv === "file" || s3 === null;
  return isEmbedded ? diskSpace(() => roomIn(dataDir), log) : UNWATCHED;
}

const UNWATCHED: DiskSpace = { isLow: () => false, isFull: () => false, room: () => null };

/**
 * Tells of a disk by what `look` finds, asked when somebody wants to know and at most ten times a second.
 *
 * @param look null when the file system does not tell
 * @param now milliseconds that never go back
 */
export function diskSpace(
  look: () => Room | null,
  log: Logger,
  now: () => number = () => performance.now(),
): DiskSpace {
  let lookedAt = -Infinity;
  let isLow = false;
  let isFull = false;
  const refresh = () => {
    if (now() - lookedAt < LOOK_EVERY_MS) return;
    lookedAt = now();
    const room = look();
    if (room === null) return;
    const { share, minBytes, maxBytes } = RESERVE;
    const reserve = Math.max(minBytes, Math.min(maxBytes, room.totalBytes * share));
    const wasLow = isLow;
    isLow = room.freeBytes < (wasLow ? reserve * RECOVERED : reserve);
    isFull = room.freeBytes < FULL_BYTES;
    if (isLow === wasLow) return;
    const fields = { freeBytes: room.freeBytes, reserveBytes: Math.round(reserve) };
    if (isLow) log.error("the disk is nearly full: nothing is taken until there is room", fields);
    else log.info("there is room on the disk again", fields);
  };
  return {
    isLow() {
      refresh();
      return isLow;
    },
    isFull() {
      refresh();
      return isFull;
    },
    room: look,
  };
}

/** Of the disk that a folder is on; null when the file system does not tell. */
export function roomIn(folder: string): Room | null {
  try {
    const { bavail, blocks, bsize } = statfsSync(folder);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  } catch {
    return null;
  }
}
