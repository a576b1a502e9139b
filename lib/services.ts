/** The composition root: opens the three stores and puts on them what routes need. */
import type { Config } from "./config.ts";
import { openKv } from "./control/kv.ts";
import { openRates, type RateLimiter } from "./control/rates.ts";
import { ensureAdmin } from "./control/setup.ts";
import { type DataLock, lockDataDir } from "./data_lock.ts";
import { replayInto } from "./intake/replay.ts";
import { openSpool, type Spool } from "./intake/spool.ts";
import type { Logger } from "./log.ts";
import { startMaintenance } from "./maintenance.ts";
import { openObjects } from "./objects/open.ts";
import type { ObjectStore } from "./objects/store.ts";
import { openDatabase, type Sql } from "./telemetry/database.ts";
import { migrate } from "./telemetry/migrate.ts";
import { openSeriesLimits, type SeriesLimits } from "./telemetry/metrics/series_limits.ts";
import { createAhead } from "./telemetry/partitions.ts";
import { openRefusals, type Refusals } from "./telemetry/refused_requests.ts";
import { openWriter, type Writer } from "./telemetry/writer.ts";
import { withTimeLimit } from "./time_limit.ts";
import { noticeOf } from "./ui/alerts/notice_of.ts";
import { startClock } from "./watch/clock.ts";
import { startCompaction } from "./watch/compaction.ts";
import { startDeliveries } from "./watch/notifications/start_deliveries.ts";

const END_LIMIT_MS = 3_000;

export interface Stores {
  readonly kv: Deno.Kv;
  readonly sql: Sql;
  readonly objects: ObjectStore;
}

/** What every route is handed. */
export interface Services extends Stores {
  readonly config: Config;
  readonly log: Logger;
  readonly writer: Writer;
  /** How many series of metrics projects have. */
  readonly seriesLimits: SeriesLimits;
  readonly rates: RateLimiter;
  /** Refused requests, for whoever wonders why nothing arrives. */
  readonly refusals: Refusals;
  readonly spool: Spool;
  readonly startedAt: Date;
  /** Aborted when the drain begins: what waits for something should end. */
  readonly stopping: AbortSignal;
  /** Begins the drain; requests in flight are still served. */
  beginStop(): void;
  /** Writes what is queued and closes everything. Begins the drain if nobody did. */
  close(): Promise<void>;
}

/**
 * Opens the stores that the settings name, brings the database up to date, and builds the services.
 *
 * @throws {ConfigError} when a store cannot be used; whatever was open is closed again
 */
export async function openServices(config: Config, log: Logger): Promise<Services> {
  await using opened = new AsyncDisposableStack();
  const lock = await lockEmbeddedData(config);
  if (lock !== null) opened.defer(() => lock.release());
  const kv = await openKv(config, log);
  opened.defer(() => kv.close());
  const objects = await openObjects(config, log);
  opened.defer(() => objects.close());
  const database = await openDatabase(config, log);
  opened.defer(() => database.close());
  const { sql } = database;

  await migrate(sql, log);
  await createAhead(sql);
  await ensureAdmin(kv, config.admin);
  const services = buildServices(config, log, { kv, sql, objects });
  const stores = opened.move();
  return { ...services, close: () => services.close().finally(() => stores.disposeAsync()) };
}

/**
 * Builds the services on stores that are open and up to date. `close()` leaves the stores open.
 */
export function buildServices(config: Config, log: Logger, { kv, sql, objects }: Stores): Services {
  const stopping = new AbortController();
  const writer = openWriter(sql, { log });
  const rates = openRates(kv);
  const refusals = openRefusals(sql, { log });
  const seriesLimits = openSeriesLimits(sql);
  const replay = replayInto({ config, kv, writer, seriesLimits, objects, log });
  const spool = openSpool({ kv, objects, log, maxBytes: config.spoolMaxBytes, replay });
  const maintenance = startMaintenance({
    kv,
    sql,
    objects,
    log,
    retentionDays: config.retentionDays,
  });
  const deliveries = startDeliveries({ sql, kv, config, log });
  const clock = startClock({ kv, sql, log, baseUrl: config.baseUrl, noticeOf });
  const compaction = startCompaction({ kv, sql, log });
  return {
    config,
    log,
    kv,
    sql,
    objects,
    writer,
    seriesLimits,
    rates,
    refusals,
    spool,
    startedAt: new Date(),
    stopping: stopping.signal,
    beginStop: () => stopping.abort(),
    async close() {
      stopping.abort();
      // The spool replays into the writer, so it stops first.
      await Promise.all([
        endInTime("maintenance", maintenance.close(), log),
        endInTime("compaction", compaction.close(), log),
        endInTime("spool", spool.close(), log),
        endInTime("rates", rates.close(), log),
        endInTime("refusals", refusals.close(), log),
        endInTime("deliveries", deliveries.close(), log),
        endInTime("clock", clock.close(), log),
      ]);
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
async function lockEmbeddedData(config: Config): Promise<DataLock | null> {
  const wanted = [
    config.databaseUrl === null ? "DATABASE_URL" : null,
    config.kvUrl === null ? "DENO_KV_URL" : null,
    config.s3 === null ? "S3_ENDPOINT and S3_BUCKET" : null,
  ].filter((name) => name !== null);
  if (wanted.length === 0) return null;
  return await lockDataDir(config.dataDir, `${config.host}:${config.port}`, wanted.join(", "));
}
