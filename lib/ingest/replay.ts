import type { Config } from "../core/config.ts";
import { findDeletedProject } from "../accounts/deleted_projects.ts";
import { settingsOf } from "../accounts/project_settings.ts";
import { findProject } from "../accounts/projects.ts";
import type { Logger } from "../core/log.ts";
import type { ObjectStore } from "../store/objects/store.ts";
import type { SeriesLimits } from "../metrics/series_limits.ts";
import { StoreUnavailable } from "../core/store_errors.ts";
import type { Writer } from "./writer/writer.ts";
import { putBlobs } from "./blobs.ts";
import { noteFirstEvent } from "./first_event.ts";
import { inflate } from "./inflate.ts";
import { limitSeries } from "./limit_series.ts";
import type { FamilyStore } from "./family_store.ts";
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
  readonly families: FamilyStore;
  readonly objects: ObjectStore;
  readonly log: Logger;
}

/**
 * Makes the function that stores a spooled request for good. Running it twice stores nothing twice: the
 * writer knows the ids of what it has.
 */
export function replayInto(
  { config, kv, writer, seriesLimits, families, objects, log }: ReplayStores,
) {
  return async (request: SpooledRequest): Promise<void> => {
    const { projectId } = request;
    // A deleted project may be restored: what was acknowledged before belongs to it.
    const project = await findProject(kv, projectId) ??
      (await findDeletedProject(kv, projectId))?.project;
    if (project === undefined) return;
    const { encoding, body, receivedAt } = request;
    const protocol = protocolNamed(request.protocol);
    const { maxDecodedBytes } = bodySize(protocol.body, config.maxEventBytes);
    const decoded = inflate(body, encoding, maxDecodedBytes);
    const settings = settingsOf(project);
    if (protocol.usesFamilies) await families.ready(projectId);
    const batch = await protocol.decode(decoded, {
      ...request,
      policy: policyOf(settings),
      families: families.memory,
      retentionDays: config.retentionDays,
      maxEventBytes: config.maxEventBytes,
    });
    const sampled = sample(batch, settings.sampleRate);
    const kept = await limitSeries(sampled, project.id, seriesLimits);
    // They were acknowledged: the request waits on rather than lose them.
    const lost = await putBlobs(kept.records, objects, log);
    if (lost.size > 0) throw new StoreUnavailable("Cannot replay: the object store takes no bytes");
    await writer.commit(project.id, kept, request);
    if (protocol.usesFamilies) await families.save(projectId);
    if (batch.records.length > 0) await noteFirstEvent(kv, project, receivedAt);
  };
}
