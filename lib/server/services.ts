/** The composition root: opens the three stores and puts on them what routes need. */
import { startAuditClock, startAuditWebhooks } from "../audit/mod.ts";
import { startEndUserJobs } from "../end_users/mod.ts";
import { openRefusals } from "../usage/mod.ts";
import { join } from "node:path";
import { guardKv, openKv } from "../accounts/open_kv.ts";
import { openRates } from "../accounts/rates.ts";
import { ensureAdmin } from "../accounts/setup.ts";
import { startDeliveries } from "../alerts/deliveries/start.ts";
import { startClock } from "../alerts/evaluation/evaluate_all.ts";
import { noticeOf } from "../alerts/notices.ts";
import { type Config, ConfigError } from "../core/config.ts";
import { startClosing } from "../errors/links/closing.ts";
import { watchDisk } from "../core/disk_space.ts";
import type { Logger } from "../core/log.ts";
import { pause, withTimeLimit } from "../core/waiting.ts";
import { FamilyStore } from "../ingest/family_store.ts";
import type { IngestServices } from "../ingest/pipeline.ts";
import type { Stores } from "../store/stores.ts";
import { replayInto } from "../ingest/replay.ts";
import { limitSeries, SpentRates } from "../ingest/admit.ts";
import { addressPolicy } from "../monitors/probes/policy.ts";
import { type Prober, startProber } from "../monitors/probes/prober.ts";
import { startUptime } from "../monitors/uptime/scheduler.ts";
import { openSpool } from "../ingest/spool.ts";
import { openWriter, type WriterOptions } from "../ingest/writer/writer.ts";
import { startOwnership, startRemapping } from "../errors/mod.ts";
import { startNotifications } from "../notifications/mod.ts";
import { openMissingMaps, openSourceMapper } from "../sourcemaps/mod.ts";
import { openSeriesLimits } from "../metrics/series_limits.ts";
import { startCompaction } from "../metrics/start_compaction.ts";
import { startStatusPages } from "../monitors/status/start.ts";
import { startAssembler } from "../sourcemaps/mod.ts";
import { type AwayDatabase, openDatabase, type Sql } from "../store/database.ts";
import { startIssueClock } from "../errors/workflow/clock.ts";
import { startMonitorClock } from "../monitors/cron/clock.ts";
import { migrate } from "../store/migrate.ts";
import { openObjects } from "../store/objects/open.ts";
import { createAhead } from "../store/partitions.ts";
import { startControlMirror } from "./control_mirror.ts";
import { checkMarks, checkMarksWithoutPostgres, isMarked, writeMarks } from "./instance_marks.ts";
import { startMaintenance } from "./maintenance.ts";
import { monitorEvents } from "./monitor_events.ts";
import { keepIdsApart } from "./recover.ts";

const END_LIMIT_MS = 3_000;

/** What every route is handed. */
export interface Services extends IngestServices {
  readonly startedAt: Date;
  /** Checks targets, for whoever tries a monitor. */
  readonly prober: Prober;
  /** Begins the drain; requests in flight are still served. */
  beginStop(): void;
  /** Writes what is queued and closes everything. Begins the drain if nobody did. */
  close(): Promise<void>;
}

/** Stores that are open until they are disposed of. */
interface OpenStores extends Stores, AsyncDisposable {
  readonly away: AwayDatabase | null;
}

/**
 * Opens the stores that the settings name, as they are.
 *
 * @param mayBeAway whether to go on without Postgres, where an earlier start has marked the stores
 * @throws {ConfigError} when a store cannot be used; whatever was open is closed again
 */
export async function openStores(
  config: Config,
  log: Logger,
  mayBeAway = false,
): Promise<OpenStores> {
  // The engine of the embedded KV panics when it cannot write, and Postgres leaves a beginning that nobody can read.
  if (watchDisk(config, log).isFull()) {
    throw new ConfigError(
      `Cannot start: the disk of ${config.dataDir} (SERVICE_DATA_DIR) is full; make room first`,
    );
  }
  await using opened = new AsyncDisposableStack();
  const lock = await lockEmbeddedData(config);
  if (lock !== null) opened.defer(() => lock.release());
  const kv = await openKv(config, log);
  opened.defer(() => kv.close());
  const objects = await openObjects(config, log);
  opened.defer(() => objects.close());
  const database = await openDatabase(config, log, mayBeAway && await isMarked(kv));
  opened.defer(() => database.close());
  const stores = opened.move();
  const { sql, away } = database;
  return { kv, sql, objects, away, [Symbol.asyncDispose]: () => stores.disposeAsync() };
}

/**
 * Opens the stores that the settings name, brings the database up to date, and builds the services. While Postgres is
 * away, requests are spooled, and the database is brought up to date when it is back.
 *
 * @throws {ConfigError} when a store cannot be used; whatever was open is closed again
 */
