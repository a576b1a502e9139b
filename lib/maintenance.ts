import { findProject } from "./control/projects.ts";
import { returnLease, takeLease } from "./control/leases.ts";
import type { Logger } from "./log.ts";
import type { ObjectStore } from "./objects/store.ts";
import { deleteExpiredBlobs, purgeBlobs } from "./telemetry/blobs.ts";
import type { Sql } from "./telemetry/database.ts";
import { deleteExpired } from "./telemetry/expire.ts";
import { finishMoves } from "./telemetry/issue_moves.ts";
import { createAhead, dropExpired } from "./telemetry/partitions.ts";
import { projectsWithTelemetry, purgeProject } from "./telemetry/purge.ts";
import { NO_PROJECT } from "./telemetry/records.ts";
import { withTimeLimit } from "./time_limit.ts";

const MINUTE_MS = 60_000;
const INTERVAL_MS = 30 * MINUTE_MS;
/** The start has made the partitions already; the rest does not belong into its busiest moment. */
const FIRST_RUN_MS = MINUTE_MS;
/** Outlasts the pause between two runs: the isolate that has the work keeps it until it ends. */
const LEASE_MS = 45 * MINUTE_MS;
/** Deleting reads whole tables. */
const DELETE_INTERVAL_MS = 24 * 60 * MINUTE_MS;
const WORK = "maintenance";
/** Deno KV waits for ever while its server is away. */
const KV_LIMIT_MS = 5_000;

export interface MaintenanceOptions {
  readonly kv: Deno.Kv;
  readonly sql: Sql;
  readonly objects: ObjectStore;
  readonly log: Logger;
  readonly retentionDays: number;
}

export interface Maintenance {
  /** Does the work now, unless another isolate has it. Never throws. */
  run(): Promise<void>;
  /** Resolves when what runs has come to a stop, soon. */
  close(): Promise<void>;
}

/**
 * Keeps the telemetry tables in shape every half hour: partitions of the coming days, removal of what the retention
 * has run out for and of deleted projects' telemetry, moves that merging issues left. Runs in one isolate at a time.
 */
export function startMaintenance(
  { kv, sql, objects, log, retentionDays }: MaintenanceOptions,
): Maintenance {
  const holder = crypto.randomUUID();
  const stopping = new AbortController();
  let deletedAt = -Infinity;

  async function work(): Promise<void> {
    try {
      if (!await withTimeLimit(takeLease(kv, WORK, holder, LEASE_MS), KV_LIMIT_MS)) return;
      await createAhead(sql);
      const partitions = await dropExpired(sql, retentionDays);
      if (partitions.length > 0) log.info("dropped expired partitions", { partitions });
      await finishMoves(sql, null, stopping.signal);
      await purgeDeletedProjects();
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

  /** Deleting a project removes its keys at once; its telemetry follows here. */
  async function purgeDeletedProjects(): Promise<void> {
    for (const projectId of await projectsWithTelemetry(sql)) {
      if (projectId === NO_PROJECT) continue;
      if (await withTimeLimit(findProject(kv, projectId), KV_LIMIT_MS) !== null) continue;
      await purgeBlobs({ sql, objects }, projectId, stopping.signal);
      await purgeProject(sql, projectId, stopping.signal);
      log.info("purged a deleted project", { project: projectId });
    }
  }

  let running = Promise.resolve();
  const run = () => running = running.then(work);
  let timer = setTimeout(function again() {
    run();
    timer = setTimeout(again, INTERVAL_MS);
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
