/**
 * For many cores: `deno task build`, then `deno serve --parallel -A serve.ts`. Every isolate opens its own
 * connections, so all three stores must be external ones; embedded stores serve one isolate and refuse.
 */
import { crowdLimits, serveCrowd } from "./lib/server/crowd.ts";
import { DRAIN_MS, EXIT_MS, fileLimit, guarded, shareConnections } from "./lib/server/listen.ts";
import { services } from "./main.ts";

type Fetch = Parameters<typeof guarded>[0];

// A computed address, because the file exists only after a build.
const built: { default: { fetch: Fetch } } = await import(
  new URL("_fresh/server.js", import.meta.url).href
);
const handler = shareConnections(guarded(built.default.fetch, services));

/** `deno serve --parallel` starts as many; they share the files that one process may open. */
const ISOLATES = Number(Deno.env.get("DENO_JOBS")) || navigator.hardwareConcurrency;
const limits = crowdLimits(fileLimit(), services.config.trustProxy, ISOLATES);

/**
 * `deno serve` calls this with the address that it was given and the handler below. Its own server would accept
 * connections until the process has no file left, which ends it.
 */
Deno.serve = ((options: Deno.ServeTcpOptions & { handler: Fetch }) => {
  const { hostname = "0.0.0.0", port = 8000, onListen, handler } = options;
  const server = serveCrowd({ hostname, port, reusePort: true }, handler, limits, services.log);
  onListen?.(server.addr);
  return server;
}) as typeof Deno.serve;

/**
 * `deno serve` hands out no server to shut down: new requests are refused, queues written, then it ends. `Deno.exit()` in
 * one isolate ends them all, so each waits until the slowest has surely written what it had queued.
 */
Deno.addSignalListener("SIGTERM", () => {
  services.beginStop();
  setTimeout(() => services.close(), DRAIN_MS);
  setTimeout(() => Deno.exit(0), EXIT_MS);
});

export default {
  fetch: (request: Request, info: Deno.ServeHandlerInfo) =>
    services.stopping.aborted
      ? new Response("Watchpost is stopping.\n", {
        status: 503,
        headers: { "retry-after": "5", connection: "close" },
      })
      : handler(request, info),
};
