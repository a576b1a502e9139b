import { v7 as uuidV7 } from "uuid";
import { findIntakeProject, settingsOf } from "../accounts/projects.ts";
import type { Config } from "../core/config.ts";
import { decodeSingleItem } from "../formats/sentry/items.ts";
import { policyOf } from "../ingest/policy.ts";
import { Unstorable } from "../core/errors.ts";
import { sentryStore } from "../ingest/protocols/sentry.ts";
import type { Spool } from "../ingest/spool.ts";
import type { Writer } from "../ingest/writer/writer.ts";
import type { StoreEvent } from "../monitors/cron/notes.ts";

interface EventTools {
  readonly config: Config;
  readonly kv: Deno.Kv;
  readonly writer: Pick<Writer, "commit">;
  readonly spool: Pick<Spool, "aside">;
}

/**
 * Makes the function by which monitors store events: decoded, filtered, scrubbed and grouped as if a client had sent
 * them. Those of a project that is gone are passed over; one that cannot be stored is set aside, as if it had been sent.
 */
export function monitorEvents({ config, kv, writer, spool }: EventTools): StoreEvent {
  return async (projectId, event) => {
    const project = await findIntakeProject(kv, projectId);
    if (project === null) return;
    const payload = new TextEncoder().encode(JSON.stringify(event));
    const facts = {
      requestId: uuidV7(),
      projectId,
      publicKey: "",
      client: null,
      clientAddress: null,
      userAgent: null,
      address: "",
      contentType: "application/json",
      receivedAt: new Date(),
    };
    const batch = decodeSingleItem("event", payload, {
      ...facts,
      policy: policyOf(settingsOf(project)),
      retentionDays: config.retentionDays,
      maxEventBytes: config.maxEventBytes,
    });
    try {
      await writer.commit(projectId, batch);
    } catch (error) {
      if (!(error instanceof Unstorable)) throw error;
      const request = { ...facts, protocol: sentryStore.name, encoding: "", body: payload };
      await spool.aside.add(request, error.code);
    }
  };
}
