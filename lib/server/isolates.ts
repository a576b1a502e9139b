/**
 * Several isolates of one process, which serve on one port: the first one in the main thread, the others in Workers. All do the same for
 * requests; the first one beside that looks after the embedded stores, the clock and the signals.
 */
import { changesMemory } from "../accounts/kv_changes.ts";
import { ConfigError } from "../core/config.ts";
import { flushLog } from "../core/log.ts";
import { NUMBERS } from "../core/measures/measures.ts";
import { type Identity, onRenewal, readIdentity } from "./certificate.ts";
import { becomeIsolate, type Isolate } from "./isolate.ts";
import type { CrowdServer } from "./crowd.ts";
import { drain, serve, stopSignal, stopTimes } from "./listen.ts";
import type { Services } from "./services.ts";

type Handler = Parameters<typeof serve>[0];

/** What an isolate is told. */
type Request =
  | { readonly kind: "serve" } & Place
  | { readonly kind: "renew"; readonly identity: Identity }
  | { readonly kind: "stop" };

/** Who an isolate is, and where it serves. */
interface Place {
  readonly isolate: Isolate;
  readonly port: number;
  /** For TLS; null: plain HTTP. */
  readonly identity: Identity | null;
}

/** What it tells. What is told to it before it is ready is lost: modules that it loads may await something, as those of upstream Fresh do. */
type Report =
  | { readonly kind: "ready" }
  | { readonly kind: "serving" }
  | { readonly kind: "renewed" }
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "stopped" };

/**
 * Serves in this isolate and in those beside it until SIGTERM or SIGINT, then drains: no new connections, requests in flight answered,
 * queues flushed, stores closed. Resolves when all of that is done.
 *
 * @throws {ConfigError} when another isolate cannot start, and {Error} when one ended by itself; after the same drain
 */
export async function serveEverywhere(
  { services, handler }: App,
  { entry, onListen, stop = stopSignal() }: ServeOptions,
): Promise<void> {
  const identity = readIdentity(services.config);
  const server = serve(handler, services, identity);
  onListen(server.addr);
  const helpers = startHelpers(services, { entry, port: server.addr.port, identity });
  const renew = (renewed: Identity) => Promise.all([server.renew(renewed), helpers.renew(renewed)]);
  using _renewal = identity === null ? null : onRenewal(services, identity, renew);
  let failure: unknown;
  await Promise.race([stop, helpers.failed]).then(
    (signal) => services.log.info("stopping", { signal }),
    (error: unknown) => {
      failure = error;
      services.log.error("an isolate ended: the process stops", { error });
    },
  );
  const cut = setTimeout(() => Deno.exit(1), stopTimes(services.config).exitMs);
  const others = helpers.stop();
  await drain(server, services);
  await services.close(others);
  clearTimeout(cut);
  if (failure !== undefined) throw failure;
}

interface ServeOptions {
  /** The file that runs in each further isolate: see `serveBeside()`. */
  readonly entry: URL;
  /** Told the address once the port is open. */
  onListen(address: Deno.NetAddr): void;
  /** Resolves to why to stop. @default a signal */
  readonly stop?: Promise<string>;
}

/** The isolates beside the first one. */
interface Helpers {
  /** Rejects when one of them cannot start or ends by itself: then the process should end. */
  readonly failed: Promise<never>;
  /** Has them all greet with another certificate. */
  renew(identity: Identity): Promise<void>;
  /** Lets them drain and close. Resolves when nothing of them is left. */
  stop(): Promise<void>;
}

interface HelperOptions {
  /** The file that runs in each. */
  readonly entry: URL;
  /** Where all serve. */
  readonly port: number;
  readonly identity: Identity | null;
}

function startHelpers(
  { config, embeddedPostgres: postgres, log }: Services,
  { entry, port, identity }: HelperOptions,
): Helpers {
  const failed = Promise.withResolvers<never>();
  const others = Array.from({ length: config.isolates - 1 }, (_, index) => {
    const number = index + 2;
    const isolate = { number, postgres, numbers: NUMBERS.memory, changes: changesMemory() };
    return startHelper(entry, { isolate, port, identity }, failed.reject);
  });
  if (others.length > 0) {
    void Promise.all(others.map(({ serving }) => serving)).then(() =>
      log.info("serving on all isolates", { isolates: config.isolates })
    );
  }
  return {
    failed: failed.promise,
    renew: async (identity) => void await Promise.all(others.map((one) => one.renew(identity))),
    stop: async () => void await Promise.all(others.map((other) => other.stop())),
  };
}

interface Helper {
  readonly serving: Promise<void>;
  renew(identity: Identity): Promise<void>;
  stop(): Promise<void>;
}

function startHelper(
  entry: URL,
  start: Place,
  fail: (error: Error) => void,
): Helper {
  const { number } = start.isolate;
  const worker = new Worker(entry, { type: "module", name: `isolate ${number}` });
  const ready = Promise.withResolvers<void>();
  const tell = (request: Request) => void ready.promise.then(() => worker.postMessage(request));
  const serving = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  let renewed = Promise.withResolvers<void>();
  worker.addEventListener("message", ({ data }: MessageEvent<Report>) => {
    if (data.kind === "ready") return ready.resolve();
    if (data.kind === "serving") return serving.resolve();
    if (data.kind === "renewed") return renewed.resolve();
    if (data.kind === "failed") fail(new ConfigError(data.reason));
    stopped.resolve();
  });
  worker.addEventListener("error", (event) => {
    // Without this the process would end at once, without what the others have in hand.
    event.preventDefault();
    stopped.resolve();
    fail(new Error(`Isolate ${number} ended: ${event.message}`));
  });
  tell({ kind: "serve", ...start });
  return {
    serving: serving.promise,
    async renew(identity) {
      await Promise.race([serving.promise, stopped.promise]);
      renewed = Promise.withResolvers();
      tell({ kind: "renew", identity });
      await Promise.race([renewed.promise, stopped.promise]);
    },
    async stop() {
      tell({ kind: "stop" });
      await stopped.promise;
      worker.terminate();
    },
  };
}

interface App {
  readonly services: Services;
  readonly handler: Handler;
}

/** Serves in a Worker, from when it is told where until it is told to stop. @param open opens the stores and builds the app */
export function serveBeside(open: () => Promise<App>): void {
  const stop = Promise.withResolvers<void>();
  const served = Promise.withResolvers<CrowdServer>();
  self.addEventListener("message", ({ data }: MessageEvent<Request>) => {
    if (data.kind === "stop") return stop.resolve();
    if (data.kind === "renew") {
      return void served.promise.then((server) => server.renew(data.identity))
        .then(() => report({ kind: "renewed" }));
    }
    becomeIsolate(data.isolate);
    void serveUntil(stop.promise, open, data, served.resolve).then(report, (error) => {
      if (!(error instanceof ConfigError)) throw error;
      report({ kind: "failed", reason: error.message });
    });
  });
  report({ kind: "ready" });
}

async function serveUntil(
  stop: Promise<void>,
  open: () => Promise<App>,
  { port, identity }: Place,
  onServe: (server: CrowdServer) => void,
): Promise<Report> {
  const { services, handler } = await open();
  const server = serve(handler, services, identity, port);
  onServe(server);
  report({ kind: "serving" });
  await stop;
  await drain(server, services);
  await services.close();
  flushLog();
  return { kind: "stopped" };
}

function report(message: Report): void {
  self.postMessage(message);
}
