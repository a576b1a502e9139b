/** Makes what was decoded durable: bytes in the object store, records in Postgres or the spool. */
import { markFirstEvent, type Project } from "../accounts/projects.ts";
import { StoreUnavailable, Unstorable } from "../core/errors.ts";
import type { Logger } from "../core/log.ts";
import { unavailable } from "../core/refusal.ts";
import { withTimeLimit } from "../core/waiting.ts";
import { type Batch, type Blob, countOf, type TelemetryRecord } from "../records/mod.ts";
import type { ObjectStore } from "../store/objects/store.ts";
import { AsideFull, UNREADABLE } from "./set_aside.ts";
import type { Spool } from "./spool.ts";
import type { SpooledRequest } from "./spool_objects.ts";
import type { Writer } from "./writer/writer.ts";

/** Where it goes. */
interface DurableStores {
  readonly writer: Writer;
  readonly spool: Spool;
  readonly objects: ObjectStore;
  readonly log: Logger;
}

/**
 * Makes a request durable: blobs in the object store, then its records in Postgres or, while that is away, the
 * request itself in the spool; one that is at fault is set aside. Once this returns, nothing of it can be lost.
 *
 * @param request what the spool would keep
 * @returns false when it is in the spool or set aside
 * @throws {Refusal} 503 when neither store takes it
 */
export async function commit(
  batch: Batch,
  request: SpooledRequest,
  { writer, spool, objects, log }: DurableStores,
): Promise<boolean> {
  const stored = await storeBlobs(batch, objects, log);
  try {
    await writer.commit(request.projectId, stored, request);
    return true;
  } catch (error) {
    if (!(error instanceof StoreUnavailable || error instanceof Unstorable)) throw error;
    const kept = error instanceof Unstorable
      ? spool.aside.add(request, error.code)
      : spool.add(request);
    await untilKept(kept, request, log);
    return false;
  }
}

/**
 * Sets a request aside that a decoder failed on: that is a bug of ours, and what was sent is kept until it is mended.
 *
 * @param error what the decoder threw
 * @throws {Refusal} 503 when there is no room, or no store takes it
 */
export async function keepUnread(
  request: SpooledRequest,
  error: unknown,
  { spool, log }: Pick<DurableStores, "spool" | "log">,
): Promise<void> {
  await untilKept(spool.aside.add(request, UNREADABLE, error), request, log);
}

/** @throws {Refusal} 503 when it is not kept */
async function untilKept(
  kept: Promise<void>,
  { projectId }: SpooledRequest,
  log: Logger,
): Promise<void> {
  try {
    await kept;
  } catch (reason) {
    if (!(reason instanceof AsideFull)) {
      log.warn("cannot store or spool a request", { project: projectId, reason });
    }
    throw unavailable();
  }
}

/** PHP's SDK holds up its page for 5 s at most. */
const PUT_LIMIT_MS = 4_000;
const PARALLEL = 4;

/**
 * Puts the bytes of a batch's attachments and profiles into the object store. Those that it does not take are
 * counted as refused, so that an outage of one store costs a file and not the error beside it.
 *
 * @returns the batch without what could not be put
 * @throws {Refusal} 503 when nothing else is in the batch
 */
export async function storeBlobs(
  batch: Batch,
  objects: Pick<ObjectStore, "put">,
  log: Logger,
): Promise<Batch> {
  const lost = await putBlobs(batch.records, objects, log);
  if (lost.size === 0) return batch;
  if (lost.size === batch.records.length) throw unavailable();
  const refused = [...lost].map((record) => ({
    ...countOf(record),
    kind: "refused" as const,
    reason: "object_store_unavailable",
  }));
  return {
    ...batch,
    records: batch.records.filter((record) => !lost.has(record)),
    outcomes: [...batch.outcomes, ...refused],
  };
}

/**
 * Puts the bytes of records into the object store, a few at a time. Never throws.
 *
 * @returns the records whose bytes it did not take
 */
export async function putBlobs(
  records: readonly TelemetryRecord[],
  objects: Pick<ObjectStore, "put">,
  log: Logger,
): Promise<ReadonlySet<TelemetryRecord>> {
  const waiting = records.flatMap((record) => blobsOf(record).map((blob) => ({ record, blob })));
  const lost = new Set<TelemetryRecord>();
  for (let index = 0; index < waiting.length; index += PARALLEL) {
    await Promise.all(
      waiting.slice(index, index + PARALLEL).map(async ({ record, blob }) => {
        try {
          await withTimeLimit(objects.put(blob.key, blob.bytes), PUT_LIMIT_MS);
        } catch (error) {
          log.warn("cannot store the bytes of a record", { kind: record.kind, error });
          lost.add(record);
        }
      }),
    );
  }
  return lost;
}

function blobsOf(record: TelemetryRecord): Blob[] {
  if (record.kind === "attachment") return [record.blob];
  if (record.kind !== "profile") return [];
  return record.original === null ? [record.blob] : [record.blob, record.original];
}

/** Projects whose first event this isolate has noted already, while their record may still say otherwise. */
const marked = new WeakMap<Deno.Kv, Set<string>>();

/**
 * Notes when a project got its first record. Costs nothing for projects that have one.
 *
 * @param project as it was read for this request
 */
export async function noteFirstEvent(kv: Deno.Kv, project: Project, at: Date): Promise<void> {
  if (project.firstEventAt !== null) return;
  const known = marked.get(kv) ?? new Set();
  marked.set(kv, known);
  if (known.has(project.id)) return;
  known.add(project.id);
  // The record itself is safe: a store that fails here must not make its client send it again.
  await markFirstEvent(kv, project.id, at).catch(() => known.delete(project.id));
}
