import { dirname, join } from "node:path";
import { ConfigError } from "../../core/config.ts";
import type { Logger } from "../../core/log.ts";
import { type EngineListeners, startEngine } from "./engine.ts";
import { initialise, removeIfPresent } from "./initialise.ts";
import type { SocketAddress } from "./server.ts";

/** Pause before a dead engine is started again. */
const RESTART_DELAY_MS = 1_000;

export interface EmbeddedPostgres {
  readonly address: SocketAddress;
  close(): Promise<void>;
}

/**
 * Starts Postgres (PGlite) in a Worker on a socket that only this user can reach. When the engine dies it is started
 * again on the same socket; until then connections are refused.
 *
 * @param dir its data directory; a database is made in it when it is absent or empty
 * @throws {ConfigError} when the data cannot be opened
 */
export async function openEmbeddedPostgres(dir: string, log: Logger): Promise<EmbeddedPostgres> {
  await Deno.mkdir(dirname(dir), { recursive: true, mode: 0o700 });
  const socketDir = await Deno.makeTempDir({ prefix: "watchpost-" });
  const removeSocketDir = () => Deno.remove(socketDir, { recursive: true });
  const address: SocketAddress = Deno.build.os === "windows"
    ? { transport: "tcp", port: 0 }
    : { transport: "unix", path: join(socketDir, "postgres") };

  try {
    if (await isEmpty(dir)) await initialise(dir, address);
    else await refuseForeign(dir);
    const postgres = await keepRunning(dir, address, log);
    return { ...postgres, close: () => postgres.close().finally(removeSocketDir) };
  } catch (error) {
    await removeSocketDir();
    throw error;
  }
}

async function keepRunning(
  dir: string,
  firstAddress: SocketAddress,
  log: Logger,
): Promise<EmbeddedPostgres> {
  const stopping = new AbortController();
  let restarting: Promise<void> = Promise.resolve();
  const listeners: EngineListeners = {
    onDeath(reason) {
      if (stopping.signal.aborted) return;
      log.error("the embedded Postgres died and is started again", { reason });
      restarting = restart();
    },
    onTrouble: (reason) => log.warn("upkeep of the embedded Postgres failed", { reason }),
  };
  let engine = await startEngine(dir, firstAddress, listeners);
  const { address } = engine;

  async function restart(): Promise<void> {
    engine.terminate();
    while (!stopping.signal.aborted) {
      await pause(RESTART_DELAY_MS, stopping.signal);
      if (address.transport === "unix") await removeIfPresent(address.path);
      try {
        engine = await startEngine(dir, address, listeners);
        return;
      } catch (error) {
        log.error("the embedded Postgres does not start", { error });
      }
    }
  }

  return {
    address,
    async close() {
      stopping.abort();
      await restarting;
      await engine.stop();
    },
  };
}

async function isEmpty(dir: string): Promise<boolean> {
  return (await namesIn(dir)).length === 0;
}

/** PGlite would take a folder without this file for an empty one, and overwrite what is in it. */
async function refuseForeign(dir: string): Promise<void> {
  if ((await namesIn(dir)).includes("PG_VERSION")) return;
  throw new ConfigError(
    `Cannot start: ${dir} is not empty, but it has no PG_VERSION and so holds no database`,
  );
}

async function namesIn(dir: string): Promise<string[]> {
  try {
    return await Array.fromAsync(Deno.readDir(dir), ({ name }) => name);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

/** Resolves after the time or, earlier, when stopped. */
function pause(ms: number, stopping: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  stopping.addEventListener("abort", () => {
    clearTimeout(timer);
    resolve();
  }, { once: true });
  return promise;
}
