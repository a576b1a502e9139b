/** Names, addresses, and which of them belong to the public internet. */
import ipaddr from "ipaddr.js";
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";

/** All addresses of a host name, as the system knows them. */
export type Resolver = (host: string) => Promise<readonly string[]>;

export const systemResolver: Resolver = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);

/** Public by their number, and all the same for guests of a cloud alone: Azure's metadata and DNS. */
const REFUSED_HOSTS: ReadonlySet<string> = new Set(["168.63.129.16"]);
/** What is given out to the public internet; everything else of IPv6 is local, reserved or a tunnel. */
const GLOBAL_UNICAST = ipaddr.parseCIDR("2000::/3");
/** IPv4 addresses behind a translator of the network's: judged by the address inside. */
const NAT64 = ipaddr.parseCIDR("64:ff9b::/96");

/**
 * Whether an address belongs to the public internet: not this machine, its network, a cloud's metadata service or a
 * range that is reserved for something, however it is written.
 *
 * @param text IPv4 or IPv6 address; false for everything else
 */
export function isPublicAddress(text: string): boolean {
  const address = readAddress(text);
  if (address === null) return false;
  if (address.kind() === "ipv4") {
    return address.range() === "unicast" && !REFUSED_HOSTS.has(address.toString());
  }
  return address.match(GLOBAL_UNICAST) && address.range() === "unicast";
}

/** Metadata services outside of the link's own ranges. */
const METADATA: ReadonlySet<string> = new Set([
  "168.63.129.16",
  "100.100.100.200",
  "192.0.0.192",
  "fd00:ec2::254",
  "fd20:ce::254",
]);
const OF_THIS_MACHINE: ReadonlySet<string> = new Set(["loopback", "linkLocal", "unspecified"]);

/** Whether an address is this machine's alone, or one of the services that hand credentials to a cloud's machines. */
export function isOwnOrMetadata(text: string): boolean {
  const address = readAddress(text);
  return address !== null &&
    (OF_THIS_MACHINE.has(address.range()) || METADATA.has(address.toString()));
}

/** One way to write an address: IPv4 that is mapped into IPv6, or behind a translator, as itself. Null for what is none. */
export function plainAddress(text: string): string | null {
  return readAddress(text)?.toString() ?? null;
}

function readAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  if (!ipaddr.isValid(text)) return null;
  const address = ipaddr.process(text);
  if (address.kind() === "ipv4" || !address.match(NAT64)) return address;
  return ipaddr.fromByteArray(address.toByteArray().slice(-4));
}

/** Whether an address lies in a network such as `10.0.0.0/8`. */
export function isInNetwork(text: string, network: string): boolean {
  const address = readAddress(text);
  const [base, bits] = ipaddr.parseCIDR(network);
  return address !== null && address.kind() === base.kind() && address.match(base, bits);
}

/** A network, or one address as a network of its own, in one notation: `10.1.2.3` is `10.1.2.3/32`. Null for what is none. */
export function readNetwork(text: string): string | null {
  if (ipaddr.isValidCIDR(text)) {
    const [address, bits] = ipaddr.parseCIDR(text);
    const mapped = address.kind() === "ipv6" && ipaddr.process(address.toString());
    if (mapped && mapped.kind() === "ipv4") return bits < 96 ? null : `${mapped}/${bits - 96}`;
    return `${address}/${bits}`;
  }
  const address = ipaddr.IPv4.isValidFourPartDecimal(text) || text.includes(":")
    ? readAddress(text)
    : null;
  return address && `${address}/${address.kind() === "ipv4" ? 32 : 128}`;
}

/** A network, or a host with or without a port, that the operator names. */
export type NamedPlace =
  | { readonly network: string }
  | { readonly host: string; readonly port: number | null };

/**
 * Reads one of `10.0.0.0/8`, `db.internal`, `db.internal:5432`, `192.168.1.5`, `[fd00::1]:80`.
 *
 * @returns null when it is none
 */
export function readPlace(text: string): NamedPlace | null {
  if (text.includes("/")) {
    return ipaddr.isValidCIDR(text) ? { network: text } : null;
  }
  const [, bracketed, name, digits] =
    /^(?:\[([\da-f:.]+)\]|([^\s:[\]@?#]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const host = hostOf(isIP(text) === 6 ? text : bracketed ?? name ?? "");
  const port = digits === undefined || isIP(text) === 6 ? null : Number(digits);
  if (host === null || (port !== null && (port < 1 || port > 65_535))) return null;
  return { host, port };
}

/**
 * A host as `URL.hostname` writes it, without brackets and a last dot: `0x7f.1` is `127.0.0.1`.
 *
 * @returns null when it is none
 */
export function hostOf(text: string): string | null {
  const bare = text.replace(/^\[|\]$/g, "");
  if (!/^[^\s/?#@\\%]+$/.test(bare)) return null;
  if (isIP(bare) === 6) return plainAddress(bare);
  const written = `http://${bare}/`;
  if (!URL.canParse(written) || bare.includes(":")) return null;
  return new URL(written).hostname.replace(/\.$/, "") || null;
}
