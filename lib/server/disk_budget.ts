/**
 * What telemetry takes on disk, and that it stays within `SERVICE_MAX_DISK`: measured every ten minutes by one process
 * of all, told to the instance's administrators days before it is full, and made to fit when it is.
 */
import { keyOf, prefixOf } from "../accounts/kv.ts";
import { startLeased } from "../accounts/leased_clock.ts";
import { listAllProjects } from "../accounts/projects.ts";
import type { User } from "../accounts/users.ts";
import type { Config } from "../core/config.ts";
import {
  canForecast,
  type DiskNote,
  fullInDays,
  readDiskNotes,
  withNote,
} from "../core/disk_forecast.ts";
import type { DiskSpace } from "../core/disk_space.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../core/time.ts";
import type { Repeated } from "../core/waiting.ts";
import { tellAccount } from "../notifications/mod.ts";
import { databaseBytes } from "../store/backlog.ts";
import { type DiskClass, emptyDay, type OldestDay, oldestOnDisk } from "../store/disk_budget.ts";
import type { ObjectStore } from "../store/objects/store.ts";
import { deleteAged } from "../store/project_retention.ts";
import { floorTo } from "../store/query_limits.ts";
import { deleteMadeOf } from "../store/expired_blobs.ts";
import { dropOld } from "../store/search_index/drop_segments.ts";
import type { Backend } from "../store/stores.ts";

const EVERY_MS = 10 * MINUTE_MS;
const LEASE_MS = 30 * MINUTE_MS;
/** Listing a bucket costs requests: at most this part of the time goes into it. */
const LISTING_SHARE = 1 / 100;
const MAX_LISTING_AGE_MS = 6 * HOUR_MS;
/** The first notice comes when it will be full within so many days, and may come again once it would take twice as many. */
export const TOLD_DAYS = 7;
/** A run that has emptied so many days goes on at the next one. */
const STEPS_A_RUN = 60;

/** Who has been told what: that it will be full, that the oldest days go, that what is left cannot go. */
type Told = "soon" | "full" | "stuck";

/** Kept in KV, by whichever process measures. */
export interface DiskUse {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly postgresBytes: number;
  /** With the spool and source maps. */
  readonly objectBytes: number;
  readonly listedAt: number;
  readonly listedInMs: number;
  /** What was used, as so much less than nothing that is free: whoever changes the budget changes no slope. */
  readonly notes: readonly DiskNote[];
  /** From which UTC day on there is something, once days before it had to go; milliseconds since 1970. */
  readonly keptFrom: Readonly<Partial<Record<DiskClass, number>>>;
  readonly told: Told | null;
}

interface BudgetServices extends Pick<Backend, "kv" | "sql" | "log"> {
  readonly objects: ObjectStore;
  readonly disk: Pick<DiskSpace, "room">;
  readonly config: Pick<Config, "maxDiskBytes" | "dataDir" | "baseUrl" | "smtp">;
}

/** What was measured last; null before the first time. */
export async function diskUse(kv: Deno.Kv): Promise<DiskUse | null> {
  return (await kv.get<DiskUse>(keyOf.diskUse())).value;
}

/** When there is no room any more. */
export interface DiskForecast {
  /** Null: nobody knows, or never. */
  readonly days: number | null;
  /** Whether it was looked at for long enough to say so. */
  readonly isKnown: boolean;
}

/** When the budget is used up, or without one the disk of embedded stores. */
export async function forecastOf(
  { disk, config }: Pick<BudgetServices, "disk" | "config">,
  use: DiskUse | null,
): Promise<DiskForecast> {
  const { maxDiskBytes, dataDir } = config;
  const room = maxDiskBytes === null ? disk.room() : use && {
    freeBytes: Math.max(0, maxDiskBytes - use.postgresBytes - use.objectBytes),
    totalBytes: maxDiskBytes,
  };
  if (room === null) return { days: null, isKnown: false };
  const notes = maxDiskBytes === null ? await readDiskNotes(dataDir) : use?.notes ?? [];
  return { days: fullInDays(notes, room), isKnown: canForecast(notes) };
}

/** The same for who needs no reason; null: nobody knows, or never. */
export async function fullIn(
  services: Pick<BudgetServices, "disk" | "config">,
  use: DiskUse | null,
): Promise<number | null> {
  return (await forecastOf(services, use)).days;
}

/** Looks every ten minutes, if there is a budget or a disk that could be told of. */
export function startDiskBudget(services: BudgetServices): Repeated {
  const { kv, log } = services;
  return startLeased({ kv, log }, {
    name: "disk budget",
    everyMs: EVERY_MS,
    leaseMs: LEASE_MS,
    failure: "cannot look after the room on disk",
    work: (stopping) => keepWithin(services, stopping),
  });
}

/** Measures, makes room where there is too little, and tells of it. */
export async function keepWithin(
  services: BudgetServices,
  stopping: AbortSignal,
  now: Date = new Date(),
): Promise<void> {
  const { kv, config: { maxDiskBytes } } = services;
  const before = await diskUse(kv);
  const made = maxDiskBytes === null ? null : await makeRoom(services, before, stopping, now);
  const use = made?.use ?? before ?? NOTHING;
  const days = await fullIn(services, use);
  const told = await tell(services, use, days, made?.state ?? "within");
  await kv.set(keyOf.diskUse(), { ...use, told } satisfies DiskUse);
}

