import { envelopeUrl } from "../support/envelopes.ts";
import type { Server } from "../support/server.ts";

/** Makes projects; returns the path of each one's envelope endpoint, key included. */
export async function makeProjects(server: Server, count: number): Promise<string[]> {
  const paths: string[] = [];
  for (let index = 0; index < count; index++) {
    const { serverDsn } = await server.createProject(`Bench ${index} of ${crypto.randomUUID()}`);
    const { pathname, search } = new URL(envelopeUrl(serverDsn));
    paths.push(pathname + search);
  }
  return paths;
}
