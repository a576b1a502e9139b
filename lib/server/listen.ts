import type { Services } from "./services.ts";
import { crowdLimits } from "./crowd.ts";
import { fileLimit } from "./file_limit.ts";
import { serveCrowd } from "./serve_crowd.ts";

type Handler = (request: Request, info: Deno.ServeHandlerInfo) => Response | Promise<Response>;

/** In-flight requests get this long after SIGTERM; queues and stores the rest of the ten seconds. */
const DRAIN_MS = 6_000;
/** Whatever hangs after this is cut: an orchestrator would kill the process anyway. */
const EXIT_MS = 9_500;

/**
 * Serves until SIGTERM or SIGINT, then drains: no new connections, requests in flight answered, queues
 * flushed, stores closed. Resolves when all of that is done.
 *
 * @param onListen told the address once the port is open
 */
export async function listen(
  handler: Handler,
  services: Services,
  onListen: (address: Deno.NetAddr) => void,
): Promise<void> {
  const { port, host: hostname, trustProxy } = services.config;
  const limits = crowdLimits(fileLimit(), trustProxy);
  const server = serveCrowd(
    { hostname, port },
    guarded(handler, services),
    limits,
    services.log,
  );
  onListen(server.addr);
  const signal = await stopSignal();
  services.log.info("stopping", { signal });
  const cut = setTimeout(() => Deno.exit(1), EXIT_MS);
  services.beginStop();
  await Promise.race([server.shutdown(), delay(DRAIN_MS)]);
  await services.close();
  clearTimeout(cut);
}

/**
 * The last net under the app: what throws outside Fresh's own handling (an undecodable `%` in upstream's
 * router) is the client's doing and gets a sentence, not a stack trace.
 */
export function guarded(handler: Handler, { log }: Pick<Services, "log">): Handler {
  return async (request, info) => {
    try {
      return await handler(request, info);
    } catch (error) {
      if (error instanceof URIError) {
        return new Response("The address has a malformed percent sequence.\n", { status: 400 });
      }
      log.error("request failed outside the app", {
        error: error instanceof Error ? error.stack ?? error.message : String(error),
      });
      return new Response("Watchpost failed to answer.\n", { status: 500 });
    }
  };
}

function stopSignal(): Promise<Deno.Signal> {
  return new Promise((resolve) => {
    const signals: Deno.Signal[] = Deno.build.os === "windows" ? ["SIGINT"] : ["SIGTERM", "SIGINT"];
    for (const signal of signals) {
      const listener = () => {
        for (const one of signals) Deno.removeSignalListener(one, listener);
        resolve(signal);
      };
      Deno.addSignalListener(signal, listener);
    }
  });
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => Deno.unrefTimer(setTimeout(resolve, ms)));
}
