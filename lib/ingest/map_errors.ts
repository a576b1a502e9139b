/** The step of intake at which errors get their places in the source, before they are grouped and stored. */
import type { Logger } from "../core/log.ts";
import { TimeLimitExceeded, withTimeLimit } from "../core/waiting.ts";
import type { EventDraft, EventDrafts } from "../formats/sentry/error_event.ts";
import type { Batch, ErrorEvent } from "../records/mod.ts";
import {
  mayNeedMaps,
  type MissingMaps,
  missingMapsOf,
  type SourceMapper,
} from "../sourcemaps/mod.ts";

export interface MapServices {
  readonly sourceMaps: SourceMapper;
  readonly missingMaps: MissingMaps;
  readonly log: Pick<Logger, "warn">;
}

/** A batch of which some errors are stored as they came, and mapped later. */
export interface MappedBatch {
  readonly batch: Batch;
  /** Ids of those errors. */
  readonly late: readonly string[];
}

/** Clients wait so long for the answer; larger maps are read meanwhile. */
const WAIT_MS = 2_000;
/** A project whose maps were too slow, or whose store is away, is not waited for again at once. */
const BUSY_MS = 5_000;

/** By mapper, by project: until when nobody waits. */
const busy = new WeakMap<SourceMapper, Map<string, number>>();

/**
 * Maps the errors of a batch that need it. Costs nothing for all other records, and for projects without maps. Never
 * throws: what cannot be mapped in time is stored as it came.
 *
 * @param drafts what decoding noted; emptied
 */
export async function mapErrors(
  batch: Batch,
  drafts: EventDrafts,
  projectId: string,
  { sourceMaps, missingMaps, log }: MapServices,
): Promise<MappedBatch> {
  const wanted = draftsToMap(batch, drafts);
  // Whole events must not wait for the store with their records.
  drafts.clear();
  if (wanted.size === 0) return { batch, late: [] };
  if (isBusy(sourceMaps, projectId)) return { batch, late: idsOf(wanted) };
  const noteMissing = (drafts: Iterable<EventDraft>) => {
    const missing = [...drafts].flatMap(({ event }) => missingMapsOf(event));
    return missing.length > 0 ? missingMaps.note(projectId, missing) : undefined;
  };
  try {
    const found = sourceMaps.hasMaps(projectId);
    // Mostly known at once, and timers cost more than the answer.
    if (!(typeof found === "boolean" ? found : await withTimeLimit(found, WAIT_MS))) {
      await noteMissing(wanted.values());
      return { batch, late: [] };
    }
    const withoutMap: EventDraft[] = [];
    const mapped = await withTimeLimit(
      Promise.all([...wanted].map(async ([record, draft]) => {
        const { event, mappedFrames, unmapped } = await sourceMaps.map(projectId, draft.event);
        if (unmapped.length > 0) withoutMap.push(draft);
        const isChanged = mappedFrames > 0 || unmapped.length > 0;
        return [record, isChanged ? draft.derive(event) : record] as const;
      })),
      WAIT_MS,
    );
    await noteMissing(withoutMap);
    const byRecord = new Map<unknown, ErrorEvent>(mapped);
    const records = batch.records.map((record) => byRecord.get(record) ?? record);
    return { batch: { ...batch, records }, late: [] };
  } catch (error) {
    if (!(error instanceof TimeLimitExceeded)) {
      log.warn("cannot map errors: they are stored as they came", { projectId, error });
    }
    const known = busy.get(sourceMaps) ?? new Map();
    busy.set(sourceMaps, known.set(projectId, performance.now() + BUSY_MS));
    return { batch, late: idsOf(wanted) };
  }
}

function draftsToMap(
  { records }: Batch,
  drafts: EventDrafts,
): ReadonlyMap<ErrorEvent, EventDraft> {
  const wanted = new Map<ErrorEvent, EventDraft>();
  if (drafts.size === 0) return wanted;
  for (const record of records) {
    if (record.kind !== "error") continue;
    const draft = drafts.get(record);
    if (draft !== undefined && mayNeedMaps(draft.event)) wanted.set(record, draft);
  }
  return wanted;
}

function isBusy(sourceMaps: SourceMapper, projectId: string): boolean {
  return (busy.get(sourceMaps)?.get(projectId) ?? 0) > performance.now();
}

function idsOf(wanted: ReadonlyMap<ErrorEvent, EventDraft>): string[] {
  return [...wanted.keys()].map(({ eventId }) => eventId);
}
