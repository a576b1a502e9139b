/** What is done by the clock: in one isolate of a process, and where it matters in one process of all. */
import { startDeliveries } from "../alerts/deliveries/start.ts";
import { startClock } from "../alerts/evaluation/evaluate_all.ts";
import { noticeOf } from "../alerts/notices.ts";
import { startAuditClock, startAuditWebhooks } from "../audit/mod.ts";
import { startEndUserJobs } from "../end_users/mod.ts";
import { startClosing } from "../errors/links/closing.ts";
import { startOwnership, startRemapping } from "../errors/mod.ts";
import { startIssueClock } from "../errors/workflow/clock.ts";
import { limitSeries } from "../ingest/admit.ts";
import { expireAside } from "../ingest/lost_requests.ts";
import { leaseOf } from "../accounts/kv.ts";
import { MINUTE_MS } from "../core/time.ts";
import type { IngestServices } from "../ingest/pipeline.ts";
import { startCompaction } from "../metrics/start_compaction.ts";
import { startMonitorClock } from "../monitors/cron/clock.ts";
import type { Prober } from "../monitors/probes/prober.ts";
import { startStatusPages } from "../monitors/status/start.ts";
import { startUptime } from "../monitors/uptime/scheduler.ts";
import { startNotifications } from "../notifications/mod.ts";
import { startProfileHours } from "../profiles/hours_clock.ts";
import { startAssembler } from "../sourcemaps/mod.ts";
import { startDiskBudget } from "./disk_budget.ts";
import { startBackups } from "./backup/clock.ts";
import { startJoiningChunks } from "./join_chunks.ts";
import { startMaintenance } from "./maintenance.ts";
import { monitorEvents } from "./monitor_events.ts";
import { startSearchIndex } from "./search_index.ts";
import { startReleasingMemory } from "./spare_memory.ts";
import { importInto } from "../ingest/import/run_import.ts";
import { startTransfers } from "../transfers/mod.ts";

export interface ClockServices extends IngestServices {
  readonly prober: Prober;
  /** The data folder when the embedded KV in it is the one that is open. */
  readonly kvDir: string | null;
}

/** Something that was started, by the name under which the log knows it. */
export type Closing = readonly [name: string, what: { close(): Promise<void> }];

/** Something that does its work again and again. */
export type Clock = readonly [
  name: string,
  clock: {
    /** Does now what is due; never throws. */
    run(): Promise<void>;
    close(): Promise<void>;
  },
];

/** Starts all of them; each is to be closed. */
export function startClocks(services: ClockServices): Clock[] {
  const { config, log, kv, sql, objects, writer, spool, prober, kvDir, disk } = services;
  const { retentionDays, dataDir, baseUrl, monitorReference } = config;
  const mailing = { kv, sql, config, log };
  return [
    [
      "maintenance",
      startMaintenance({
        kv,
        sql,
        objects,
        log,
        retentionDays,
        kvDir,
        disk,
        dataDir,
        expireAside: () => expireAside({ kv, spool, writer, log, retentionDays }),
      }),
    ],
    ["room on disk", startDiskBudget({ ...mailing, objects, disk })],
    ["backups", startBackups({ kv, config, log })],
    ["audit log", startAuditClock({ kv, sql, log })],
    ["data of end users", startEndUserJobs({ ...mailing, objects })],
    [
      "exports and imports",
      startTransfers({ kv, sql, objects, log, retentionDays, runImport: importInto(services) }),
    ],
    ["webhooks of the audit log", startAuditWebhooks(mailing)],
    ["deliveries", startDeliveries(mailing)],
    ["clock", startClock({ kv, sql, log, baseUrl, noticeOf })],
    ["clock of issues", startIssueClock({ kv, sql, log })],
    [
      "clock of monitors",
      startMonitorClock({
        kv,
        sql,
        log,
        storeEvent: monitorEvents({ config, kv, writer, spool }),
        waitingSince: async () => (await spool.state()).oldestWaitingSince,
      }),
    ],
    ["mapping events again", startRemapping(services)],
    ["owners of issues", startOwnership({ kv, sql, log })],
    ["notifications", startNotifications(mailing)],
    ["uploads of source maps", startAssembler({ sql, objects, log, config })],
    ["compaction", startCompaction({ kv, sql, log })],
    ["payloads of events", startJoiningChunks({ kv, sql, log })],
    ["lists for searches", startSearchIndex({ kv, sql, log })],
    ["hours of profiles", startProfileHours({ sql, log })],
    ["status pages", startStatusPages(mailing)],
    ["spare memory", startReleasingMemory()],
    ["closing in trackers", startClosing(mailing)],
    [
      "uptime monitors",
      startUptime({
        ...mailing,
        prober,
        reference: monitorReference,
        registries: {},
        store: storeChecks(services),
      }),
    ],
  ];
}

/** Work that reads much, and how long all processes together leave between two runs of it. */
const RUNS_APART_MS: Readonly<Record<string, number>> = {
  "maintenance": 30 * MINUTE_MS,
  "room on disk": 10 * MINUTE_MS,
  "payloads of events": 5 * MINUTE_MS,
  "lists for searches": 5 * MINUTE_MS,
};

/**
 * Does what is due of everything, for a process that does not live until a clock of its own strikes. Each clock has its
 * lease as ever, so any number of processes may be asked at the same time.
 */
export async function runAll(kv: Deno.Kv, clocks: readonly Clock[]): Promise<void> {
  await Promise.all(clocks.map(async ([name, clock]) => {
    const apartMs = RUNS_APART_MS[name];
    // A lease that nobody gives back lasts until the next run.
    if (apartMs !== undefined && !await leaseOf(kv, `${name} at intervals`, apartMs).take()) return;
    await clock.run();
  }));
}

type StoreChecks = Parameters<typeof startUptime>[0]["store"];

function storeChecks({ seriesLimits, writer }: IngestServices): StoreChecks {
  return async (projectId, records) => {
    const batch = { eventId: null, records, outcomes: [] };
    await writer.commit(projectId, await limitSeries(batch, projectId, seriesLimits));
  };
}
