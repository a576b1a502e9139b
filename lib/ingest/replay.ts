import { findDeletedProject } from "../accounts/deleted_projects.ts";
import { findIntakeProject, settingsOf } from "../accounts/projects.ts";
import { StoreUnavailable } from "../core/errors.ts";
import type { EventDrafts } from "../formats/sentry/error_event.ts";
import { limitSeries, sample } from "./admit.ts";
import { mapErrors } from "./map_errors.ts";
import { isLarge } from "./decoders.ts";
import { noteFirstEvent, putBlobs } from "./durable.ts";
import { inflate } from "./inflate.ts";
import { policyOf } from "./policy.ts";
import { protocolNamed } from "./protocols/named.ts";
import { bodySize } from "./receive.ts";
import type { SpooledRequest } from "./spool_objects.ts";
import type { TakeServices } from "./take.ts";

type ReplayStores = Pick<
  TakeServices,
  | "config"
  | "kv"
  | "writer"
  | "seriesLimits"
  | "families"
  | "objects"
  | "log"
  | "sourceMaps"
  | "missingMaps"
  | "decoder"
>;

/**
 * Makes the function that stores a spooled request for good. Running it twice stores nothing twice: the
 * writer knows the ids of what it has.
 */
export function replayInto(stores: ReplayStores) {
  const { config, kv, writer, seriesLimits, families, objects, log, decoder } = stores;
  return async (request: SpooledRequest): Promise<void> => {
    const { projectId } = request;
    // A deleted project may be restored: what was acknowledged before belongs to it.
    const project = await findIntakeProject(kv, projectId) ??
      (await findDeletedProject(kv, projectId))?.project;
    if (project === undefined) return;
    const { protocol: name, encoding, body, ...sent } = request;
    const { receivedAt } = sent;
    const protocol = protocolNamed(name);
    const { retentionDays, maxEventBytes } = config;
    const { maxDecodedBytes } = bodySize(protocol.body, maxEventBytes);
    const settings = settingsOf(project);
    if (protocol.usesFamilies) await families.ready(projectId);
    const drafts: EventDrafts = new Map();
    const context = { ...sent, retentionDays, maxEventBytes };
    const job = { protocol: name, body, encoding, maxDecodedBytes, settings, context };
    // One over which Workers have ended is among them, after an upgrade: it must not end the process.
    const apart = isLarge(request, protocol) ? await decoder.decodePatiently(job) : null;
    const batch = apart ?? await protocol.decode(inflate(body, encoding, maxDecodedBytes), {
      ...context,
      drafts,
      policy: policyOf(settings),
      families: families.memory,
    });
    const sampled = sample(batch, settings.sampleRate);
    const limited = await limitSeries(sampled, project.id, seriesLimits);
    const { batch: kept, late } = await mapErrors(limited, drafts, project.id, stores);
    // They were acknowledged: the request waits on rather than lose them.
    const lost = await putBlobs(kept.records, objects, log);
    if (lost.size > 0) throw new StoreUnavailable("Cannot replay: the object store takes no bytes");
    await writer.commit(project.id, kept, request);
    if (late.length > 0) await stores.missingMaps.later(project.id, late);
    if (protocol.usesFamilies) await families.save(projectId);
    if (batch.records.length > 0) await noteFirstEvent(kv, project, receivedAt);
  };
}
