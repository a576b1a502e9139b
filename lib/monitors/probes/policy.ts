/**
 * Which hosts a check may reach. A check is a request of a tenant's from our machine, answered with status, time and
 * text: without a rule, a scanner of our network.
 */
import { isIP } from "node:net";
import {
  hostOf,
  isInNetwork,
  isOwnOrMetadata,
  isPublicAddress,
  type NamedPlace,
  plainAddress,
  type Resolver,
} from "../../core/addresses.ts";
import type { Config } from "../../core/config.ts";
import { ProbeFailure } from "./failure.ts";

/** Plain data, so that it can be handed to a Worker. */
export interface AddressPolicy {
  /** What the operator lets in beyond the public internet (`SERVICE_MONITOR_ALLOW`). */
  readonly allowed: readonly NamedPlace[];
  /** Where our own stores are: never checked unless `allowed` names them as a host. */
  readonly stores: readonly HostAndPort[];
}

interface HostAndPort {
  /** As `URL.hostname` has it, without brackets. */
  readonly host: string;
  readonly port: number;
}

/** The policy of an instance, by its settings. */
export function addressPolicy(
  { monitorAllow, databaseUrl, kvUrl, s3 }: Pick<
    Config,
    "monitorAllow" | "databaseUrl" | "kvUrl" | "s3"
  >,
): AddressPolicy {
  const stores = [databaseUrl, kvUrl, s3?.endpoint ?? null].flatMap((address) =>
    address === null ? [] : storeOf(address)
  );
  return { allowed: monitorAllow, stores };
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  "postgres:": 5432,
  "postgresql:": 5432,
  "http:": 80,
  "https:": 443,
};

function storeOf(address: string): HostAndPort[] {
  const { protocol, hostname, port } = new URL(address);
  const host = hostOf(hostname);
  return host === null ? [] : [{ host, port: Number(port) || (DEFAULT_PORTS[protocol] ?? 0) }];
}

export interface JudgedHost {
  /** All of them may be connected to, IPv4 first. */
  readonly addresses: readonly string[];
  /** Not of the public internet: little of what it answers is shown. */
  readonly isInternal: boolean;
}

/**
 * All addresses of a host.
 *
 * @param host a name or an address
 * @throws {ProbeFailure} `dns` when it has none
 */
export async function resolveHost(host: string, resolver: Resolver): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host];
  let addresses: readonly string[];
  try {
    addresses = await resolver(host);
  } catch (cause) {
    throw new ProbeFailure("dns", "The name of the host cannot be resolved.", { cause });
  }
  if (addresses.length === 0) throw new ProbeFailure("dns", "The host has no address.");
  return addresses;
}

/**
 * Judges all addresses of a host.
 *
 * @param place.port null where there is none, as of a ping
 * @throws {ProbeFailure} `refused` when one of them may not be reached
 */
export async function judgeHost(
  { host, port, addresses }: {
    readonly host: string;
    readonly port: number | null;
    readonly addresses: readonly string[];
  },
  policy: AddressPolicy,
  resolver: Resolver,
): Promise<JudgedHost> {
  const bare = hostOf(host) ?? host;
  const isStore = await storeTest({ host: bare, port, addresses }, policy, resolver);
  for (const address of addresses) {
    if (!isAllowed({ host: bare, port, address, isStore: isStore(address) }, policy)) {
      throw new ProbeFailure(
        "refused",
        "The address leads into a private or reserved network, or to this service's own stores, which the operator of this instance has not allowed for monitors (SERVICE_MONITOR_ALLOW).",
      );
    }
  }
  return {
    addresses: addresses.toSorted((a, b) => isIP(a) - isIP(b)),
    isInternal: !addresses.every(isPublicAddress),
  };
}

interface Candidate {
  readonly host: string;
  readonly port: number | null;
  readonly address: string;
  readonly isStore: boolean;
}

function isAllowed({ host, port, address, isStore }: Candidate, policy: AddressPolicy): boolean {
  const isOwn = isOwnOrMetadata(address);
  // Whoever owns a name's zone says where it leads: a name opens our network, and only the address itself this machine.
  const isNamed = policy.allowed.some((place) =>
    "host" in place && (place.port === null || place.port === port) &&
    (place.host === plainAddress(address) ||
      place.host === host && (!isOwn || host === "localhost"))
  );
  if (isNamed) return true;
  if (isStore || isOwn) return false;
  return isPublicAddress(address) ||
    policy.allowed.some((place) => "network" in place && isInNetwork(address, place.network));
}

/** A content network serves many sites from one address: there, a store is known by its name alone. */
const WEB_PORTS: ReadonlySet<number> = new Set([80, 443]);

/** Whether an address is one of our stores', by name or by where that name leads at the moment. */
async function storeTest(
  { host, port, addresses }: {
    readonly host: string;
    readonly port: number | null;
    readonly addresses: readonly string[];
  },
  { stores }: AddressPolicy,
  resolver: Resolver,
): Promise<(address: string) => boolean> {
  const near = stores.filter((store) => store.port === port);
  if (near.some((store) => store.host === host)) return () => true;
  const isOfWeb = (address: string) => WEB_PORTS.has(port ?? 0) && isPublicAddress(address);
  if (addresses.every(isOfWeb)) return () => false;
  const found = await Promise.all(
    near.map((store) =>
      isIP(store.host) === 0 ? resolver(store.host).catch(() => []) : [store.host]
    ),
  );
  const taken = new Set(found.flat().map(plainAddress));
  return (address) => taken.has(plainAddress(address)) && !isOfWeb(address);
}

/** Mail servers take what is sent to them for the sender's: none of a stranger's is spoken to. */
const MAIL_PORTS: ReadonlySet<number> = new Set([25, 465, 587]);

/** @throws {ProbeFailure} `refused` for the mail ports of public hosts */
export function refuseMail(port: number, { isInternal }: JudgedHost): void {
  if (isInternal || !MAIL_PORTS.has(port)) return;
  throw new ProbeFailure(
    "refused",
    "Mail ports (25, 465, 587) of public hosts are not checked by this kind of monitor.",
  );
}
