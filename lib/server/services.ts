/** The composition root: opens the three stores and puts on them what routes need. */
import { openRefusals } from "../usage/mod.ts";
import { guardKv, openKv } from "../accounts/open_kv.ts";
import { openRates } from "../accounts/rates.ts";
import { ensureAdmin } from "../accounts/setup.ts";
import { type Config, ConfigError } from "../core/config.ts";
import { watchDisk } from "../core/disk_space.ts";
import type { Logger } from "../core/log.ts";
import { pause, withTimeLimit } from "../core/waiting.ts";
import { Decoder } from "../ingest/decoders.ts";
import { FamilyStore } from "../ingest/family_store.ts";
import type { IngestServices } from "../ingest/pipeline.ts";
import type { Stores } from "../store/stores.ts";
import { replayInto } from "../ingest/replay.ts";
import { SpentRates } from "../ingest/admit.ts";
import { addressPolicy } from "../monitors/probes/policy.ts";
import { type Prober, startProber } from "../monitors/probes/prober.ts";
import { openSpool } from "../ingest/spool.ts";
import { openWriter, type WriterOptions } from "../ingest/writer/writer.ts";
import { openMissingMaps, openSourceMapper } from "../sourcemaps/mod.ts";
import { openSeriesLimits } from "../metrics/series_limits.ts";
import { type AwayDatabase, openDatabase, type Sql } from "../store/database.ts";
import type { SocketAddress } from "../store/embedded/server.ts";
import { migrate } from "../store/migrate.ts";
import { openObjects } from "../store/objects/open.ts";
import { createAhead } from "../store/partitions.ts";
import { type Closing, runAll, startClocks } from "./clocks.ts";
import { startControlMirror } from "./control_mirror.ts";
import { lockEmbeddedData } from "./data_lock.ts";
import { checkMarks, checkMarksWithoutPostgres, isMarked, writeMarks } from "./instance_marks.ts";
import { type Isolate, thisIsolate } from "./isolate.ts";
import { startHeartbeat } from "./own_health/instances.ts";
import { watchOwnHealth } from "./own_health/watch.ts";
import { keepIdsApart } from "./recover.ts";

const END_LIMIT_MS = 3_000;

/** What every route is handed. */
export interface Services extends IngestServices {
  readonly startedAt: Date;
  /** Checks targets, for whoever tries a monitor. */
  readonly prober: Prober;
  /** Where other isolates of this process find the embedded Postgres; null: at `DATABASE_URL`. */
  readonly embeddedPostgres: SocketAddress | null;
  /** Does now all that clocks would do by and by, as `Deno.cron` asks a process that may end at any time. */
  catchUp(): Promise<void>;
  /** Begins the drain; requests in flight are still served. */
  beginStop(): void;
  /**
   * Writes what is queued and closes everything. Begins the drain if nobody did.
   *
   * @param others ends when nobody else uses the embedded stores any more
   */
  close(others?: Promise<void>): Promise<void>;
}

/** Stores that are open until they are disposed of. */
interface OpenStores extends Stores, AsyncDisposable {
  readonly away: AwayDatabase | null;
  readonly embeddedPostgres: SocketAddress | null;
}

/**
 * Opens the stores that the settings name, as they are. An isolate beside the first one shares the embedded ones, which the first one has
 * opened and locked.
 *
 * @param mayBeAway whether to go on without Postgres, where an earlier start has marked the stores
 * @throws {ConfigError} when a store cannot be used; whatever was open is closed again
 */
