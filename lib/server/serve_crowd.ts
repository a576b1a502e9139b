import type { Logger } from "../core/log.ts";
import { Crowd, type CrowdLimits, type Member } from "./crowd.ts";

type Handler = (request: Request, info: Deno.ServeHandlerInfo) => Response | Promise<Response>;

/** As much of `Deno.HttpServer` as we use. */
export interface CrowdServer {
  readonly addr: Deno.NetAddr;
  /** Resolves when the server has been shut down. */
  readonly finished: Promise<void>;
  /** Accepts no more, and resolves when all requests that are here have been answered. */
  shutdown(): Promise<void>;
}

export interface ServeOptions {
  readonly hostname: string;
  readonly port: number;
  /** Shares the port with other listeners of this process. */
  readonly reusePort?: boolean;
}

/**
 * Deno's own server on one connection. Not in Deno's public interface, and the only way to its HTTP stack that does not
 * accept connections until the process has no file left and then ends it.
 */
type ServeConnection = (
  connection: Deno.Conn,
  signal: AbortSignal,
  handler: Handler,
  onError: (error: unknown) => Response,
  onListen: () => void,
) => Deno.HttpServer;

const SWEEP_MS = 1_000;
/** When no file is left although connections are below their limit, something else uses them. */
const ACCEPT_AGAIN_MS = 100;
/** The end of an answer may still be on its way when a connection is closed that just became idle. */
const FLUSH_MS = 1_000;
/** Connections that we closed and that still have their file, for there is a moment between. */
const MAX_ENDING = 50;
/** How often the log tells of one and the same trouble. */
const TELL_EVERY_MS = 60_000;

/**
 * Serves HTTP to as many connections as `limits` say, and closes those that do nothing for too long (`Crowd`). While
 * all are busy no more are accepted: they wait in the system's queue.
 */
export function serveCrowd(
  { hostname, port, reusePort = false }: ServeOptions,
  handler: Handler,
  limits: CrowdLimits,
  log: Logger,
): CrowdServer {
  const serveConnection = connectionServer();
  if (serveConnection === null) {
    log.warn("this version of Deno does not let connections be limited: a proxy should do it");
    const options = { hostname, port, reusePort, automaticCompression: true, onListen() {} };
    return Deno.serve(options, handler);
  }
  // Read by Deno for each connection; there is no option for it.
  Deno.env.set("DENO_SERVE_AUTOMATIC_COMPRESSION", "1");
  const listener = Deno.listen({ hostname, port, reusePort });
  const crowd = new Crowd(limits, () => performance.now());
  const servers = new Map<Member, Deno.HttpServer>();
  const bell = new Bell();
  const tell = seldom((message, error) => {
    log.warn(message, { connections: crowd.size, limit: limits.total, error });
  });
  let isStopping = false;

  const serve = (connection: Deno.Conn) => {
    const aborter = new AbortController();
    let cut: ReturnType<typeof setTimeout> | undefined;
    const close = () => {
      if (member?.state !== "idle") return aborter.abort();
      servers.get(member)?.shutdown();
      cut = setTimeout(() => aborter.abort(), FLUSH_MS);
    };
    const member = crowd.admit(hostOf(connection.remoteAddr), close);
    if (member === null) {
      tell("one address has all the connections that it may have");
      connection.close();
      return;
    }
    const end = () => {
      crowd.end(member);
      bell.ring();
      // Deno's own end of a connection would have cut the body that came over it.
      if (isStopping && member.requests === 0) servers.get(member)?.shutdown();
    };
    const answer: Handler = (request, info) => {
      crowd.begin(member);
      info.completed.then(end, end);
      return handler(request, info);
    };
    const server = serveConnection(connection, aborter.signal, answer, failed, () => {});
    servers.set(member, server);
    const leave = () => {
      clearTimeout(cut);
      servers.delete(member);
      crowd.leave(member);
      bell.ring();
    };
    // A connection that breaks is its client's business.
    server.finished.then(leave, leave);
  };

  const hasRoom = () => {
    if (!crowd.hasRoom) tell("all connections are busy: others wait until one ends");
    return crowd.hasRoom && servers.size - crowd.size < MAX_ENDING;
  };

  const acceptAll = async () => {
    while (!isStopping) {
      try {
        const connection = await listener.accept();
        while (!hasRoom() && !isStopping) await bell.rung();
        if (isStopping) connection.close();
        else serve(connection);
      } catch (error) {
        if (isStopping) return;
        tell("cannot accept a connection", error);
        crowd.closeOneResting();
        await new Promise((resolve) => setTimeout(resolve, ACCEPT_AGAIN_MS));
      }
    }
  };

  const sweep = setInterval(() => crowd.closeLate(), SWEEP_MS);
  Deno.unrefTimer(sweep);
  const finished = acceptAll();
  return {
    addr: listener.addr,
    finished,
    async shutdown() {
      isStopping = true;
      listener.close();
      bell.ring();
      await finished;
      for (const member of crowd.resting()) servers.get(member)?.shutdown();
      await Promise.allSettled([...servers.values()].map(({ finished }) => finished));
      clearInterval(sweep);
    },
  };
}

function connectionServer(): ServeConnection | null {
  const { internal } = Deno as unknown as { internal: PropertyKey };
  const internals = Reflect.get(Deno, internal) as { serveHttpOnConnection?: ServeConnection };
  return internals?.serveHttpOnConnection ?? null;
}

function hostOf(address: Deno.Addr): string {
  return "hostname" in address ? address.hostname : "local";
}

/** The handler answers its own errors. */
function failed(): Response {
  return new Response("Watchpost failed to answer.\n", { status: 500 });
}

type Tell = (message: string, error?: unknown) => void;

/** Passes each message on once in a while. */
function seldom(tell: Tell): Tell {
  const last = new Map<string, number>();
  return (message, error) => {
    const now = performance.now();
    if (now - (last.get(message) ?? -Infinity) < TELL_EVERY_MS) return;
    last.set(message, now);
    tell(message, error);
  };
}

/** Wakes one who waits. */
class Bell {
  #wake: (() => void) | null = null;

  rung(): Promise<void> {
    return new Promise((resolve) => this.#wake = resolve);
  }

  ring(): void {
    this.#wake?.();
    this.#wake = null;
  }
}
