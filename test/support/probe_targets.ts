/** Servers to check, on the loopback, and checks of them. */
import type { Resolver } from "@/lib/core/addresses.ts";
import { probe, type ProbeOptions, type ProbeResult } from "@/lib/monitors/probes/probe.ts";
import { checkTarget, type Target } from "@/lib/monitors/probes/target.ts";
import http from "node:http";
import http2 from "node:http2";
import https from "node:https";
import net, { type AddressInfo } from "node:net";
import tls from "node:tls";
import type { Identity } from "./test_authority.ts";

/** Loopback is allowed as literally as it has to be. */
export const LOCAL: ProbeOptions["policy"] = {
  allowed: [{ host: "127.0.0.1", port: null }],
  stores: [],
};
export const NOWHERE: ProbeOptions["policy"] = { allowed: [], stores: [] };

/** A resolver that gives these answers, one after the other. */
export function answering(
  ...answers: (readonly string[])[]
): Resolver & { readonly asked: string[] } {
  const asked: string[] = [];
  const resolver = (host: string) => {
    asked.push(host);
    return Promise.resolve(answers[asked.length - 1] ?? answers.at(-1) ?? []);
  };
  return Object.assign(resolver, { asked });
}

/** A target as people enter it. @throws when it is none */
export function target(input: Record<string, unknown>): Target {
  const checked = checkTarget(input);
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
  return checked.target;
}

/** Checks a target with names that all lead to the loopback. */
export function look(
  input: Record<string, unknown>,
  options: Partial<ProbeOptions> = {},
): Promise<ProbeResult> {
  return probe(target(input), {
    policy: LOCAL,
    resolver: answering(["127.0.0.1"]),
    ...options,
  });
}

export interface LocalServer extends AsyncDisposable {
  readonly port: number;
  /** Connections that were made. */
  readonly connections: number;
}

interface Listener extends net.Server {
  closeAllConnections?(): void;
}

export async function listening(server: net.Server): Promise<LocalServer> {
  const sockets = new Set<net.Socket>();
  let connections = 0;
  server.on("connection", (socket: net.Socket) => {
    connections++;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections;
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      (server as Listener).closeAllConnections?.();
      sockets.forEach((socket) => socket.destroy());
      await closed;
    },
  };
}

export function httpServer(answer: http.RequestListener): Promise<LocalServer> {
  return listening(http.createServer(answer));
}

export function httpsServer(
  identity: Identity,
  answer: http.RequestListener,
): Promise<LocalServer> {
  return listening(https.createServer({ ...identity }, answer));
}

export function http2Server(
  identity: Identity,
  answer: (request: http2.Http2ServerRequest, response: http2.Http2ServerResponse) => void,
): Promise<LocalServer> {
  return listening(http2.createSecureServer({ ...identity }, answer));
}

export function tlsServer(identity: Identity): Promise<LocalServer> {
  return listening(
    tls.createServer({ ...identity }, (socket) => void socket.on("error", () => {})),
  );
}

/** Speaks bytes. */
export function tcpServer(speak: (socket: net.Socket) => void): Promise<LocalServer> {
  return listening(net.createServer(speak));
}
