/** Makes the connection of a check: a new one each time, to the address that was judged. */
import net from "node:net";
import tls from "node:tls";
import { readCertificate } from "./certificate.ts";
import { ProbeFailure } from "./failure.ts";
import type { Observation } from "./observation.ts";
import { type JudgedHost, judgeHost, refuseMail, resolveHost } from "./policy.ts";

export interface Place {
  /** As `URL.hostname` has it, without brackets. */
  readonly host: string;
  readonly port: number;
  readonly family: "any" | "4" | "6";
  /** Refused on public hosts' mail ports. */
  readonly refusesMail: boolean;
}

/**
 * Connects to a host by TCP.
 *
 * @returns a socket, which the caller destroys
 * @throws {ProbeFailure} dns, refused, connection, timeout
 */
export async function connect(place: Place, seen: Observation): Promise<net.Socket> {
  const addresses = await findAddresses(place, seen);
  const began = performance.now();
  const deadline = began + seen.connectMs;
  let failure: unknown;
  for (const [tried, address] of addresses.entries()) {
    // Each gets its share of what is left.
    const ms = (deadline - performance.now()) / (addresses.length - tried);
    seen.address = address;
    try {
      const socket = await open(address, place.port, ms, seen);
      seen.spend("connect", began);
      return socket;
    } catch (error) {
      failure = error;
      if (seen.ending.aborted) break;
    }
  }
  throw failure;
}

/** The addresses of a place that may be connected to, in the order to try. */
async function findAddresses(place: Place, seen: Observation): Promise<readonly string[]> {
  const judged = await findHost(place, seen);
  if (place.refusesMail) refuseMail(place.port, judged);
  return ofFamily(judged.addresses, place.family);
}

/**
 * Resolves a host once and judges where it leads.
 *
 * @param port null where there is none
 * @throws {ProbeFailure} dns, refused, timeout
 */
export async function findHost(
  { host, port }: { readonly host: string; readonly port: number | null },
  seen: Observation,
): Promise<JudgedHost> {
  const began = performance.now();
  const addresses = await seen.within(resolveHost(host, seen.resolver));
  if (net.isIP(host) === 0) seen.spend("dns", began);
  const judged = await seen.within(
    judgeHost({ host, port, addresses }, seen.policy, seen.resolver),
  );
  seen.isInternal ||= judged.isInternal;
  return judged;
}

/** @throws {ProbeFailure} when there is none */
export function ofFamily(addresses: readonly string[], family: Place["family"]): string[] {
  const found = addresses.filter((address) =>
    family === "any" || net.isIP(address) === Number(family)
  );
  if (found.length === 0) throw new ProbeFailure("dns", `The host has no IPv${family} address.`);
  return found;
}

async function open(
  address: string,
  port: number,
  ms: number,
  seen: Observation,
): Promise<net.Socket> {
  const socket = net.connect({ host: address, port, autoSelectFamily: false });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.once("connect", resolve);
  socket.on("error", (cause: NodeJS.ErrnoException) => {
    reject(new ProbeFailure("connection", sentenceOf(cause.code), { cause }));
  });
  const timer = setTimeout(() => reject(notInTime("connection was made", seen)), ms);
  try {
    await seen.within(promise);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function sentenceOf(code = "unknown"): string {
  if (code === "ECONNREFUSED") return "The host refuses the connection: nothing listens there.";
  if (code === "EHOSTUNREACH" || code === "ENETUNREACH" || code === "EADDRNOTAVAIL") {
    return "There is no way to the host's network from here.";
  }
  return `The host takes no connection (${code}).`;
}

function notInTime(what: string, { connectMs }: Observation): ProbeFailure {
  return new ProbeFailure("timeout", `Within ${connectMs / 1_000} s no ${what}.`);
}

/**
 * Makes a connection secure, whatever its certificate is, and notes that one: the caller judges by it before anything is
 * sent.
 *
 * @param name host or address that the certificate must be for
 * @param protocols for ALPN
 * @throws {ProbeFailure} tls, timeout
 */
export async function secure(
  socket: net.Socket,
  { name, protocols }: { readonly name: string; readonly protocols: readonly string[] },
  seen: Observation,
): Promise<tls.TLSSocket> {
  const began = performance.now();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const secured = tls.connect({
    socket,
    host: name,
    ...net.isIP(name) === 0 ? { servername: name } : {},
    ...seen.ca === undefined ? {} : { ca: seen.ca },
    ...protocols.length === 0 ? {} : { ALPNProtocols: [...protocols] },
    rejectUnauthorized: false,
  });
  secured.once("secureConnect", resolve);
  secured.on("error", (cause) => reject(noHandshake(cause)));
  secured.once("close", () => reject(noHandshake(new Error("the connection was closed"))));
  const timer = setTimeout(() => reject(notInTime("TLS handshake was made", seen)), seen.connectMs);
  try {
    await seen.within(promise);
  } catch (error) {
    secured.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
  seen.spend("tls", began);
  try {
    seen.certificate = readCertificate(secured, name, seen.at);
  } catch (cause) {
    secured.destroy();
    throw new ProbeFailure("tls", "The certificate cannot be read.", { cause });
  }
  return secured;
}

function noHandshake(cause: Error): ProbeFailure {
  const said = cause.message.replace(/\s+/g, " ").replace(/\.$/, "").slice(0, 200);
  return new ProbeFailure("tls", `No secure connection: ${said}.`, { cause });
}
