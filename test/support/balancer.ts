/** What stands before several instances: it asks one after the other, and another one where an answer does not come. */
import { envelopeUrl, errorEnvelope, type MadeEvent } from "./envelopes.ts";
import type { Server } from "./server.ts";
import { waitFor } from "./wait_for.ts";

const SENDERS = 4;
/** After so long it gives up on an instance that hangs. */
const PATIENCE_MS = 3_000;
const PACE_MS = 50;
const MORE = 50;
const GOES_ON_MS = 60_000;

/** Asks one instance after the other, as whatever stands before several of them does. */
export class Balancer {
  readonly answered = new Map<string, number>();
  #turn = 0;
  #servers: readonly Server[];

  constructor(
    private readonly dsn: string,
    servers: readonly Server[],
    private readonly patienceMs = PATIENCE_MS,
  ) {
    this.#servers = servers;
  }

  add(server: Server): void {
    this.#servers = [...this.#servers, server];
  }

  remove(server: Server): void {
    this.#servers = this.#servers.filter((each) => each !== server);
  }

  /** Sends until one of them has taken it: the same request, as clients and balancers do. */
  async send(body: string): Promise<void> {
    while (true) {
      const server = this.#servers[this.#turn++ % this.#servers.length];
      if (server === undefined) throw new Error("No instance is left");
      if (await this.#ask(server.url, body) === 200) {
        this.answered.set(server.url, (this.answered.get(server.url) ?? 0) + 1);
        return;
      }
    }
  }

  async #ask(url: string, body: string): Promise<number | null> {
    const own = new URL(this.dsn);
    own.port = new URL(url).port;
    try {
      const signal = AbortSignal.timeout(this.patienceMs);
      const response = await fetch(envelopeUrl(own.href), { method: "POST", body, signal });
      await response.body?.cancel();
      return response.status;
    } catch {
      return null;
    }
  }
}

/** Events that are sent one after the other, each until it is acknowledged. */
export interface BalancedLoad extends AsyncDisposable {
  readonly sent: ReadonlySet<string>;
  readonly acknowledged: ReadonlySet<string>;
  /** Resolves when so many more are acknowledged. */
  goesOn(what: string, more?: number): Promise<true>;
  stop(): Promise<void>;
}

/** Sends from now on, a few events at a time. */
export function sendThrough(
  balancer: Balancer,
  make: () => MadeEvent = () => errorEnvelope(),
  senders = SENDERS,
): BalancedLoad {
  const [sent, acknowledged] = [new Set<string>(), new Set<string>()];
  let isStopped = false;
  const sender = async () => {
    while (!isStopped) {
      const { eventId, body } = make();
      sent.add(eventId);
      await balancer.send(body);
      acknowledged.add(eventId);
      await new Promise((resolve) => setTimeout(resolve, PACE_MS));
    }
  };
  const done = Promise.all(Array.from({ length: senders }, sender));
  const stop = async () => {
    isStopped = true;
    await done;
  };
  const goesOn = (what: string, more = MORE) => {
    const before = acknowledged.size;
    return waitFor(
      `acknowledgements ${what}`,
      () => acknowledged.size > before + more || null,
      GOES_ON_MS,
    );
  };
  return { sent, acknowledged, goesOn, stop, [Symbol.asyncDispose]: stop };
}
