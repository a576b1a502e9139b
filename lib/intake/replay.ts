import type { Config } from "../config.ts";
import { findProject } from "../control/projects.ts";
import type { Writer } from "../telemetry/writer.ts";
import { noteFirstEvent } from "./first_event.ts";
import { inflate } from "./inflate.ts";
import { protocolNamed } from "./protocols.ts";
import { decodedLimit } from "./receive.ts";
import type { SpooledRequest } from "./spool_object.ts";

export interface ReplayStores {
  readonly config: Config;
  readonly kv: Deno.Kv;
  readonly writer: Writer;
}

/**
 * Makes the function that stores a spooled request for good. Running it twice stores nothing twice: the
 * writer knows the ids of what it has.
 */
export function replayInto({ config, kv, writer }: ReplayStores) {
  return async (request: SpooledRequest): Promise<void> => {
    const project = await findProject(kv, request.projectId);
    // Deleted meanwhile, and all its telemetry with it.
    if (project === null) return;
    const { encoding, body, receivedAt } = request;
    const decoded = inflate(body, encoding, decodedLimit(config.maxEventBytes));
    const batch = protocolNamed(request.protocol).decode(decoded, {
      ...request,
      retentionDays: config.retentionDays,
      maxEventBytes: config.maxEventBytes,
    });
    await writer.commit(project.id, batch);
    if (batch.records.length > 0) await noteFirstEvent(kv, project, receivedAt);
  };
}