const NOTHING: DiskUse = {
  at: 0,
  postgresBytes: 0,
  objectBytes: 0,
  listedAt: 0,
  listedInMs: 0,
  notes: [],
  keptFrom: {},
  told: null,
};

interface Made {
  readonly use: DiskUse;
  /** Whether days had to go, and whether that was enough. */
  readonly state: "within" | "full" | "stuck";
}

async function makeRoom(
  services: BudgetServices,
  before: DiskUse | null,
  stopping: AbortSignal,
  now: Date,
): Promise<Made> {
  const { sql, log, config } = services;
  const maxBytes = config.maxDiskBytes ?? Infinity;
  const isOver = (use: DiskUse) => use.postgresBytes + use.objectBytes > maxBytes;
  let use = await measure(services, before, stopping, now);
  let isFull = false;
  for (let step = 0; isOver(use) && step < STEPS_A_RUN && !stopping.aborted; step++) {
    const oldest = await oldestOnDisk(sql, now);
    if (oldest === null) return { use, state: "stuck" };
    await removeDay(services, oldest, stopping, now);
    isFull = true;
    log.warn("the disk budget is used up: removed the oldest day", {
      day: oldest.day,
      kinds: oldest.class === "errors" ? "errors" : "all but errors",
    });
    const keptFrom = { ...use.keptFrom, [oldest.class]: oldest.day.getTime() + DAY_MS };
    use = { ...await measure(services, { ...use, listedAt: 0 }, stopping, now), keptFrom };
  }
  return { use, state: isFull ? "full" : "within" };
}

/** A day's tables first, then what lies of that class beside them: rows of tables without days, and their objects. */
async function removeDay(
  { kv, sql, objects }: BudgetServices,
  oldest: OldestDay,
  stopping: AbortSignal,
  now: Date,
): Promise<void> {
  const end = new Date(oldest.day.getTime() + DAY_MS);
  // They have counted the rows that go.
  if (oldest.class === "others") await dropOld(sql, end);
  await emptyDay(sql, oldest);
  const days = Math.round((floorTo(DAY_MS, now).getTime() - end.getTime()) / DAY_MS) - 1;
  const kinds = oldest.class === "errors"
    ? { errors: days }
    : { transactions: days, profiles: days, metrics: days, logs: days };
  for await (const { id: projectId } of listAllProjects(kv)) {
    if (stopping.aborted) return;
    await deleteAged({ sql, objects }, { projectId, days: kinds }, stopping, now);
  }
  if (oldest.class === "others") await deleteMadeOf(objects, end, stopping);
}

async function measure(
  { sql, objects }: BudgetServices,
  before: DiskUse | null,
  stopping: AbortSignal,
  now: Date,
): Promise<DiskUse> {
  const known = before ?? NOTHING;
  const at = now.getTime();
  const listed = await list(objects, known, stopping, at);
  const postgresBytes = await databaseBytes(sql);
  const notes = withNote(known.notes, { at, freeBytes: -(postgresBytes + listed.objectBytes) });
  return { ...known, at, postgresBytes, ...listed, notes };
}

/** What objects take, as of not too long ago. Millions take minutes: whoever is told to stop keeps what was known. */
async function list(objects: ObjectStore, known: DiskUse, stopping: AbortSignal, at: number) {
  const { objectBytes, listedAt, listedInMs } = known;
  const keptMs = Math.min(listedInMs / LISTING_SHARE, MAX_LISTING_AGE_MS);
  if (at - listedAt < keptMs) return { objectBytes, listedAt, listedInMs };
  const began = performance.now();
  let bytes = 0;
  for await (const { size } of objects.list("")) {
    if (stopping.aborted) return { objectBytes, listedAt, listedInMs };
    bytes += size;
  }
  return { objectBytes: bytes, listedAt: at, listedInMs: performance.now() - began };
}

const ORDER: readonly (Told | null)[] = [null, "soon", "full", "stuck"];

/** @returns what administrators have been told then; null once there is room again for long */
async function tell(
  services: BudgetServices,
  { told }: DiskUse,
  days: number | null,
  state: Made["state"],
): Promise<Told | null> {
  const isSoon = days !== null && days <= TOLD_DAYS;
  const news = state !== "within" ? state : isSoon ? "soon" : null;
  if (news === null) return days === null || days > 2 * TOLD_DAYS ? null : told;
  if (ORDER.indexOf(news) <= ORDER.indexOf(told)) return told;
  const { kv, config } = services;
  const hasBudget = config.maxDiskBytes !== null;
  services.log.warn("the disk fills", { state: news, ...days === null ? {} : { days } });
  for await (const { value: user } of kv.list<User>({ prefix: prefixOf.users() })) {
    if (!user.isInstanceAdmin || user.disabledAt !== undefined) continue;
    await tellAccount(services, user, {
      kind: "disk",
      what: news,
      days: Math.floor(days ?? 0),
      hasBudget,
    });
  }
  return news;
}
