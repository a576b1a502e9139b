import { ConfigError } from "../../core/config.ts";
import type { SocketAddress } from "./server.ts";
import type { WorkerReport, WorkerRequest } from "./worker.ts";

/** A Worker with Postgres in it. */
export interface Engine {
  readonly address: SocketAddress;
  /** Flushes and closes the data. */
  stop(): Promise<void>;
  /** Ends it as it is. */
  terminate(): void;
}

/** Told about an engine that was open, with the reason. */
export interface EngineListeners {
  /** It died, and is of no use any more. */
  onDeath(reason: string): void;
  /** Something needs a look, but work goes on. */
  onTrouble(reason: string): void;
}

/**
 * Starts Postgres in a Worker.
 *
 * @param dir data directory; initialised, which takes seconds, when it is empty
 * @throws {ConfigError} when it does not open
 */
export async function startEngine(
  dir: string,
  address: SocketAddress,
  { onDeath, onTrouble }: EngineListeners,
): Promise<Engine> {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
  const opened = Promise.withResolvers<SocketAddress>();
  const ended = Promise.withResolvers<void>();
  let isOpen = false;
  const die = (reason: string) => {
    opened.reject(new ConfigError(`Cannot start: the embedded Postgres in ${dir}: ${reason}`));
    ended.resolve();
    if (isOpen) onDeath(reason);
  };
  worker.addEventListener("message", ({ data }: MessageEvent<WorkerReport>) => {
    if (data.kind === "opened") opened.resolve(data.address);
    else if (data.kind === "closed") ended.resolve();
    else if (data.kind === "trouble") onTrouble(data.reason);
    else die(data.reason);
  });
  worker.addEventListener("error", (event) => {
    // Without this the error would end the whole process.
    event.preventDefault();
    die(event.message);
  });
  send(worker, { kind: "open", dir, address });

  const terminate = () => worker.terminate();
  try {
    const actualAddress = await opened.promise;
    isOpen = true;
    const stop = async () => {
      send(worker, { kind: "close" });
      await ended.promise;
      terminate();
    };
    return { address: actualAddress, stop, terminate };
  } catch (error) {
    terminate();
    throw error;
  }
}

function send(worker: Worker, request: WorkerRequest): void {
  worker.postMessage(request);
}
