/** Maps events again by itself: those that were stored before their map was read, and those that came before their map. */
import { startLeased } from "../../accounts/leased_clock.ts";
import type { Logger } from "../../core/log.ts";
import { DAY_MS } from "../../core/time.ts";
import type { Repeated } from "../../core/waiting.ts";
import type { NormalizedEvent } from "../../formats/sentry/normalized_event.ts";
import {
  endReadyBundle,
  type MissingMap,
  missingMapsOf,
  type ReadyBundle,
  readyBundles,
} from "../../sourcemaps/mod.ts";
import type { Sql } from "../../store/database.ts";
import { payloadColumns, type PayloadPlace, withPayloads } from "../../store/event_chunks/read.ts";
import { remapEvents, type RemapStores } from "./remap_events.ts";

export interface RemapServices extends RemapStores {
  readonly log: Logger;
}

const EVERY_MS = 3_000;
const LEASE_MS = 60_000;
const BUNDLES = 20;
/** Of events that wait for a map that was slow. */
const EVENTS = 100;
/** A request that is just being stored is given so long. */
const SETTLED_MS = 1_000;
/** Events of so long before a map are mapped. */
const BACK_MS = DAY_MS;
/** The newest of them: a project may have had millions. */
const MAX_EVENTS = 5_000;
const PAGE = 200;
/** A bundle that cannot be worked through, for whatever reason, is given up. */
const MAX_FAILURES = 3;

/** Looks every few seconds, in one process at a time; two at once do the same work twice and change nothing by it. */
export function startRemapping(services: RemapServices): Repeated {
  const failures = new Map<string, number>();
  return startLeased(services, {
    name: "remap",
    everyMs: EVERY_MS,
    leaseMs: LEASE_MS,
    failure: "cannot map events again",
    async work(stopping) {
      await remapAfterUploads(services, failures, stopping);
      await remapLate(services, stopping);
    },
  });
}

async function remapAfterUploads(
  services: RemapServices,
  failures: Map<string, number>,
  stopping: AbortSignal,
): Promise<void> {
  for (const bundle of await readyBundles(services.sql, BUNDLES)) {
    if (stopping.aborted) return;
    services.sourceMaps.forget(bundle.projectId);
    try {
      await services.sourceMaps.prepare(bundle.projectId, bundle.bundleId, stopping);
      if (stopping.aborted) return;
      await remapBefore(services, bundle, stopping);
    } catch (error) {
      const failed = (failures.get(bundle.bundleId) ?? 0) + 1;
      failures.set(bundle.bundleId, failed);
      if (failed < MAX_FAILURES) throw error;
      services.log.error("cannot map the events before an upload", { ...bundle, error });
    }
    if (stopping.aborted) return;
    failures.delete(bundle.bundleId);
    await endReadyBundle(services.sql, bundle);
  }
}

/** Maps events of the last day that would have needed this bundle. */
async function remapBefore(
  services: RemapServices,
  bundle: ReadyBundle,
  stopping: AbortSignal,
): Promise<void> {
  const { sql, log } = services;
  const { projectId } = bundle;
  const missing = await missedMaps(sql, bundle);
  if (missing.length === 0) return;
  const releases = [...new Set(missing.map(({ release }) => release))];
  const isMissing = (event: NormalizedEvent) =>
    missingMapsOf(event).some((wanted) => missing.some((one) => isSame(one, wanted)));
  let mapped = 0;
  let before: Place | null = null;
  for (let seen = 0; seen < MAX_EVENTS && !stopping.aborted; seen += PAGE) {
    const page: StoredEvent[] = await eventsBefore(sql, projectId, releases, before);
    const events = await withPayloads(sql, projectId, page);
    const wanted = events.filter(({ payload }) => isMissing(JSON.parse(payload)));
    const result = await remapEvents(services, projectId, wanted.map(({ eventId }) => eventId));
    mapped += result.mapped;
    before = page.at(-1) ?? null;
    if (page.length < PAGE) break;
  }
  if (mapped > 0) log.info("mapped events that came before their maps", { projectId, mapped });
}

function isSame(a: MissingMap, b: MissingMap): boolean {
  return a.debugId === b.debugId && a.release === b.release && a.dist === b.dist;
}

async function missedMaps(
  sql: Sql,
  { projectId, debugIds, release, dist }: ReadyBundle,
): Promise<MissingMap[]> {
  return await sql<MissingMap[]>`
    select debug_id as "debugId", release, dist from missing_maps
    where project_id = ${projectId} and last_seen > ${new Date(Date.now() - BACK_MS)}
      and (debug_id = any(${[...debugIds]}::text[])
        or release <> '' and release = ${release} and dist = ${dist})
  `;
}

interface Place {
  readonly timestamp: Date;
  readonly eventId: string;
}

type StoredEvent = Place & PayloadPlace;

async function eventsBefore(
  sql: Sql,
  projectId: string,
  releases: readonly string[],
  before: Place | null,
): Promise<StoredEvent[]> {
  return await sql<StoredEvent[]>`
    select "timestamp", replace(event_id::text, '-', '') as "eventId", ${payloadColumns(sql)}
    from events
    where project_id = ${projectId} and "timestamp" > ${new Date(Date.now() - BACK_MS)}
      and release = any(${[...releases]}::text[])
      ${
    before === null
      ? sql``
      : sql`and ("timestamp", event_id) < (${before.timestamp}, ${before.eventId}::uuid)`
  }
    order by "timestamp" desc, event_id desc limit ${PAGE}
  `;
}

/** Maps events whose maps were not read in time when they came. */
async function remapLate(services: RemapServices, stopping: AbortSignal): Promise<void> {
  const { sql, log } = services;
  const waiting = await sql<{ projectId: string; eventIds: string[] }[]>`
    select project_id as "projectId", array_agg(replace(event_id::text, '-', '')) as "eventIds"
    from (
      select project_id, event_id from unmapped_events
      where noted_at < ${new Date(Date.now() - SETTLED_MS)}
      order by noted_at limit ${EVENTS}
    ) as oldest
    group by project_id
  `;
  for (const { projectId, eventIds } of waiting) {
    if (stopping.aborted) return;
    services.sourceMaps.forget(projectId);
    try {
      await remapEvents(services, projectId, eventIds);
    } catch (error) {
      log.error("cannot map events that were stored as they came", { projectId, error });
    }
    await sql`
      delete from unmapped_events
      where project_id = ${projectId} and event_id = any(${eventIds}::uuid[])
    `;
  }
}