export async function openServices(config: Config, log: Logger): Promise<Services> {
  await using opened = new AsyncDisposableStack();
  const stores = opened.use(await openStores(config, log, true));
  const { kv, objects, away } = stores;
  const prepare = (sql: Sql) => prepareStores(config, log, { kv, sql, objects });
  if (away === null) await prepare(stores.sql);
  else await checkMarksWithoutPostgres(config, { kv, objects });
  await ensureAdmin(kv, config.admin);
  const kvDir = config.kvUrl === null ? config.dataDir : null;
  const services = buildServices(config, log, stores, { kvDir });
  const admitted = away === null
    ? Promise.resolve()
    : admitLater(away, prepare, log, services.stopping);
  const kept = opened.move();
  return {
    ...services,
    async close() {
      try {
        await services.close();
        await endInTime("waiting for Postgres", admitted, log);
      } finally {
        await kept.disposeAsync();
      }
    },
  };
}

async function prepareStores(config: Config, log: Logger, stores: Stores): Promise<void> {
  await checkMarks(config, stores);
  await migrate(stores.sql, log);
  await createAhead(stores.sql);
  await writeMarks(config, stores);
  await keepIdsApart(stores);
}

interface BuildOptions {
  /** The data folder when the embedded KV in it is the one that is open. */
  readonly kvDir?: string | null;
  readonly writer?: Omit<WriterOptions, "log">;
}

/** Builds the services on stores that are open and up to date. `close()` leaves the stores open. */
export function buildServices(
  config: Config,
  log: Logger,
  stores: Stores,
  options: BuildOptions = {},
): Services {
  const { sql, objects } = stores;
  const disk = watchDisk(config, log);
  const kv = config.kvUrl === null ? guardKv(stores.kv, disk) : stores.kv;
  const stopping = new AbortController();
  const writer = openWriter(sql, { log, ...options.writer });
  const rates = openRates(kv);
  const refusals = openRefusals(sql, { log });
  const seriesLimits = openSeriesLimits(sql);
  const families = new FamilyStore(sql, log);
  const sourceMaps = openSourceMapper({ sql, objects, log });
  const missingMaps = openMissingMaps(sql);
  const replay = replayInto({
    config,
    kv,
    writer,
    seriesLimits,
    families,
    objects,
    log,
    sourceMaps,
    missingMaps,
  });
  const spool = openSpool({ kv, objects, log, maxBytes: config.spoolMaxBytes, replay });
  const maintenance = startMaintenance({
    kv,
    sql,
    objects,
    log,
    retentionDays: config.retentionDays,
    kvDir: options.kvDir ?? null,
    disk,
  });
  const mirror = startControlMirror({ kv, sql });
  const audit = startAuditClock({ kv, sql, log });
  const endUserJobs = startEndUserJobs({ kv, sql, objects, config, log });
  const auditWebhooks = startAuditWebhooks({ kv, sql, config, log });
  const deliveries = startDeliveries({ sql, kv, config, log });
  const clock = startClock({ kv, sql, log, baseUrl: config.baseUrl, noticeOf });
  const issues = startIssueClock({ kv, sql, log });
  const monitors = startMonitorClock({
    kv,
    sql,
    log,
    storeEvent: monitorEvents({ config, kv, writer }),
    waitingSince: async () => (await spool.state()).oldestWaitingSince,
  });
  const remapping = startRemapping({ kv, sql, log, sourceMaps });
  const ownership = startOwnership({ kv, sql, log });
  const notifications = startNotifications({ kv, sql, config, log });
  const uploads = startAssembler({ sql, objects, log, config });
  const compaction = startCompaction({ kv, sql, log });
  const statusPages = startStatusPages({ kv, sql, config, log });
  const closing = startClosing({ kv, sql, config, log });
  const prober = startProber({ policy: addressPolicy(config), log });
  const uptime = startUptime({
    kv,
    sql,
    log,
    config,
    prober,
    reference: config.monitorReference,
    registries: {},
    async store(projectId, records) {
      const batch = await limitSeries(
        { eventId: null, records, outcomes: [] },
        projectId,
        seriesLimits,
      );
      await writer.commit(projectId, batch);
    },
  });
  return {
    config,
    log,
    kv,
    sql,
    objects,
    writer,
    seriesLimits,
    families,
    sourceMaps,
    missingMaps,
    rates,
    spentRates: new SpentRates(rates),
    refusals,
    spool,
    disk,
    startedAt: new Date(),
    prober,
    stopping: stopping.signal,
    beginStop: () => stopping.abort(),
    async close() {
      stopping.abort();
      // The spool replays into the writer, so it stops first.
      await Promise.all([
        endInTime("maintenance", maintenance.close(), log),
        endInTime("copy of the control store", mirror.close(), log),
        endInTime("audit log", audit.close(), log),
        endInTime("data of end users", endUserJobs.close(), log),
        endInTime("webhooks of the audit log", auditWebhooks.close(), log),
        endInTime("uploads of source maps", uploads.close(), log),
        endInTime("compaction", compaction.close(), log),
        endInTime("mapping events again", remapping.close(), log),
        endInTime("owners of issues", ownership.close(), log),
        endInTime("spool", spool.close(), log),
        endInTime("rates", rates.close(), log),
        endInTime("refusals", refusals.close(), log),
        endInTime("deliveries", deliveries.close(), log),
        endInTime("clock", clock.close(), log),
        endInTime("notifications", notifications.close(), log),
        endInTime("clock of issues", issues.close(), log),
        endInTime("status pages", statusPages.close(), log),
        endInTime("uptime monitors", uptime.close(), log),
        endInTime("closing in trackers", closing.close(), log),
        endInTime("clock of monitors", monitors.close(), log),
      ]);
      prober.close();
      sourceMaps.close();
      await writer.close();
    },
  };
}

