import type { IngestServices } from "./services.ts";
import type { Batch } from "../records/mod.ts";
import { StoreUnavailable } from "../core/store_errors.ts";
import { storeBlobs } from "./blobs.ts";
import { unavailable } from "../core/refusal.ts";
import type { SpooledRequest } from "./spool_objects.ts";

/**
 * Makes a request durable: blobs in the object store, then its records in Postgres or, while that is away, the
 * request itself in the spool. Once this returns, nothing of it can be lost.
 *
 * @param request what the spool would keep
 * @throws {Refusal} 503 when neither store takes it
 */
export async function commit(
  batch: Batch,
  request: SpooledRequest,
  { writer, spool, objects, log }: Pick<IngestServices, "writer" | "spool" | "objects" | "log">,
): Promise<void> {
  const stored = await storeBlobs(batch, objects, log);
  try {
    await writer.commit(request.projectId, stored, request);
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    await spool.add(request).catch((reason: unknown) => {
      log.warn("cannot store or spool a request", { project: request.projectId, reason });
      throw unavailable();
    });
  }
}