export async function openStores(
  config: Config,
  log: Logger,
  mayBeAway = false,
  isolate: Isolate = thisIsolate(),
): Promise<OpenStores> {
  // The engine of the embedded KV panics when it cannot write, and Postgres leaves a beginning that nobody can read.
  if (watchDisk(config, log).isFull()) {
    throw new ConfigError(
      `Cannot start: the disk of ${config.dataDir} (SERVICE_DATA_DIR) is full; make room first`,
    );
  }
  const isFirst = isolate.number === 1;
  await using opened = new AsyncDisposableStack();
  const lock = isFirst ? await lockEmbeddedData(config) : null;
  if (lock !== null) opened.defer(() => lock.release());
  const kv = await openKv(config, log, isFirst ? "holder" : "isolate");
  opened.defer(() => kv.close());
  const objects = await openObjects(config, log, isFirst);
  opened.defer(() => objects.close());
  const database = await openDatabase(config, log, {
    mayBeAway: mayBeAway && await isMarked(kv),
    embedded: isolate.postgres,
  });
  opened.defer(() => database.close());
  const { sql, intakeSql, away, embedded } = database;
  if (embedded !== null) await lock?.tellOfPostgres(embedded);
  const stores = opened.move();
  return {
    kv,
    sql,
    intakeSql,
    objects,
    away,
    embeddedPostgres: embedded,
    [Symbol.asyncDispose]: () => stores.disposeAsync(),
  };
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
  const kvDir = config.kv === "file" ? config.dataDir : null;
  const hasClocks = thisIsolate().number === 1;
  const services = buildServices(config, log, stores, { kvDir, hasClocks });
  const admitted = away === null
    ? Promise.resolve()
    : admitLater(away, prepare, log, services.stopping);
  const kept = opened.move();
  return {
    ...services,
    embeddedPostgres: stores.embeddedPostgres,
    async close(others) {
      try {
        await services.close();
        await endInTime("waiting for Postgres", admitted, log);
        await others;
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
  /** Whether this isolate does what is done by the clock. @default true */
  readonly hasClocks?: boolean;
  readonly writer?: Omit<WriterOptions, "log">;
}

/** Builds the services on stores that are open and up to date. `close()` leaves the stores open. */
export function buildServices(
  config: Config,
  log: Logger,
  stores: Stores,
  { kvDir = null, hasClocks = true, ...options }: BuildOptions = {},
): Services {
  const { sql, intakeSql = sql, objects } = stores;
  const disk = watchDisk(config, log);
  const kv = config.kv === "file" ? guardKv(stores.kv, disk) : stores.kv;
  const stopping = new AbortController();
  const writer = openWriter(intakeSql, { log, ...options.writer });
  const rates = openRates(kv);
  const refusals = openRefusals(intakeSql, { log });
  const seriesLimits = openSeriesLimits(intakeSql);
  const families = new FamilyStore(intakeSql, log);
  const sourceMaps = openSourceMapper({ sql: intakeSql, objects, log });
  const missingMaps = openMissingMaps(intakeSql);
  const decoder = new Decoder();
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
    decoder,
  });
  const spool = openSpool({
    kv,
    objects,
    log,
    maxBytes: config.spoolMaxBytes,
    asideMaxBytes: config.setAsideMaxBytes,
    replay,
    isWell: askerOf(intakeSql),
  });
  const mirror = startControlMirror({ kv, sql });
  const prober = startProber({ policy: addressPolicy(config), log });
  const common = {
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
    decoder,
    disk,
    stopping: stopping.signal,
    prober,
  };
  const startedAt = new Date();
  const clocks = hasClocks ? startClocks({ ...common, kvDir }) : [];
  // A platform starts and ends processes as it likes: nobody wants a list of them.
  const isListed = hasClocks && config.platform === null;
  const closing: Closing[] = [
    ["copy of the control store", mirror],
    ["spool", spool],
    ["rates", rates],
    ["refusals", refusals],
    ["own health", watchOwnHealth({ kv, sql, intakeSql, writer })],
    ...isListed ? [["list of processes", startHeartbeat({ kv, config, startedAt })] as const] : [],
    ...clocks,
  ];
  return {
    ...common,
    startedAt,
    embeddedPostgres: null,
    beginStop: () => stopping.abort(),
    async catchUp() {
      await runAll(kv, clocks);
      // It replays by itself from the start on; the process only has to live that long.
      const deadline = performance.now() + REPLAY_MS;
      while (!stopping.signal.aborted && performance.now() < deadline) {
        if ((await spool.state()).oldestWaitingSince === null) return;
        await pause(RETRY_MS, stopping.signal);
      }
    },
    async close() {
      stopping.abort();
      // The spool replays into the writer, so it stops first.
      await Promise.all(closing.map(([name, one]) => endInTime(name, one.close(), log)));
      prober.close();
      sourceMaps.close();
      decoder.close();
      await writer.close();
    },
  };
}

const WELL_LIMIT_MS = 1_000;

/** Asks whether Postgres answers within a second; while it does not, one question stands, however often it is asked. */
function askerOf(sql: Sql): () => Promise<boolean> {
  let asked: Promise<boolean> | null = null;
  return () => {
    asked ??= sql`select 1`.then(() => true, () => false).finally(() => asked = null);
    return withTimeLimit(asked, WELL_LIMIT_MS).catch(() => false);
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

const RETRY_MS = 1_000;
/** What is still in the spool then is left to the next minute. */
const REPLAY_MS = 30_000;
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
