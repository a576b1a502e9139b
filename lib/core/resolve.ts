import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { FetchFailure } from "./fetch_failure.ts";
import { isPublicAddress } from "./public_address.ts";

/** All addresses of a host name, as the system knows them. */
export type Resolver = (host: string) => Promise<readonly string[]>;

export const systemResolver: Resolver = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);

/**
 * The addresses that may be connected to for a host, IPv4 first.
 *
 * @param host as `URL.hostname` has it: a name or an address
 * @param options.allowsPrivate also those that are not public
 * @throws {FetchFailure} when the name is not known, or any of its addresses is not public
 */
export async function resolveHost(
  host: string,
  { resolver, allowsPrivate }: { readonly resolver: Resolver; readonly allowsPrivate: boolean },
): Promise<readonly string[]> {
  const bare = host.replace(/^\[|\]$/g, "");
  const addresses = isIP(bare) !== 0 ? [bare] : await ask(resolver, bare);
  if (!allowsPrivate && !addresses.every(isPublicAddress)) {
    throw new FetchFailure(
      "private_address",
      "The address leads into a private or reserved network, which the operator of this instance has not allowed (SERVICE_ALLOW_PRIVATE_WEBHOOKS).",
    );
  }
  return addresses.toSorted((a, b) => isIP(a) - isIP(b));
}

async function ask(resolver: Resolver, host: string): Promise<readonly string[]> {
  try {
    const addresses = await resolver(host);
    if (addresses.length > 0) return addresses;
  } catch (error) {
    throw new FetchFailure("unknown_host", "The name of the host cannot be resolved.", {
      cause: error,
    });
  }
  throw new FetchFailure("unknown_host", "The host has no address.");
}
