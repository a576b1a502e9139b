import { finishMoves, finishSplits, purgeDeletedIssues } from "../errors/mod.ts";
import { DAY_MS, MINUTE_MS } from "../core/time.ts";
import { copyKvDaily } from "../accounts/open_kv.ts";
import { leaseOf, noteWorkDone } from "../accounts/kv.ts";
import { listAllProjects, settingsOf } from "../accounts/projects.ts";
import { deleteAged } from "../store/project_retention.ts";
import { copyControl } from "./control_mirror.ts";
import { noteDisk } from "../core/disk_forecast.ts";
import type { DiskSpace } from "../core/disk_space.ts";
import type { Logger } from "../core/log.ts";
import type { ObjectStore } from "../store/objects/store.ts";
import { purgeDeletedProjects } from "../projects/deletion.ts";
import { purgeDeletedOrganizations } from "../projects/organization_life.ts";
import { deleteExpiredBlobs } from "../store/expired_blobs.ts";
import { deleteExpired, indexEventIds, oldestKept } from "../store/retention.ts";
import { dropOld } from "../store/search_index/drop_segments.ts";
import type { Sql } from "../store/database.ts";
import { countTotalsBefore } from "../store/stats/totals.ts";
import { sweepUploads } from "../sourcemaps/mod.ts";
import { createAhead, dropExpired } from "../store/partitions.ts";
import { nextPurgeInMs } from "../store/deleted_projects.ts";
import { repeat, type Repeated } from "../core/waiting.ts";

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
  readonly disk?: Pick<DiskSpace, "isLow" | "room">;
  /** Where the embedded stores are, whose disk is looked at. */
  readonly dataDir?: string;
  /** Deletes what has been set aside for too long. */
  readonly expireAside?: () => Promise<void>;
}

/**
 * Keeps the telemetry tables in shape every half hour: partitions of the coming days, removal of what the retention
 * has run out for and of deleted projects' telemetry, moves that merging and splitting issues left, removal of deleted issues' data, counts that
 * are new over the days before them, a daily copy of the embedded KV. Runs in one isolate at a time,
 * and at once when the grace of a deleted project ends.
 */
export function startMaintenance(
  {
    kv,
    sql,
    objects,
    log,
    retentionDays,
    kvDir = null,
    disk,
    dataDir,
    expireAside,
  }: MaintenanceOptions,
): Repeated {
  const lease = leaseOf(kv, WORK, LEASE_MS);
  let deletedAt = -Infinity;

  async function work(stopping: AbortSignal): Promise<void> {
    try {
      if (!await lease.take()) return;
      await noteRoom();
      await copyKv();
      await createAhead(sql);
      await dropOld(sql, oldestKept(retentionDays, new Date()));
      const partitions = await dropExpired(sql, retentionDays);
      if (partitions.length > 0) log.info("dropped expired partitions", { partitions });
      await finishMoves(sql, null, stopping);
      await finishSplits(sql, null, stopping);
      await purgeDeletedIssues({ sql, objects }, null, stopping);
      await copyControl({ kv, sql });
      await purgeDeletedProjects({ kv, sql, objects, log }, stopping);
      await purgeDeletedOrganizations({ kv, sql, log });
      const uploads = await sweepUploads({ sql, objects, retentionDays }, stopping);
      if (Object.keys(uploads).length > 0) log.info("deleted old uploads of source maps", uploads);
      while (!stopping.aborted && await countTotalsBefore(sql, retentionDays));
      if (performance.now() - deletedAt < DELETE_INTERVAL_MS) return;
      await expireAside?.();
      await indexEventIds(sql);
      await deleteAgedOfProjects(stopping);
      const rows = await deleteExpired(sql, retentionDays, stopping);
      if (Object.keys(rows).length > 0) log.info("deleted expired rows", rows);
      const blobs = await deleteExpiredBlobs({ sql, objects }, retentionDays, stopping);
      if (blobs > 0) log.info("deleted expired blobs", { blobs });
      if (stopping.aborted) return;
      deletedAt = performance.now();
      await noteWorkDone(kv, "retention");
    } catch (error) {
      // A store is away, for instance: the next run makes up for it.
      log.error("maintenance failed", { error });
    }
  }

  /** What projects keep for less time than the instance. */
  async function deleteAgedOfProjects(stopping: AbortSignal): Promise<void> {
    for await (const project of listAllProjects(kv)) {
      const { retention } = settingsOf(project);
      const days = Object.fromEntries(
        Object.entries(retention).filter(([, kept]) => kept < retentionDays),
      );
      if (stopping.aborted || Object.keys(days).length === 0) continue;
      const rows = await deleteAged({ sql, objects }, { projectId: project.id, days }, stopping);
      if (rows > 0) {
        log.info("deleted what a project keeps no longer", { project: project.id, rows });
      }
    }
  }

  /** For who asks when the disk will be full. */
  async function noteRoom(): Promise<void> {
    const room = disk?.room() ?? null;
    if (room === null || dataDir === undefined) return;
    await noteDisk(dataDir, room).catch((error) =>
      log.warn("cannot note the disk's room", { error })
    );
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

  let isFirst = true;
  const repeated = repeat(work, () => {
    if (!isFirst) return nextRunInMs();
    isFirst = false;
    return FIRST_RUN_MS;
  });

  return {
    run: repeated.run,
    async close() {
      await repeated.close();
      await lease.giveBack();
    },
  };
}
