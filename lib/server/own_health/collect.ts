/** Everything that `GET /metrics` tells: what isolates have counted, and what is asked when somebody wants to know. */
import process from "node:process";
import { worksDone } from "../../accounts/kv.ts";
import { lastBackup } from "../../accounts/last_backup.ts";
import { VERSION } from "../../core/config.ts";
import { failureOf } from "../../core/errors.ts";
import { NUMBERS } from "../../core/measures/measures.ts";
import type { Family, Sample } from "../../core/measures/numbers.ts";
import { TimeLimitExceeded, withTimeLimit } from "../../core/waiting.ts";
import { databaseBytes, readBacklog, readConnections } from "../../store/backlog.ts";
import { migrationState } from "../../store/migrate.ts";
import { oldestKept } from "../../store/retention.ts";
import { diskUse, fullIn } from "../disk_budget.ts";
import { SharedLooks } from "../event_streams.ts";
import { asideState, checkStores, spoolState } from "../health.ts";
import { fileLimit } from "../listen.ts";
import type { Services } from "../services.ts";
import { listInstances } from "./instances.ts";

/** What takes longer is left out: a scrape shall tell what is known. */
const LIMIT_MS = 3_000;
/** Several who scrape ask the stores once. */
const SHARE_MS = 1_000;
/** Adding up the sizes of many files takes a while. */
const SIZE_MS = 5 * 60_000;

const looks = new WeakMap<Services, SharedLooks<Family[]>>();
const sizes = new WeakMap<Services, SharedLooks<Family[]>>();

/** All families; those that a store which is away would have told are missing. Never throws. */
export async function collect(services: Services): Promise<Family[]> {
  return [...NUMBERS.read(), ...await shared(looks, services, SHARE_MS, () => ask(services))];
}

function shared(
  known: WeakMap<Services, SharedLooks<Family[]>>,
  services: Services,
  ms: number,
  look: () => Promise<Family[]>,
): Promise<Family[]> {
  const found = known.get(services) ?? new SharedLooks<Family[]>(ms);
  known.set(services, found);
  return found.get("", look);
}

async function ask(services: Services): Promise<Family[]> {
  const { sql } = services;
  const parts = await Promise.all([
    ofProcess(services),
    stores(services),
    spool(services),
    aside(services),
    disk(services),
    orNothing(services, () => backlog(services)),
    orNothing(services, () => work(services)),
    orNothing(services, () => budget(services)),
    orNothing(services, () => migrations(services)),
    orNothing(services, () => instances(services)),
    orNothing(services, () => connections(services)),
    orNothing(services, () => backup(services)),
    orNothing(services, () =>
      shared(sizes, services, SIZE_MS, async () => [
        gauge("watchpost_postgres_size_bytes", "Bytes of the database.", await databaseBytes(sql)),
      ])),
  ]);
  return parts.flat();
}

/** While a store is away nothing is told of it; what else fails is a bug that somebody should hear of. */
async function orNothing({ log }: Services, look: () => Promise<Family[]>): Promise<Family[]> {
  try {
    return await withTimeLimit(look(), LIMIT_MS);
  } catch (error) {
    const isAway = error instanceof TimeLimitExceeded || failureOf(error) === "unavailable";
    if (!isAway) log.warn("cannot tell a part of the metrics", { error });
    return [];
  }
}

async function backup({ kv }: Services): Promise<Family[]> {
  const last = await lastBackup(kv);
  const isGood = last !== null && last.isWhole && last.error === null;
  const families = [
    gauge(
      "watchpost_backup_age_seconds",
      "Since the last backup was begun.",
      (Date.now() - (last?.startedAt.getTime() ?? 0)) / 1_000,
    ),
    gauge("watchpost_backup_bytes", "Bytes of all that it needs, as stored.", last?.bytes ?? 0),
    gauge(
      "watchpost_backup_good",
      "Whether it was not found damaged, and none has failed since.",
      isGood ? 1 : 0,
    ),
  ];
  // Without a value where there was none.
  return last === null ? families.map((family) => ({ ...family, samples: [] })) : families;
}

