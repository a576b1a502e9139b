import { createProject } from "../../lib/accounts/projects.ts";
import type { Config } from "../../lib/core/config.ts";
import type { ErrorEvent } from "../../lib/records/mod.ts";
import { errorEvent, newEventId } from "./error_event.ts";
import { type Acme, acme } from "./ui_app.ts";

/** The app with a project named Shop. */
export interface Shop extends Acme {
  readonly projectId: string;
  /** `/projects/<id>/issues` */
  readonly path: string;
  /** Stores events as if an SDK had sent them. */
  store(...events: Parameters<typeof errorEvent>[0][]): Promise<void>;
}

/** A fresh {@linkcode Shop} without any event. */
export async function shop(overrides: Partial<Config> = {}): Promise<Shop> {
  const app = await acme(overrides);
  const { id } = await createProject(app.services.kv, {
    organizationId: app.organization.id,
    name: "Shop",
    platform: "node",
  });
  return {
    ...app,
    projectId: id,
    path: `/projects/${id}/issues`,
    async store(...events) {
      const records = events.map((fields) => errorEvent(fields));
      await app.services.writer.commit(id, { records, outcomes: [] });
    },
  };
}

/** An event of the group whose payload holds an exception, so that its page has something to show. */
export function failure(group: string, fields: Partial<ErrorEvent> = {}) {
  const eventId = fields.eventId ?? newEventId();
  const payload = {
    event_id: eventId,
    platform: "node",
    exception: {
      values: [{
        type: "Error",
        value: group,
        stacktrace: { frames: [{ function: "checkout", filename: "cart.js", in_app: true }] },
      }],
    },
  };
  return { group, eventId, payload: JSON.stringify(payload), ...fields };
}
