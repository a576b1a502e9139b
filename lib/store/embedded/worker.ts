/**
 * Entry of the Worker that runs the embedded Postgres, so that its work never blocks the event loop that
 * answers requests.
 */
import { PGlite } from "@electric-sql/pglite";
import { DurableFiles, durableStartParams } from "./durable_files.ts";
import { capTimers } from "./host.ts";
import { Limiter, type SharedEngine, shareLibraries, takeSharedMemory } from "./interrupt.ts";
import { serveSession, type SocketAddress } from "./server.ts";
import { Session, startUpkeep } from "./session.ts";

/** What the Worker is told. */
export type WorkerRequest =
  | { readonly kind: "open"; readonly dir: string; readonly address: SocketAddress }
  | { readonly kind: "close" };

/** What the Worker tells. */
export type WorkerReport =
  | {
    readonly kind: "opened";
    readonly address: SocketAddress;
    /** Null where statements cannot be interrupted. */
    readonly engine: SharedEngine | null;
  }
  | { readonly kind: "failed"; readonly reason: string }
  /** The engine died; the Worker is of no use any more. */
  | { readonly kind: "died"; readonly reason: string }
  /** Something needs a look, but work goes on. */
  | { readonly kind: "trouble"; readonly reason: string }
  | { readonly kind: "closed" };

/** Memory for cached pages, beside those that the system caches: the default of 160 MB is much for a small service. */
const SHARED_BUFFERS = "24MB";

capTimers(globalThis);

let close: (() => Promise<void>) | null = null;
/** Why Postgres gave up, in its own words. */
let lastWords = "";

self.addEventListener("message", async ({ data }: MessageEvent<WorkerRequest>) => {
  try {
    if (data.kind === "open") {
      report({ kind: "opened", ...await open(data.dir, data.address) });
    } else {
      await close?.();
      report({ kind: "closed" });
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    report({ kind: "failed", reason: lastWords || reason });
  }
});

async function open(dir: string, address: SocketAddress) {
  let session: Session | null = null;
  let engine: SharedEngine | null = null;
  const onAbort = () => {
    session?.break(lastWords);
    report({ kind: "died", reason: lastWords });
  };
  const module = await sharingModule();
  const files = module === null
    ? new DurableFiles(dir, onAbort)
    : new DurableFiles(dir, onAbort, (shared) => engine = shared);
  const db = await PGlite.create({
    fs: files,
    ...module && { pgliteWasmModule: module },
    // Its log: only the line that tells why it gave up is of interest.
    onStderr: (line) => {
      if (/(?:FATAL|PANIC):/.test(line)) lastWords = line;
      return false;
    },
    startParams: [
      ...durableStartParams(PGlite.defaultStartParams),
      "-c",
      `shared_buffers=${SHARED_BUFFERS}`,
    ],
  });
  const limiter = engine && new Limiter(engine);
  session = new Session(db, limiter);
  const server = serveSession(session, address);
  const upkeep = startUpkeep(session, (reason) => report({ kind: "trouble", reason }));

  close = async () => {
    await upkeep.stop();
    await server.close();
    await db.close();
  };
  return { address: server.address, engine };
}

/** The engine in the form that takes a shared memory; null when it has become another one. */
async function sharingModule(): Promise<WebAssembly.Module | null> {
  const path = new URL("./pglite.wasm", import.meta.resolve("@electric-sql/pglite"));
  const wasm = takeSharedMemory(await Deno.readFile(path));
  if (wasm === null) return null;
  shareLibraries(globalThis);
  return await WebAssembly.compile(wasm);
}

function report(message: WorkerReport): void {
  self.postMessage(message);
}
