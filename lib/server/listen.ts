import { needsSetup, setupCode } from "../accounts/setup.ts";
import { crowdLimits, serveCrowd } from "./crowd.ts";
import type { Services } from "./services.ts";

type Handler = (request: Request, info: Deno.ServeHandlerInfo) => Response | Promise<Response>;

/** In-flight requests get this long after SIGTERM; queues and stores the rest of the ten seconds. */
export const DRAIN_MS = 6_000;
/** Whatever hangs after this is cut: an orchestrator would kill the process anyway. */
export const EXIT_MS = 9_500;

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
 * The last net under the app: what throws outside Fresh's own handling (an undecodable `%` in upstream's router, a
 * `Host` that is no host) is the client's doing and gets a sentence, not a stack trace.
 */
export function guarded(handler: Handler, { log }: Pick<Services, "log">): Handler {
  return async (request, info) => {
    if (!URL.canParse(request.url)) {
      return new Response("The Host header is no host name.\n", { status: 400 });
    }
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

/** Tells the person at the console where Watchpost is and how to sign in. */
export async function welcome(services: Services, address: Deno.NetAddr): Promise<void> {
  const { config, kv, log } = services;
  log.info("listening", { host: address.hostname, port: address.port });
  // What follows is for eyes, not for the log: the setup code must not end in a log store.
  for (const line of await lines(config, address.port, kv)) writeLine(line);
}

async function lines(
  config: Services["config"],
  port: number,
  kv: Deno.Kv,
): Promise<string[]> {
  // A port chosen by the system (PORT=0) is in no setting.
  const url = config.port === 0 ? `http://localhost:${port}` : config.baseUrl;
  if (!await needsSetup(kv)) return ["", `  Watchpost is at ${url}`, ""];
  return [
    "",
    `  Watchpost is at ${url}`,
    `  No account exists yet: open ${url}/sign-up and enter the setup code`,
    "",
    `      ${await setupCode(kv)}`,
    "",
  ];
}

function writeLine(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

/** Where the system does not tell: what small systems allow. */
const ASSUMED_FILES = 4_096;

/** How many files, sockets among them, this process may have open at once. */
export function fileLimit(): number {
  try {
    return readFileLimit(Deno.readTextFileSync("/proc/self/limits"));
  } catch {
    return ASSUMED_FILES;
  }
}

/**
 * Reads the soft limit out of what Linux tells of a process.
 *
 * @param limits text of `/proc/<pid>/limits`
 */
export function readFileLimit(limits: string): number {
  const soft = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1];
  if (soft === "unlimited") return Infinity;
  return soft === undefined ? ASSUMED_FILES : Number(soft);
}

/** One answer in so many closes its connection: rare enough that nobody pays for it. */
const ANSWERS = 100;

/**
 * Closes connections now and then, after an answer that says so. For isolates that accept from one port: whichever is
 * awake takes all connections that come in a burst, such as the pool of a proxy, and keeps them while others idle.
 * Clients open the next one at once, and an isolate that has time takes it.
 *
 * @param chance from 0 until before 1
 */
export function shareConnections(handler: Handler, chance: () => number = Math.random): Handler {
  return async (request, info) => {
    const response = await handler(request, info);
    if (chance() * ANSWERS < 1) closeAfter(response);
    return response;
  };
}

function closeAfter({ headers }: Response): void {
  try {
    headers.set("connection", "close");
  } catch {
    // Those of a redirect cannot be changed; another answer will do.
  }
}
