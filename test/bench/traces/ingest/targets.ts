import { envelopeUrl } from "@/test/support/envelopes.ts";
import type { Server } from "@/test/support/server.ts";

const PROJECTS = 4;

/** Where a project takes telemetry. */
export interface Target {
  /** Path of its envelopes, key included. */
  readonly envelopes: string;
  readonly publicKey: string;
}

/** Makes projects: few, as each has a history of its own. */
export async function makeTargets(server: Server): Promise<Target[]> {
  const targets: Target[] = [];
  for (let index = 0; index < PROJECTS; index++) {
    const { serverDsn } = await server.createProject(`Bench ${index} of ${crypto.randomUUID()}`);
    const { pathname, search } = new URL(envelopeUrl(serverDsn));
    targets.push({ envelopes: pathname + search, publicKey: new URL(serverDsn).username });
  }
  return targets;
}

/** Where their OpenTelemetry exporters send spans: the key goes into a header, see `replay.lua`. */
export function exportPaths(targets: readonly Target[]): string[] {
  return targets.map(({ publicKey }) => `/v1/traces ${publicKey}`);
}
