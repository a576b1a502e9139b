import { v7 as uuidV7 } from "uuid";
import { findIntakeProject, settingsOf } from "../accounts/projects.ts";
import type { Config } from "../core/config.ts";
import { decodeSingleItem } from "../formats/sentry/items.ts";
import { policyOf } from "../ingest/policy.ts";
import type { Writer } from "../ingest/writer/writer.ts";
import type { StoreEvent } from "../monitors/cron/notes.ts";

interface EventTools {
  readonly config: Config;
  readonly kv: Deno.Kv;
  readonly writer: Pick<Writer, "commit">;
}

/**
 * Makes the function by which monitors store events: decoded, filtered, scrubbed and grouped as if a client had sent
 * them. Those of a project that is gone are passed over.
 */
export function monitorEvents({ config, kv, writer }: EventTools): StoreEvent {
  return async (projectId, event) => {
    const project = await findIntakeProject(kv, projectId);
    if (project === null) return;
    const payload = new TextEncoder().encode(JSON.stringify(event));
    const batch = decodeSingleItem("event", payload, {
      requestId: uuidV7(),
      projectId,
      publicKey: "",
      client: null,
      clientAddress: null,
      userAgent: null,
      address: "",
      contentType: "application/json",
      policy: policyOf(settingsOf(project)),
      receivedAt: new Date(),
      retentionDays: config.retentionDays,
      maxEventBytes: config.maxEventBytes,
    });
    await writer.commit(projectId, batch);
  };
}
