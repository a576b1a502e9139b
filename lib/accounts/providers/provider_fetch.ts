/** Requests to providers: guarded as those to all addresses that people enter, and small. */
import { isIP } from "node:net";
import {
  hostOf,
  isInNetwork,
  isPublicAddress,
  type NamedPlace,
  plainAddress,
  type Resolver,
  systemResolver,
} from "../../core/addresses.ts";
import type { Config } from "../../core/config.ts";
import { FetchFailure, safeFetch } from "../../core/safe_fetch.ts";

/** A discovery document has 5 KB, a token with 500 groups 30 KB. */
const MAX_BYTES = 512 * 1024;
/** Somebody looks at a blank page meanwhile. */
const TIMEOUT_MS = 8_000;

/** The provider gave no answer that can be used; `message` is for the log and the administrator. */
export class ProviderFailure extends Error {
  override name = "ProviderFailure";
}

type SignInConfig = Pick<Config, "signInAllow">;

/**
 * A `fetch` for a library: GET and POST, bodies of text.
 *
 * @throws {ProviderFailure} when there is no answer, or it is too large
 */
export function providerFetch(config: SignInConfig, resolver: Resolver = systemResolver) {
  return async (
    address: string | URL,
    init: {
      readonly method?: string;
      readonly headers?: HeadersInit;
      readonly body?: unknown;
      readonly signal?: AbortSignal | null | undefined;
    } = {},
  ): Promise<Response> => {
    const url = new URL(address);
    const judged = await judge(url, config.signInAllow, resolver);
    try {
      const { status, headers, text } = await safeFetch({
        url: url.href,
        method: init.method === "POST" ? "POST" : "GET",
        headers: {
          "user-agent": "Watchpost",
          ...Object.fromEntries(new Headers(init.headers)),
        },
        ...init.body === undefined || init.body === null ? {} : { body: String(init.body) },
      }, {
        ...judged,
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_BYTES,
        ...init.signal ? { signal: init.signal } : {},
      });
      refuseLarge(url, text);
      const type = headers["content-type"] ?? "application/octet-stream";
      const isEmpty = status === 204 || status === 304;
      return new Response(isEmpty ? null : text, { status, headers: { "content-type": type } });
    } catch (error) {
      if (!(error instanceof FetchFailure)) throw error;
      throw new ProviderFailure(`${url.host}: ${reasonOf(error)}`, { cause: error });
    }
  };
}

/** A body that was cut is as long as the limit, but for a last character that was cut in two. */
function refuseLarge(url: URL, text: string): void {
  if (new TextEncoder().encode(text).length < MAX_BYTES - 3) return;
  throw new ProviderFailure(
    `${url.host}: The answer has more than ${
      MAX_BYTES / 1024
    } KiB. Does it list thousands of groups?`,
  );
}

function reasonOf({ problem, message }: FetchFailure): string {
  if (problem !== "private_address") return message;
  return "The address leads into a private or reserved network, which the operator of this instance has not allowed (SERVICE_SIGN_IN_ALLOW).";
}

/** Whether an address may be private; its addresses are asked for once, so that those judged are those used. */
async function judge(
  url: URL,
  allowed: readonly NamedPlace[],
  resolver: Resolver,
): Promise<{ allowsPrivate: boolean; resolver: Resolver }> {
  if (isNamed(url, allowed)) return { allowsPrivate: true, resolver };
  if (url.protocol !== "https:") {
    throw new ProviderFailure(
      `${url.host}: Plain http:// is allowed for hosts that SERVICE_SIGN_IN_ALLOW names only.`,
    );
  }
  const networks = allowed.flatMap((place) => "network" in place ? [place.network] : []);
  if (networks.length === 0) return { allowsPrivate: false, resolver };
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const addresses = isIP(host) === 0 ? await resolver(host).catch(() => []) : [host];
  const allowsPrivate = addresses.every((address) =>
    isPublicAddress(address) || networks.some((network) => isInNetwork(address, network))
  );
  return { allowsPrivate, resolver: () => Promise.resolve(addresses) };
}

/** Whether the operator names this very host: then also plain HTTP is right. */
export function isNamed(url: URL, allowed: readonly NamedPlace[]): boolean {
  const host = hostOf(url.hostname) ?? url.hostname;
  const port = Number(url.port) || (url.protocol === "https:" ? 443 : 80);
  return allowed.some((place) =>
    "host" in place && (place.port === null || place.port === port) &&
    (place.host === host || place.host === plainAddress(host))
  );
}
