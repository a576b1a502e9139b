/**
 * For hosts that start apps in their own way, after `deno task build`: `deno serve -A serve.ts` (with `--parallel` for
 * many cores), `deno run -A serve.ts`, and Deno Deploy. Each isolate opens its own connections, so with `--parallel` all
 * three stores must be external ones; embedded stores serve one isolate and refuse.
 */
import { ConfigError, readConfig } from "./lib/core/config.ts";
import { onRenewal, readIdentity } from "./lib/server/certificate.ts";
import { crowdLimits, type CrowdServer, serveCrowd } from "./lib/server/crowd.ts";
import { envelopesFirst } from "./lib/server/ingest_route.ts";
import {
  drain,
  fileLimit,
  guarded,
  shareConnections,
  stopSignal,
  stopTimes,
  welcome,
} from "./lib/server/listen.ts";

type Fetch = Parameters<typeof guarded>[0];
type Options = Deno.ServeTcpOptions & { handler: Fetch };

const config = await orExplained(() => {
  const config = readConfig(Deno.env.toObject());
  readIdentity(config);
  return config;
});
// The platform reads which crons there are out of what happens before anything is waited for.
const opened = Promise.withResolvers<typeof import("./main.ts").services>();
if (config.platform !== null) {
  Deno.cron("watchpost", "* * * * *", async () => await (await opened.promise).catchUp());
}

const { services } = await orExplained(() => import("./main.ts"));
opened.resolve(services);
// A computed address, because the file exists only after a build.
const built: { default: { fetch: Fetch } } = await import(
  new URL("_fresh/server.js", import.meta.url).href
);
const identity = readIdentity(config);
const app = guarded(envelopesFirst(built.default.fetch, services), services);
const platformServe = Deno.serve;
let server: Pick<CrowdServer, "shutdown"> | null = null;
/** Whether `deno run` started this isolate, which is then the only one. */
let isAlone = config.platform !== null;

/**
 * `deno serve` calls this with the address that it was given and the handler below. Its own server would accept
 * connections until the process has no file left, which ends it; the platform, however, reaches no other.
 */
Deno.serve = ((options: Options) => {
  const started = config.platform === null ? serveOurselves(options) : platformServe(options);
  server = started;
  return started;
}) as typeof Deno.serve;

function serveOurselves({ hostname = "0.0.0.0", port = 8000, onListen, handler }: Options) {
  /** `deno serve --parallel` starts as many; they share the files that one process may open. */
  const isolates = isAlone ? 1 : Number(Deno.env.get("DENO_JOBS")) || navigator.hardwareConcurrency;
  const limits = crowdLimits(fileLimit(), config.trustProxy, isolates);
  const address = { hostname, port, reusePort: !isAlone, identity };
  const answer = isAlone ? handler : shareConnections(handler);
  const started = serveCrowd(address, answer, limits, services.log);
  if (identity !== null) onRenewal(services, identity, (renewed) => started.renew(renewed));
  onListen?.(started.addr);
  return started;
}

// `deno serve` has asked for the server by then, `deno run` never will.
setTimeout(() => {
  if (server !== null) return;
  isAlone = true;
  const { host: hostname, port } = config;
  const onListen = (address: Deno.NetAddr) => void welcome(services, address);
  const options = { hostname, port, onListen, handler: app, automaticCompression: true };
  Deno.serve(options);
});

/** What is wrong with settings or stores is one line for whoever can mend it. */
async function orExplained<T>(open: () => T | Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    Deno.exit(1);
  }
}

/**
 * New requests are refused, those in flight answered, queues written; then it ends. `Deno.exit()` in one isolate ends
 * them all, so each of several waits until the slowest has surely written what it had queued.
 */
async function end(signal: Deno.Signal): Promise<void> {
  services.log.info("stopping", { signal });
  setTimeout(() => Deno.exit(isAlone ? 1 : 0), stopTimes(config).exitMs);
  if (server !== null) await drain(server, services);
  await services.close();
  if (isAlone) Deno.exit(0);
}

void stopSignal().then(end);

export default {
  fetch: (request: Request, info: Deno.ServeHandlerInfo) =>
    services.stopping.aborted
      ? new Response("Watchpost is stopping.\n", {
        status: 503,
        headers: { "retry-after": "5", connection: "close" },
      })
      : app(request, info),
};