/** A store that is away must not keep the process from ending. */
async function endInTime(name: string, end: Promise<void>, log: Logger): Promise<void> {
  try {
    await withTimeLimit(end, END_LIMIT_MS);
  } catch (error) {
    log.warn(`cannot end ${name} in an orderly way`, { error });
  }
}

/** Null when all three stores are external: then any number of processes may run. */
export async function lockEmbeddedData(config: Config): Promise<DataLock | null> {
  const wanted = [
    config.databaseUrl === null ? "DATABASE_URL" : null,
    config.kvUrl === null ? "DENO_KV_URL" : null,
    config.s3 === null ? "S3_ENDPOINT and S3_BUCKET" : null,
  ].filter((name) => name !== null);
  if (wanted.length === 0) return null;
  return await lockDataDir(config.dataDir, `${config.host}:${config.port}`, wanted.join(", "));
}

const RETRY_MS = 1_000;
const ANSWER_LIMIT_MS = 5_000;

/**
 * Ends a start while Postgres is away: tries until the server answers and `prepare` has done its work there; only then do other queries reach it. A server
 * that cannot be used is told in the log and tried again: what is spooled meanwhile must not get into a wrong one.
 *
 * @param prepare checks and migrates @throws {ConfigError}
 * @param stopping ends the waiting
 */
async function admitLater(
  away: AwayDatabase,
  prepare: (sql: Sql) => Promise<void>,
  log: Logger,
  stopping: AbortSignal,
): Promise<void> {
  let told = "";
  while (!stopping.aborted) {
    try {
      await withTimeLimit(Promise.resolve(away.sql`select 1`), ANSWER_LIMIT_MS);
      await away.check();
      await prepare(away.sql);
      await away.admit();
      log.info("Postgres answers and is up to date: what waits is stored now");
      return;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (message !== told && !stopping.aborted) {
        if (error instanceof ConfigError) {
          log.error(message.replace("Cannot start", "Postgres cannot be used"));
        } else log.warn("Postgres is away: requests are spooled", { reason: message });
      }
      told = message;
    }
    await pause(RETRY_MS, stopping);
  }
}

/** What the holder of the lock writes into it, for those who come too late. */
interface Holder {
  readonly pid: number;
  readonly since: string;
  /** Where it serves, as `host:port`. */
  readonly address: string;
}

/** Proof that this isolate alone uses the data folder. */
interface DataLock {
  release(): void;
}

/**
 * Locks the data folder. The lock is the operating system's on the open file `lock`: it ends with the process, however
 * that ends, and a file that stays behind means nothing.
 *
 * @param dataDir the folder, made when absent
 * @param address where this process serves, as `host:port`
 * @param remedy which settings would do without the folder, such as `DATABASE_URL and DENO_KV_URL`
 * @throws {ConfigError} when somebody holds it, with who
 */
export async function lockDataDir(
  dataDir: string,
  address: string,
  remedy: string,
): Promise<DataLock> {
  await Deno.mkdir(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, "lock");
  const file = await Deno.open(path, { create: true, read: true, write: true, mode: 0o600 });
  if (!await file.tryLock(true)) {
    file.close();
    throw new ConfigError(refusal(dataDir, remedy, await readHolder(path)));
  }
  await writeHolder(file, { pid: Deno.pid, since: new Date().toISOString(), address });
  return { release: () => file.close() };
}

async function writeHolder(file: Deno.FsFile, holder: Holder): Promise<void> {
  await file.truncate();
  await file.write(new TextEncoder().encode(JSON.stringify(holder)));
}

/** Null when it cannot be read: on Windows a locked file is not readable, and the holder may be just writing it. */
async function readHolder(path: string): Promise<Holder | null> {
  try {
    return JSON.parse(await Deno.readTextFile(path));
  } catch {
    return null;
  }
}

function refusal(dataDir: string, remedy: string, holder: Holder | null): string {
  if (holder?.pid === Deno.pid) {
    return `Cannot start: the embedded stores in ${dataDir} serve one isolate and another one of this process has them; to run several, set ${remedy}`;
  }
  const who = holder === null
    ? "another process"
    : `process ${holder.pid} (since ${holder.since}, serving ${holder.address})`;
  return `Cannot start: ${dataDir} is in use by ${who}; stop it, or choose another folder with SERVICE_DATA_DIR`;
}
