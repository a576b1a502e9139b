/** Load on a server, and what the server says of itself meanwhile. */
import { errorEnvelope, type MadeEvent, post } from "./envelopes.ts";
import { waitFor } from "./wait_for.ts";

export interface Readiness {
  readonly status: string;
  readonly failing?: string[];
  readonly intake: string;
  readonly spool: { waitingObjects: number } | null;
}

/** What `/readyz` says. */
export async function readiness({ url }: { readonly url: string }): Promise<Readiness> {
  return await (await fetch(`${url}/readyz`)).json();
}

/** Resolves when everything that waited for Postgres is in it. @throws {Error} after `limitMs` */
export async function spoolEmptied(
  server: { readonly url: string },
  limitMs = 60_000,
): Promise<void> {
  await waitFor("an empty spool", async () => {
    const { spool } = await readiness(server);
    return spool?.waitingObjects === 0 || null;
  }, limitMs);
}

export interface Load {
  /** Ids that were answered with 200. */
  readonly acknowledged: ReadonlySet<string>;
  /** How often each other status came. */
  readonly refused: ReadonlyMap<number, number>;
  /** Resolves when the last request has its answer. @throws what `fetch` threw */
  stop(): Promise<void>;
}

/** Sends without pause; refused requests are followed by another event. */
export function startLoad(
  url: string,
  make: () => MadeEvent = errorEnvelope,
  senders = 8,
): Load {
  const acknowledged = new Set<string>();
  const refused = new Map<number, number>();
  let isStopped = false;
  const sender = async () => {
    while (!isStopped) {
      const { eventId, body } = make();
      const status = await post(url, body);
      if (status === 200) acknowledged.add(eventId);
      else refused.set(status, (refused.get(status) ?? 0) + 1);
    }
  };
  const done = Promise.all(Array.from({ length: senders }, sender));
  return {
    acknowledged,
    refused,
    async stop() {
      isStopped = true;
      await done;
    },
  };
}
