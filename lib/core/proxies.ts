/** Which machines between a client and us may say where a request comes from, and what they say. */
import { isIP } from "node:net";
import { isInNetwork, plainAddress, readNetwork } from "./addresses.ts";

/**
 * What the operator trusts, as `trust proxy` of Express: how many proxies every request passes (0: none), or the
 * networks that they are in.
 */
export type ProxyTrust = number | readonly string[];

/** More stand in no row that anybody runs: so large a number is a port by mistake. */
const MAX_HOPS = 20;

/**
 * Reads `false` or `0`, `true` or `1` (whoever connects to us), `2`, or `10.0.0.0/8,fd00::1`.
 *
 * @returns null for what is none of them, and for networks that have everybody in them
 */
export function readProxyTrust(text: string): ProxyTrust | null {
  if (text === "false") return 0;
  if (text === "true") return 1;
  if (/^\d+$/.test(text)) return Number(text) <= MAX_HOPS ? Number(text) : null;
  const networks: string[] = [];
  for (const part of text.split(",")) {
    const network = readNetwork(part.trim());
    if (network === null || network.endsWith("/0")) return null;
    networks.push(network);
  }
  return networks;
}

/** Whether whoever holds a connection is a proxy that is trusted. */
export function isTrustedPeer(peer: string, trust: ProxyTrust): boolean {
  return typeof trust === "number" ? trust > 0 : isInOneOf(peer, trust);
}

/**
 * The address of a client. Each proxy adds to the end of `X-Forwarded-For` by whom it was asked, so the header is read
 * from there, as far as those who wrote it are trusted. What a client wrote stands before and is not reached.
 *
 * @param peer who holds the connection
 * @param forwarded text of the header; null when there is none
 */
export function clientOf(peer: string, forwarded: string | null, trust: ProxyTrust): string {
  if (trust === 0 || forwarded === null) return peer;
  let client = peer;
  let hops = 0;
  for (const told of forwarded.split(",").reverse()) {
    if (typeof trust === "number" ? hops === trust : !isInOneOf(client, trust)) break;
    const address = addressIn(told);
    // Hidden (`unknown`) or broken: whoever wrote it is the last of whom anything is known.
    if (address === null) break;
    client = address;
    hops++;
  }
  return client;
}

/** Some proxies add the port: `192.0.2.7:4711`, `[2001:db8::7]:4711`. */
function addressIn(entry: string): string | null {
  const text = entry.trim();
  const [, bracketed, plain] = /^(?:\[([^\]]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?$/.exec(text) ?? [];
  const address = bracketed ?? plain ?? text;
  return isIP(address) === 0 ? null : plainAddress(address);
}

function isInOneOf(address: string, networks: readonly string[]): boolean {
  return networks.some((network) => isInNetwork(address, network));
}
