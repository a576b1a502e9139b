import type { Config } from "../config.ts";
import { settingsOf } from "../control/project_settings.ts";
import { findProject } from "../control/projects.ts";
import type { Logger } from "../log.ts";
import type { ObjectStore } from "../objects/store.ts";
import type { SeriesLimits } from "../telemetry/metrics/series_limits.ts";
import { StoreUnavailable } from "../telemetry/store_errors.ts";
import type { Writer } from "../telemetry/writer.ts";
import { putBlobs } from "./blobs.ts";
import { noteFirstEvent } from "./first_event.ts";
import { inflate } from "./inflate.ts";
import { limitSeries } from "./limit_series.ts";
import { policyOf } from "./policy.ts";
import { protocolNamed } from "./protocols.ts";
import { bodySize } from "./receive.ts";
import { sample } from "./sample.ts";
import type { SpooledRequest } from "./spool_object.ts";

export interface ReplayStores {
  readonly config: Config;
  readonly kv: Deno.Kv;
  readonly writer: Writer;
  readonly seriesLimits: SeriesLimits;
  readonly objects: ObjectStore;
  readonly log: Logger;
}

/**
 * Makes the function that stores a spooled request for good. Running it twice stores nothing twice: the
 * writer knows the ids of what it has.
 */
export function replayInto(
  { config, kv, writer, seriesLimits, objects, log }: ReplayStores,
) {
  return async (request: SpooledRequest): Promise<void> => {
    const project = await findProject(kv, request.projectId);
    // Deleted meanwhile, and all its telemetry with it.
    if (project === null) return;
    const { encoding, body, receivedAt } = request;
    const protocol = protocolNamed(request.protocol);
    const { maxDecodedBytes } = bodySize(protocol.body, config.maxEventBytes);
    const decoded = inflate(body, encoding, maxDecodedBytes);
    const settings = settingsOf(project);
    const batch = await protocol.decode(decoded, {
      ...request,
      policy: policyOf(settings),
      retentionDays: config.retentionDays,
      maxEventBytes: config.maxEventBytes,
    });
    const sampled = sample(batch, settings.sampleRate);
    const kept = await limitSeries(sampled, project.id, seriesLimits);
    // They were acknowledged: the request waits on rather than lose them.
    const lost = await putBlobs(kept.records, objects, log);
    if (lost.size > 0) throw new StoreUnavailable("Cannot replay: the object store takes no bytes");
    await writer.commit(project.id, kept, request);
    if (batch.records.length > 0) await noteFirstEvent(kv, project, receivedAt);
  };
}
