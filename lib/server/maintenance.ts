import { finishMoves } from "../errors/mod.ts";
import { DAY_MS, MINUTE_MS } from "../core/time.ts";
import { copyKvDaily } from "../accounts/open_kv.ts";
import { KV_LIMIT_MS, returnLease, takeLease } from "../accounts/kv.ts";
import { copyControl } from "./control_mirror.ts";
import type { DiskSpace } from "../core/disk_space.ts";
import type { Logger } from "../core/log.ts";
import type { ObjectStore } from "../store/objects/store.ts";
import { purgeDeletedProjects } from "../projects/deletion.ts";
import { deleteExpired, deleteExpiredBlobs } from "../store/retention.ts";
import type { Sql } from "../store/database.ts";
import { createAhead, dropExpired } from "../store/partitions.ts";
import { nextPurgeInMs } from "../store/deleted_projects.ts";
import { withTimeLimit } from "../core/waiting.ts";

const INTERVAL_MS = 30 * MINUTE_MS;
/** The start has made the partitions already; the rest does not belong into its busiest moment. */
const FIRST_RUN_MS = MINUTE_MS;
/** After a purge that failed, for instance because a store is away. */
const SOONEST_RUN_MS = MINUTE_MS;
/** Outlasts the pause between two runs: the isolate that has the work keeps it until it ends. */
const LEASE_MS = 45 * MINUTE_MS;
/** Deleting reads whole tables. */
const DELETE_INTERVAL_MS = DAY_MS;
const WORK = "maintenance";

export interface MaintenanceOptions {
  readonly kv: Deno.Kv;
  readonly sql: Sql;
  readonly objects: ObjectStore;
  readonly log: Logger;
  readonly retentionDays: number;
  /** Where the embedded KV is, to be copied daily; null or absent: it is none. */
  readonly kvDir?: string | null;
  /** No copy is made while it is low. */
  readonly disk?: Pick<DiskSpace, "isLow">;
}

export interface Maintenance {
  /** Does the work now, unless another isolate has it. Never throws. */
  run(): Promise<void>;
  /** Resolves when what runs has come to a stop, soon. */
  close(): Promise<void>;
}

/**
 * Keeps the telemetry tables in shape every half hour: partitions of the coming days, removal of what the retention
 * has run out for and of deleted projects' telemetry, moves that merging issues left, a daily copy of the embedded KV. Runs in one isolate at a time,
 * and at once when the grace of a deleted project ends.
 */
export function startMaintenance(
  { kv, sql, objects, log, retentionDays, kvDir = null, disk }: MaintenanceOptions,
): Maintenance {
  const holder = crypto.randomUUID();
  const stopping = new AbortController();
  let deletedAt = -Infinity;

  async function work(): Promise<void> {
    try {
      if (!await withTimeLimit(takeLease(kv, WORK, holder, LEASE_MS), KV_LIMIT_MS)) return;
      await copyKv();
      await createAhead(sql);
      const partitions = await dropExpired(sql, retentionDays);
      if (partitions.length > 0) log.info("dropped expired partitions", { partitions });
      await finishMoves(sql, null, stopping.signal);
      await copyControl({ kv, sql });
      await purgeDeletedProjects({ kv, sql, objects, log }, stopping.signal);
      if (performance.now() - deletedAt < DELETE_INTERVAL_MS) return;
      const rows = await deleteExpired(sql, retentionDays, stopping.signal);
      if (Object.keys(rows).length > 0) log.info("deleted expired rows", rows);
      const blobs = await deleteExpiredBlobs({ sql, objects }, retentionDays, stopping.signal);
      if (blobs > 0) log.info("deleted expired blobs", { blobs });
      deletedAt = performance.now();
    } catch (error) {
      // A store is away, for instance: the next run makes up for it.
      log.error("maintenance failed", { error });
    }
  }

  /** Apart from the rest: the copy needs no Postgres. */
  async function copyKv(): Promise<void> {
    if (kvDir === null || disk?.isLow()) return;
    try {
      const day = await copyKvDaily(kvDir);
      if (day !== null) log.info("copied the embedded KV", { day });
    } catch (error) {
      log.error("cannot copy the embedded KV", { error });
    }
  }

  /** A grace that ends before the next run is due gets a run of its own. */
  async function nextRunInMs(): Promise<number> {
    const due = await nextPurgeInMs(sql).catch(() => null);
    return Math.min(INTERVAL_MS, Math.max(due ?? Infinity, SOONEST_RUN_MS));
  }

  let running = Promise.resolve();
  const run = () => running = running.then(work);
  let timer = setTimeout(async function again() {
    await run();
    const delay = await nextRunInMs();
    if (!stopping.signal.aborted) timer = setTimeout(again, delay);
  }, FIRST_RUN_MS);

  return {
    run,
    async close() {
      clearTimeout(timer);
      stopping.abort();
      await running;
      await returnLease(kv, WORK, holder).catch(() => {});
    },
  };
}
