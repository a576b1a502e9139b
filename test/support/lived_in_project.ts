/** A project in which every kind of telemetry has come, as stock clients send it: a small part of what the demo sends. */
import { pause } from "@/lib/core/waiting.ts";
import { Random } from "../../demo/chance.ts";
import { health, logsOf, withCompanions } from "../../demo/companions.ts";
import { metricsOfTwoWeeks } from "../../demo/metrics.ts";
import { mishaps } from "../../demo/mishaps.ts";
import { stockUploads, storefrontUploads } from "../../demo/profiles.ts";
import {
  type Envelope,
  envelopeDelivery,
  otlpDelivery,
  sendAll,
  uploadDelivery,
} from "../../demo/send.ts";
import { organize, releaseAll, workplaceOf } from "../../demo/teamwork.ts";
import { history, telemetryOf } from "../../demo/traces.ts";
import { watch } from "../../demo/watching.ts";
import { envelopeUrl } from "./envelopes.ts";
import { api, issuesOf, type ProjectKeys } from "./api_client.ts";
import { ADMIN_TOKEN, type Server } from "./server.ts";
import { waitFor } from "./wait_for.ts";

const LOOK_EVERY_MS = 1_000;

/** Makes it, with releases, alerts and a dashboard. @throws {Error} when something of it is refused */
export async function livedInProject(server: Server): Promise<ProjectKeys> {
  const keys = await server.createProject("Lived-in shop", "javascript");
  const now = new Date();
  const workplace = await workplaceOf(server.url, ADMIN_TOKEN, keys.id);
  if (workplace !== null) {
    await organize(workplace);
    await releaseAll(workplace, now);
  }
  const random = new Random(1);
  const errors = mishaps(random, now).slice(-60);
  const traces = history(random, now).slice(-40);
  const telemetry = telemetryOf(traces);
  const envelopes = [
    // A job that is late would be noted by each instance that knows of it, in its own time.
    ...health(random, now).filter(isNoCheckIn).slice(-20),
    ...errors.slice(0, 10).map((event) => logsOf(event, random)),
    ...[...errors, ...telemetry.errors].map((event) => withCompanions(event, random)),
    ...telemetry.envelopes,
  ];
  const requests = [
    ...telemetry.requests,
    ...metricsOfTwoWeeks(random, now, traces).slice(-60),
  ];
  const uploads = [
    ...stockUploads(random, now).slice(-5),
    ...storefrontUploads(random, now, traces).slice(-5),
  ];
  const { refused } = await sendAll([
    ...envelopes.map((each) => envelopeDelivery(envelopeUrl(keys.serverDsn), each)),
    ...requests.map((each) => otlpDelivery(keys.serverDsn, each)),
    ...uploads.map((each) => uploadDelivery(keys.serverDsn, each)),
  ]);
  if (refused > 0) throw new Error(`${refused} requests were refused`);
  await watch(server.url, ADMIN_TOKEN, keys.id);
  await ownersFound(server, keys);
  return keys;
}

/** Each instance that knows of the issues would find their owners in its own time. */
async function ownersFound({ url }: Server, keys: ProjectKeys): Promise<void> {
  const issues = await issuesOf(url, ADMIN_TOKEN, keys);
  let before = 0;
  await waitFor("owners of issues", async () => {
    const owned = await Promise.all(issues.map(async ({ id }) => {
      const { owners } = await api<{ owners: unknown[] }>(url, ADMIN_TOKEN, `/issues/${id}/`);
      return owners.length > 0;
    }));
    const count = owned.filter(Boolean).length;
    // One look finds those of all, one after the other.
    if (count > 0 && count === before) return true;
    before = count;
    await pause(LOOK_EVERY_MS);
    return null;
  });
}

function isNoCheckIn({ items }: Envelope): boolean {
  return items.every(({ header }) => header.type !== "check_in");
}