function ofProcess({ startedAt }: Services): Family[] {
  const { user, system } = process.cpuUsage();
  const limit = fileLimit();
  return [
    labelled("watchpost_build_info", "The version that runs.", "version", [[VERSION, 1]]),
    gauge(
      "process_start_time_seconds",
      "When this process was started, in seconds since 1970.",
      startedAt.getTime() / 1_000,
    ),
    {
      ...gauge(
        "process_cpu_seconds",
        "Time that the process has spent on processors.",
        (user + system) / 1_000_000,
      ),
      type: "counter",
    },
    gauge("process_resident_memory_bytes", "Memory of the process.", Deno.memoryUsage().rss),
    ...openFiles(),
    ...Number.isFinite(limit)
      ? [gauge("process_max_fds", "How many files the process may have open.", limit)]
      : [],
  ];
}

function openFiles(): Family[] {
  try {
    const count = [...Deno.readDirSync("/proc/self/fd")].length;
    return [gauge("process_open_fds", "How many files the process has open.", count)];
  } catch {
    return [];
  }
}

async function stores(services: Services): Promise<Family[]> {
  const health = await checkStores(services);
  const isUp = (store: string) => health.ok || !health.failing.includes(store) ? 1 : 0;
  return [
    labelled(
      "watchpost_store_up",
      "Whether a store answers within two seconds.",
      "store",
      ["kv", "postgres", "objects"].map((store) => [store, isUp(store)]),
    ),
  ];
}

async function spool(services: Services): Promise<Family[]> {
  const state = await spoolState(services);
  if (state === null) return [];
  const { waitingBytes, waitingObjects, oldestWaitingSince, maxBytes, setAsideObjects } = state;
  const ageMs = oldestWaitingSince === null ? 0 : Date.now() - oldestWaitingSince.getTime();
  return [
    gauge("watchpost_spool_bytes", "Bytes of requests that wait in the spool.", waitingBytes),
    gauge("watchpost_spool_max_bytes", "Bytes that may wait in the spool.", maxBytes),
    gauge("watchpost_spool_objects", "Objects of the spool that wait.", waitingObjects),
    gauge(
      "watchpost_spool_age_seconds",
      "How long the oldest request has waited in the spool.",
      Math.max(0, ageMs / 1_000),
    ),
    gauge(
      "watchpost_spool_damaged_objects",
      "Objects of the spool that cannot be read: somebody has to look at them.",
      setAsideObjects,
    ),
  ];
}

async function aside(services: Services): Promise<Family[]> {
  const state = await asideState(services);
  if (state === null) return [];
  const ageMs = state.since === null ? 0 : Date.now() - state.since.getTime();
  return [
    gauge(
      "watchpost_set_aside_requests",
      "Requests that trying again does not store, set aside until somebody looks at them.",
      state.requests,
    ),
    gauge("watchpost_set_aside_bytes", "Bytes of these requests.", state.bytes),
    gauge("watchpost_set_aside_max_bytes", "Bytes that may be set aside.", state.maxBytes),
    gauge(
      "watchpost_set_aside_age_seconds",
      "How long ago the oldest of them came.",
      Math.max(0, ageMs / 1_000),
    ),
  ];
}

function disk({ disk }: Services): Family[] {
  const room = disk.room();
  if (room === null) return [];
  return [
    gauge(
      "watchpost_disk_free_bytes",
      "Room on the disk of the embedded stores.",
      room.freeBytes,
    ),
    gauge("watchpost_disk_size_bytes", "Size of the disk of the embedded stores.", room.totalBytes),
    gauge(
      "watchpost_disk_low",
      "Whether nothing is taken because the disk has no room: 1, or 0.",
      disk.isLow() ? 1 : 0,
    ),
  ];
}

