/** When a domain's registration ends, as its registry says (RDAP: RFC 9082, 9083; who is asked: RFC 9224). */
import { parse } from "tldts";
import { z } from "zod";
import { hostOf, type Resolver } from "../../core/addresses.ts";
import { FetchFailure, safeFetch } from "../../core/safe_fetch.ts";
import { DAY_MS } from "../../core/time.ts";

export interface DomainOptions {
  readonly signal?: AbortSignal;
  readonly resolver?: Resolver;
  /** Where the list of registries is. @default IANA's */
  readonly bootstrapUrl?: string;
  /** Registries in private networks too. @default false */
  readonly allowsPrivate?: boolean;
}

const BOOTSTRAP_URL = "https://data.iana.org/rdap/dns.json";
const MAX_BYTES = 1024 * 1024;
const MAX_REDIRECTS = 3;

const Bootstrap = z.object({
  services: z.array(z.tuple([z.array(z.string()), z.array(z.string())])),
});
const Domain = z.object({
  events: z.array(z.object({ eventAction: z.string(), eventDate: z.string() })).default([]),
});

/**
 * The domain that somebody registered for a host: `shop.co.uk` of `www.shop.co.uk`, by the Public Suffix List.
 *
 * @returns null for addresses, names without a dot, and hosts below a suffix of a company's (`me.github.io`): their
 *   registration is nothing that their owner could renew
 */
export function registeredDomain(host: string): string | null {
  const name = hostOf(host);
  if (name === null) return null;
  const { domain, isPrivate } = parse(name, { allowPrivateDomains: true });
  return isPrivate ? null : domain;
}

/**
 * Asks the registry of a host's domain. Never throws.
 *
 * @param host a name, as `shop.example.com`
 * @returns null when the registry has no RDAP, does not answer, or does not tell
 */
export async function domainExpiry(
  host: string,
  options: DomainOptions = {},
): Promise<Date | null> {
  const domain = registeredDomain(host);
  if (domain === null) return null;
  try {
    const servers = await registries(options);
    const base = servers.get(domain.slice(domain.lastIndexOf(".") + 1));
    return base === undefined ? null : expiryOf(await ask(`${base}domain/${domain}`, options));
  } catch (error) {
    if (error instanceof FetchFailure) return null;
    throw error;
  }
}

function expiryOf(found: unknown): Date | null {
  const events = Domain.safeParse(found).data?.events ?? [];
  const event = events.find(({ eventAction }) => eventAction === "expiration");
  const date = new Date(event?.eventDate ?? NaN);
  return Number.isNaN(date.getTime()) ? null : date;
}

type Registries = ReadonlyMap<string, string>;
/** By address of the list: a list changes a few times a month. */
const kept = new Map<string, { readonly until: number; readonly registries: Registries }>();

/** The RDAP server of each top-level domain, with a slash at its end. */
async function registries(options: DomainOptions): Promise<Registries> {
  const { bootstrapUrl = BOOTSTRAP_URL } = options;
  const former = kept.get(bootstrapUrl);
  if (former !== undefined && former.until > Date.now()) return former.registries;
  const { services = [] } = Bootstrap.safeParse(await ask(bootstrapUrl, options)).data ?? {};
  const registries = new Map(services.flatMap(([names, urls]) => {
    const url = urls.find((each) => each.startsWith("https:")) ?? urls[0];
    return url === undefined ? [] : names.map((name) => [name, url.replace(/\/*$/, "/")] as const);
  }));
  // Without an answer an older list is better than none.
  if (registries.size === 0) return former?.registries ?? registries;
  kept.set(bootstrapUrl, { until: Date.now() + DAY_MS, registries });
  return registries;
}

/** The JSON of an answer; null when it is none, or the registry knows nothing. */
async function ask(url: string, options: DomainOptions): Promise<unknown> {
  const { allowsPrivate = false, bootstrapUrl: _, ...rest } = options;
  let next = url;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const { status, headers, text } = await safeFetch(
      {
        url: next,
        method: "GET",
        headers: {
          accept: "application/rdap+json, application/json",
          "accept-encoding": "identity",
        },
      },
      { ...rest, allowsPrivate, maxBytes: MAX_BYTES },
    );
    if (status === 200) return parsed(text);
    const { location } = headers;
    if (status < 300 || status > 399 || location === undefined || !URL.canParse(location, next)) {
      return null;
    }
    next = new URL(location, next).href;
  }
  return null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
