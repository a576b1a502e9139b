import { pause } from "../../core/waiting.ts";
import { dirname, join } from "node:path";
import { ConfigError } from "../../core/config.ts";
import type { Logger } from "../../core/log.ts";
import { flush } from "./host.ts";
import { watchEngine } from "./interrupt.ts";
import type { SocketAddress } from "./server.ts";
import type { WorkerReport, WorkerRequest } from "./worker.ts";

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
    if (await isEmpty(dir)) await initialise(dir);
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

/**
 * Makes a database in a folder that is absent or empty. It takes seconds, in which the process may be killed and
 * the power may fail: so it is made beside, flushed, and appears under its name when complete.
 */
async function initialise(dir: string): Promise<void> {
  const unfinished = `${dir}.unfinished`;
  await removeIfPresent(unfinished, { recursive: true });
  await Deno.mkdir(unfinished, { recursive: true, mode: 0o700 });
  await makeDatabase(unfinished);
  await flushTree(unfinished);
  await removeIfPresent(dir);
  await Deno.rename(unfinished, dir);
  flush(join(dir, ".."));
}

/** In a process of its own: 200 MB of what it takes would stay with this one for good. */
async function makeDatabase(dir: string): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", new URL("./make_database.ts", import.meta.url).href, dir],
    cwd: new URL("../../../", import.meta.url),
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  if (success) return;
  const reason = new TextDecoder().decode(stderr).trim();
  throw new ConfigError(`Cannot start: the embedded Postgres in ${dir}: ${reason}`);
}

async function flushTree(path: string): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(path)) {
    if (isDirectory) await flushTree(join(path, name));
    else flush(join(path, name));
  }
  flush(path);
}

/** Removes a file or a folder, which must be empty unless `recursive`. */
async function removeIfPresent(
  path: string,
  options: Deno.RemoveOptions = {},
): Promise<void> {
  try {
    await Deno.remove(path, options);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** A Worker with Postgres in it. */
interface Engine {
  readonly address: SocketAddress;
  /** Flushes and closes the data. */
  stop(): Promise<void>;
  /** Ends it as it is. */
  terminate(): void;
}

/** Told about an engine that was open, with the reason. */
interface EngineListeners {
  /** It died, and is of no use any more. */
  onDeath(reason: string): void;
  /** Something needs a look, but work goes on. */
  onTrouble(reason: string): void;
}

/**
 * Starts Postgres in a Worker.
 *
 * @param dir data directory with a database in it
 * @throws {ConfigError} when it does not open
 */
async function startEngine(
  dir: string,
  address: SocketAddress,
  { onDeath, onTrouble }: EngineListeners,
): Promise<Engine> {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
  const opened = Promise.withResolvers<SocketAddress>();
  const ended = Promise.withResolvers<void>();
  let isOpen = false;
  let endWatch = () => {};
  const die = (reason: string) => {
    opened.reject(new ConfigError(`Cannot start: the embedded Postgres in ${dir}: ${reason}`));
    ended.resolve();
    if (isOpen) onDeath(reason);
  };
  worker.addEventListener("message", ({ data }: MessageEvent<WorkerReport>) => {
    if (data.kind === "opened") {
      if (data.engine !== null) endWatch = watchEngine(data.engine);
      opened.resolve(data.address);
    } else if (data.kind === "closed") ended.resolve();
    else if (data.kind === "trouble") onTrouble(data.reason);
    else die(data.reason);
  });
  worker.addEventListener("error", (event) => {
    // Without this the error would end the whole process.
    event.preventDefault();
    die(event.message);
  });
  send(worker, { kind: "open", dir, address });

  const terminate = () => {
    endWatch();
    worker.terminate();
  };
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
