/**
 * For many cores: `deno task build`, then `deno serve --parallel -A serve.ts`. Every isolate opens its own
 * connections, so all three stores must be external ones; embedded stores serve one isolate and refuse.
 */
import { guarded } from "./lib/web/listen.ts";
import { shareConnections } from "./lib/web/share_connections.ts";
import { services } from "./main.ts";

type Fetch = Parameters<typeof guarded>[0];

// A computed address, because the file exists only after a build.
const built: { default: { fetch: Fetch } } = await import(
  new URL("_fresh/server.js", import.meta.url).href
);
const handler = shareConnections(guarded(built.default.fetch, services));

/** Requests in flight get this long after SIGTERM before the stores close under them. */
const DRAIN_MS = 3_000;
/**
 * `Deno.exit()` in one isolate ends them all, so each waits until the slowest has surely written what it
 * had queued.
 */
const EXIT_MS = 8_000;

/** `deno serve` hands out no server to shut down: new requests are refused, queues written, then it ends. */
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
