import { needsSetup, setupCode } from "../accounts/setup.ts";
import { pause } from "../core/waiting.ts";
import type { Identity } from "./certificate.ts";
import { crowdLimits, type CrowdServer, serveCrowd } from "./crowd.ts";
import { envelopesFirst } from "./ingest_route.ts";
import { FIXED_HEADERS } from "./security_headers.ts";
import type { Services } from "./services.ts";

type Handler = (request: Request, info: Deno.ServeHandlerInfo) => Response | Promise<Response>;

/** How a process ends that was told to. */
interface StopTimes {
  /** In-flight requests get this long; queues and stores the rest. */
  readonly drainMs: number;
  /** Whatever hangs after this is cut: whoever told the process would kill it anyway. */
  readonly exitMs: number;
}

/** Orchestrators give ten seconds, Deno Deploy five. */
export function stopTimes({ platform }: Pick<Services["config"], "platform">): StopTimes {
  return platform === null ? { drainMs: 6_000, exitMs: 9_500 } : { drainMs: 2_500, exitMs: 4_800 };
}

/**
 * Serves the app in this isolate.
 *
 * @param identity for TLS; null: plain HTTP
 * @param port where, when it is not as the settings have it: in isolates beside the first one, which may have had any chosen
 * @throws {Deno.errors.AddrInUse} and what else `Deno.listen()` throws
 */
export function serve(
  handler: Handler,
  services: Services,
  identity: Identity | null,
  port?: number,
): CrowdServer {
  const { host: hostname, trustProxy, isolates } = services.config;
  const limits = crowdLimits(fileLimit(), trustProxy, isolates);
  const address = { hostname, port: port ?? services.config.port, identity };
  const answer = guarded(envelopesFirst(handler, services), services);
  // Another process that shares its port as well would get a part of the connections, and nobody would be told.
  if (port === undefined) Deno.listen({ hostname, port: address.port }).close();
  if (isolates === 1) return serveCrowd(address, answer, limits, services.log);
  return serveCrowd(
    { ...address, reusePort: true },
    shareConnections(answer),
    limits,
    services.log,
  );
}

/** No new connections, and requests in flight answered, as far as there is time. */
export async function drain(
  server: Pick<CrowdServer, "shutdown">,
  services: Services,
): Promise<void> {
  services.beginStop();
  const over = new AbortController();
  const { drainMs } = stopTimes(services.config);
  await Promise.race([server.shutdown(), pause(drainMs, over.signal)]);
  over.abort();
}

/** Fresh knows no others; upstream's router fails on them. */
const METHODS: ReadonlySet<string> = new Set(
  ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
);

/**
 * The net around the app: what it could not even take for a request gets a sentence, and what throws outside of Fresh's
 * own handling is no stack trace for the client.
 */
export function guarded(handler: Handler, { log }: Pick<Services, "log">): Handler {
  return async (request, info) => {
    if (!URL.canParse(request.url)) return plain(400, "The Host header is no host name.");
    if (!METHODS.has(request.method)) {
      return plain(405, "This method is not one that Watchpost knows.", {
        allow: [...METHODS].join(", "),
      });
    }
    if (!isDecodable(request.url)) {
      return plain(400, "The address has a malformed percent sequence.");
    }
    try {
      return await handler(request, info);
    } catch (error) {
      const stack = error instanceof Error ? error.stack ?? error.message : String(error);
      log.error("request failed outside the app", { error: stack }, error);
      return plain(500, "Watchpost failed to answer.");
    }
  };
}

/** An answer without the app, which says of itself as much as a page does. */
function plain(status: number, sentence: string, headers: Record<string, string> = {}): Response {
  return new Response(`${sentence}\n`, {
    status,
    headers: {
      ...FIXED_HEADERS,
      "content-security-policy": "default-src 'none'",
      "cache-control": "no-store",
      ...headers,
    },
  });
}

/** Whether the path names something: a `%` in it begins the bytes of a character, as upstream's router wants it. */
function isDecodable(address: string): boolean {
  if (!address.includes("%")) return true;
  try {
    decodeURI(new URL(address).pathname);
    return true;
  } catch {
    return false;
  }
}

/** Resolves when the process is asked to end. */
export function stopSignal(): Promise<Deno.Signal> {
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
  const scheme = config.tls === null ? "http" : "https";
  const url = config.port === 0 ? `${scheme}://localhost:${port}` : config.baseUrl;
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
