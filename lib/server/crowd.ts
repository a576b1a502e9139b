import { pause } from "../core/waiting.ts";
import ipaddr from "ipaddr.js";
import type { Logger } from "../core/log.ts";
import { isTrustedPeer, type ProxyTrust } from "../core/proxies.ts";
import type { Identity } from "./certificate.ts";

type Handler = (request: Request, info: Deno.ServeHandlerInfo) => Response | Promise<Response>;

/** As much of `Deno.HttpServer` as we use. */
export interface CrowdServer {
  readonly addr: Deno.NetAddr;
  /**
   * Greets new connections with another certificate; those that are there go on.
   *
   * @throws {Error} when it cannot be used: then the former one stays
   */
  renew(identity: Identity): Promise<void>;
  /** Accepts no more, and resolves when all requests that are here have been answered. */
  shutdown(): Promise<void>;
}

interface ServeOptions {
  readonly hostname: string;
  readonly port: number;
  /** Shares the port with other listeners of this process. */
  readonly reusePort?: boolean;
  /** Speaks TLS, HTTP/2 included; absent or null: plain HTTP. */
  readonly identity?: Identity | null;
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

/** `serve.ts` puts its own in the place of this one. */
const denoServe = Deno.serve;
const SWEEP_MS = 1_000;
/** When no file is left although connections are below their limit, something else uses them. */
const ACCEPT_AGAIN_MS = 100;
/** The end of an answer may still be on its way when a connection is closed that just became idle. */
const FLUSH_MS = 1_000;
/** Connections that we closed and that still have their file, for there is a moment between. */
const MAX_ENDING = 50;
/** At most so long two certificates are in use. */
const HAND_OVER_MS = 1_000;
/** How often the log tells of one and the same trouble. */
const TELL_EVERY_MS = 60_000;

/**
 * Serves HTTP to as many connections as `limits` say, and closes those that do nothing for too long (`Crowd`). While
 * all are busy no more are accepted: they wait in the system's queue.
 */
export function serveCrowd(
  { hostname, port, reusePort = false, identity = null }: ServeOptions,
  handler: Handler,
  limits: CrowdLimits,
  log: Logger,
): CrowdServer {
  const serveConnection = connectionServer();
  if (serveConnection === null) {
    log.warn("this version of Deno does not let connections be limited: a proxy should do it");
    const options = { hostname, port, reusePort, automaticCompression: true, onListen() {} };
    const server = denoServe({ ...options, ...identity }, handler);
    return Object.assign(server, {
      renew: () => Promise.reject(new Error("this version of Deno needs a new start for that")),
    });
  }
  // Read by Deno for each connection; there is no option for it.
  Deno.env.set("DENO_SERVE_AUTOMATIC_COMPRESSION", "1");
  let listener = listen({ hostname, port, reusePort, identity });
  const { addr } = listener;
  const crowd = new Crowd(limits, () => performance.now());
  const servers = new Map<Member, Promise<void>>();
  const bell = new Bell();
  const tell = seldom((message, error) => {
    log.warn(message, { connections: crowd.size, limit: limits.total, error });
  });
  let isStopping = false;

  const serve = (connection: Deno.Conn) => {
    const aborter = new AbortController();
    /** Deno takes an abort after that for an error, which would end the process. */
    let isEnding = false;
    const shutdown = async () => {
      isEnding = true;
      // A connection that breaks is its client's business.
      await server.shutdown().catch(() => {});
    };
    const close = () => {
      if (isEnding) return;
      const hasRested = performance.now() - (member?.since ?? 0) > FLUSH_MS;
      if (member?.state === "idle" && !hasRested) return void shutdown();
      isEnding = true;
      aborter.abort();
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
      if (isStopping && member.requests === 0) void shutdown();
    };
    const answer: Handler = (request, info) => {
      crowd.begin(member);
      info.completed.then(end, end);
      return handler(request, info);
    };
    const server = serveConnection(connection, aborter.signal, answer, failed, () => {});
    // What Deno has of a connection that breaks, as by a failed handshake, stays until somebody closes it.
    const finished = server.finished.finally(() => isEnding = true).catch(() => server.shutdown());
    servers.set(member, finished);
    const leave = () => {
      servers.delete(member);
      crowd.leave(member);
      bell.ring();
    };
    finished.then(leave, leave);
  };

  const hasRoom = () => {
    if (!crowd.hasRoom) tell("all connections are busy: others wait until one ends");
    return crowd.hasRoom && servers.size - crowd.size < MAX_ENDING;
  };

  let accepted = 0;
  const closed = new WeakSet<Deno.Listener>();
  const acceptAll = async (from: Deno.Listener) => {
    while (!isStopping && !closed.has(from)) {
      try {
        const connection = await from.accept();
        accepted++;
        while (!hasRoom() && !isStopping) await bell.rung();
        if (isStopping) connection.close();
        else serve(connection);
      } catch (error) {
        if (isStopping || closed.has(from)) return;
        tell("cannot accept a connection", error);
        crowd.closeOneResting();
        await pause(ACCEPT_AGAIN_MS);
      }
    }
  };

  const sweep = setInterval(() => crowd.closeLate(), SWEEP_MS);
  Deno.unrefTimer(sweep);
  let accepting = acceptAll(listener);
  let ended: Promise<void> | null = null;
  const shutDown = async () => {
    isStopping = true;
    listener.close();
    bell.ring();
    await accepting;
    for (const member of crowd.resting()) member.close();
    await Promise.allSettled(servers.values());
    clearInterval(sweep);
  };
  return {
    addr,
    async renew(identity) {
      if (isStopping) return;
      const [former, formerly] = [listener, accepting];
      listener = listen({ hostname, port: addr.port, reusePort: true, identity });
      accepting = acceptAll(listener);
      // Whoever has come to the former one must not be sent away with it.
      const deadline = performance.now() + HAND_OVER_MS;
      for (let seen = -1; seen !== accepted && performance.now() < deadline;) {
        seen = accepted;
        await pause(0);
      }
      closed.add(former);
      former.close();
      // Only then the system sends nobody there any more.
      await formerly;
    },
    // `deno serve` asks for it as well when the process is told to end.
    shutdown: () => ended ??= shutDown(),
  };
}

function listen(
  { hostname, port, reusePort = false, identity = null }: ServeOptions,
): Deno.Listener<Deno.TcpConn | Deno.TlsConn, Deno.NetAddr> {
  if (identity === null) return Deno.listen({ hostname, port, reusePort });
  // A second one takes over when the certificate changes.
  const options: Deno.ListenTlsOptions & { reusePort: boolean } = {
    hostname,
    port,
    reusePort: true,
    alpnProtocols: ["h2", "http/1.1"],
  };
  return Deno.listenTls({ ...options, ...identity });
}

function connectionServer(): ServeConnection | null {
  const internal: PropertyKey = Reflect.get(Deno, "internal");
  const internals: { serveHttpOnConnection?: ServeConnection } | undefined = Reflect.get(
    Deno,
    internal,
  );
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

/** Wakes all who wait. */
class Bell {
  #next = Promise.withResolvers<void>();

  rung(): Promise<void> {
    return this.#next.promise;
  }

  ring(): void {
    this.#next.resolve();
    this.#next = Promise.withResolvers();
  }
}

/** How long a connection may be in each state before it is closed. */
export const STATE_LIMITS_MS = {
  /** Accepted, and the head of its first request is not here yet. */
  new: 10_000,
  /** Between two requests, until the whole head of the next. */
  idle: 60_000,
  /** A request is being answered. Streams end by themselves after five minutes. */
  busy: 15 * 60_000,
} as const;

type State = keyof typeof STATE_LIMITS_MS;

/** How many connections there may be. */
interface CrowdLimits {
  readonly total: number;
  readonly perAddress: number;
  /** Whose connections carry the requests of many: only the total limits them. @default nobody's */
  readonly proxies?: ProxyTrust;
}

/** A third is left to stores, which open a file for some of the requests that are being answered. */
const SHARE_OF_FILES = 2 / 3;
/** An idle connection takes about 10 KB. */
const MAX_TOTAL = 16_000;
const MIN_TOTAL = 50;
/** Enough for an office behind one address, or a load generator; three more such can be served beside it. */
const SHARE_OF_ADDRESS = 1 / 4;

/**
 * How many connections a process takes that may open so many files.
 *
 * @param files open files that the process may have
 * @param proxies `Config.trustProxy`: behind them, addresses of connections tell nothing
 * @param processes how many listeners share the files
 */
export function crowdLimits(files: number, proxies: ProxyTrust, processes = 1): CrowdLimits {
  const share = Math.floor(files * SHARE_OF_FILES / processes);
  const total = Math.max(MIN_TOTAL, Math.min(MAX_TOTAL, share));
  return { total, perAddress: Math.ceil(total * SHARE_OF_ADDRESS), proxies };
}

/** A connection among others. */
export interface Member {
  readonly address: string;
  state: State;
  since: number;
  requests: number;
  readonly close: () => void;
}

/**
 * The connections of a server: how many, from where, and how long each has been doing what it does. Where there is no
 * room, the one that has rested longest goes.
 */
export class Crowd {
  /** By state, each in the order in which they came into it. */
  readonly #members = { new: new Set<Member>(), idle: new Set<Member>(), busy: new Set<Member>() };
  readonly #addresses = new Map<string, Set<Member>>();

  constructor(private readonly limits: CrowdLimits, private readonly now: () => number) {}

  get size(): number {
    const { new: fresh, idle, busy } = this.#members;
    return fresh.size + idle.size + busy.size;
  }

  /** Whether one more can be admitted, if need be in place of one that rests. */
  get hasRoom(): boolean {
    return this.#members.busy.size < this.limits.total;
  }

  /**
   * Takes a connection in.
   *
   * @param close ends the connection; called at most once
   * @returns null when all that its address may have are busy, or all that there may be
   */
  admit(remote: string, close: () => void): Member | null {
    const address = networkOf(remote);
    const neighbours = this.#addresses.get(address);
    const { total, perAddress, proxies = 0 } = this.limits;
    const limit = isTrustedPeer(remote, proxies) ? total : perAddress;
    if (neighbours !== undefined && neighbours.size >= limit) {
      if (!this.#closeFirst(neighbours)) return null;
    } else if (this.size >= total && !this.closeOneResting()) return null;
    const member: Member = { address, state: "new", since: this.now(), requests: 0, close };
    this.#members.new.add(member);
    this.#neighbours(address).add(member);
    return member;
  }

  /** A request of this connection is here. */
  begin(member: Member): void {
    if (member.requests++ === 0) this.#enter(member, "busy");
  }

  /** A request of this connection is answered. */
  end(member: Member): void {
    if (--member.requests === 0) this.#enter(member, "idle");
  }

  /** Forgets a connection that ended. */
  leave(member: Member): void {
    this.#members[member.state].delete(member);
    const neighbours = this.#addresses.get(member.address);
    neighbours?.delete(member);
    if (neighbours?.size === 0) this.#addresses.delete(member.address);
  }

  /** Closes what has been in its state for too long. */
  closeLate(): void {
    const now = this.now();
    for (const [state, limitMs] of Object.entries(STATE_LIMITS_MS)) {
      for (const member of this.#members[state as State]) {
        if (now - member.since < limitMs) break;
        this.#close(member);
      }
    }
  }

  /** Closes the one that has rested longest. @returns false when all are busy */
  closeOneResting(): boolean {
    const [fresh] = this.#members.new;
    const [idle] = this.#members.idle;
    const longest = fresh !== undefined && (idle === undefined || fresh.since < idle.since)
      ? fresh
      : idle;
    if (longest === undefined) return false;
    this.#close(longest);
    return true;
  }

  /** Everybody who has no request. */
  resting(): Member[] {
    return [...this.#members.new, ...this.#members.idle];
  }

  /** Of one address: those are in the order of their last change, so the first that rests has rested longest. */
  #closeFirst(neighbours: ReadonlySet<Member>): boolean {
    for (const member of neighbours) {
      if (member.state === "busy") continue;
      this.#close(member);
      return true;
    }
    return false;
  }

  #close(member: Member): void {
    this.leave(member);
    member.close();
  }

  #enter(member: Member, state: State): void {
    // One that was closed meanwhile stays out.
    if (!this.#members[member.state].delete(member)) return;
    member.state = state;
    member.since = this.now();
    this.#members[state].add(member);
    const neighbours = this.#neighbours(member.address);
    neighbours.delete(member);
    neighbours.add(member);
  }

  #neighbours(address: string): Set<Member> {
    let neighbours = this.#addresses.get(address);
    if (neighbours === undefined) this.#addresses.set(address, neighbours = new Set());
    return neighbours;
  }
}

/** Whoever has an IPv6 address has 2⁶⁴ of them. */
function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  const parsed = ipaddr.process(address);
  return "parts" in parsed ? parsed.parts.slice(0, 4).join(":") : parsed.toString();
}
