import type { Delivery } from "../send.ts";

/** A profile that a service of the shop uploads. */
export interface Upload {
  /** Of the address: `service` and what else is known. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Gzip-compressed pprof. */
  body(): Uint8Array<ArrayBuffer>;
}

/** An upload on its way. @param dsn of a server key: others may not send profiles */
export function uploadDelivery(dsn: string, { parameters, body }: Upload): Delivery {
  const { protocol, host, pathname, username } = new URL(dsn);
  const prefix = pathname.slice(0, pathname.lastIndexOf("/"));
  const query = new URLSearchParams(parameters);
  return {
    url: `${protocol}//${host}${prefix}/api/v1/profiles/pprof?${query}`,
    headers: { authorization: `Bearer ${username}`, "content-type": "application/octet-stream" },
    body,
  };
}

/** Nanoseconds since 1970. */
export function nanosOf(at: Date): bigint {
  return BigInt(at.getTime()) * 1_000_000n;
}