async function backlog({ sql, config: { retentionDays } }: Services): Promise<Family[]> {
  const state = await readBacklog(sql);
  const oldest = oldestKept(retentionDays, new Date());
  const overdueMs = oldest.getTime() - (state.oldestDay ?? oldest).getTime();
  return [
    gauge(
      "watchpost_fold_entries",
      "Counts that are not added up yet; 100,000 of a kind at most.",
      state.foldEntries,
    ),
    gauge(
      "watchpost_fold_age_seconds",
      "How long the oldest count waits to be added up.",
      state.foldAgeSec,
    ),
    gauge(
      "watchpost_packing_batches",
      "Requests with metrics that are not packed yet; 100,000 at most.",
      state.packBatches,
    ),
    gauge(
      "watchpost_packing_age_seconds",
      "How long the oldest of them waits.",
      state.packAgeSec,
    ),
    gauge("watchpost_deliveries_waiting", "Notices on their way.", state.deliveries),
    gauge(
      "watchpost_delivery_age_seconds",
      "How long the oldest notice is overdue.",
      state.deliveryAgeSec,
    ),
    gauge(
      "watchpost_join_age_seconds",
      "How long payloads of a day that is over are overdue to be joined, from when they came if that was later.",
      state.joinAgeSec,
    ),
    gauge(
      "watchpost_alert_age_seconds",
      "How long ago the last window ended that was judged of the alert rule that waits longest.",
      state.alertAgeSec,
    ),
    gauge(
      "watchpost_retention_age_seconds",
      "How much older than the retention allows the oldest day or profile is.",
      Math.max(0, overdueMs / 1_000),
    ),
  ];
}

async function work({ kv }: Services): Promise<Family[]> {
  const now = Date.now();
  return [
    labelled(
      "watchpost_work_age_seconds",
      "How long ago work that one process does for all has last come to its end.",
      "work",
      [...await worksDone(kv)].map(([name, at]) => [name, Math.max(0, now - at) / 1_000]),
    ),
  ];
}

async function budget({ kv, disk, config }: Services): Promise<Family[]> {
  const { maxDiskBytes } = config;
  const use = maxDiskBytes === null ? null : await diskUse(kv);
  const days = await fullIn({ disk, config }, use);
  const labels = { suffix: "", labels: {} };
  return [
    // Without a value where nothing is known: a number would be a promise.
    {
      name: "watchpost_disk_full_days",
      type: "gauge",
      help: "In how many days the disk budget, or the disk of embedded stores, is used up.",
      samples: days === null ? [] : [{ ...labels, value: days }],
    },
    {
      name: "watchpost_disk_budget_bytes",
      type: "gauge",
      help: "What Postgres and the objects may take together.",
      samples: maxDiskBytes === null ? [] : [{ ...labels, value: maxDiskBytes }],
    },
    {
      name: "watchpost_disk_used_bytes",
      type: "gauge",
      help: "What Postgres and the objects take together, measured every ten minutes.",
      samples: use === null ? [] : [{ ...labels, value: use.postgresBytes + use.objectBytes }],
    },
  ];
}

async function migrations({ sql }: Services): Promise<Family[]> {
  const { known, applied } = await migrationState(sql);
  return [
    gauge("watchpost_migration_known", "The last migration of this version.", known),
    gauge("watchpost_migration_applied", "The last migration of the database.", applied),
  ];
}

async function instances(services: Services): Promise<Family[]> {
  const there = (await listInstances(services)).filter(({ isGone }) => !isGone);
  return [
    gauge("watchpost_processes", "Processes that serve on these stores.", there.length),
  ];
}

async function connections({ sql }: Services): Promise<Family[]> {
  const found = await readConnections(sql);
  return [
    labelled(
      "watchpost_postgres_connections",
      "Connections of all processes of Watchpost to this database; those that wait wait for a lock.",
      "state",
      ["active", "waiting", "idle_in_transaction", "idle"].map((state) => [
        state,
        found.get(state) ?? 0,
      ]),
    ),
  ];
}

function gauge(name: string, help: string, value: number): Family {
  return { name, type: "gauge", help, samples: [{ suffix: "", labels: {}, value }] };
}

function labelled(
  name: string,
  help: string,
  label: string,
  values: readonly (readonly [string, number])[],
): Family {
  const samples: Sample[] = values.map(([of, value]) => ({
    suffix: "",
    labels: { [label]: of },
    value,
  }));
  return { name, type: "gauge", help, samples };
}
