/** Work as Sentry's SDKs for Node and Python tell of it. */
import type { ServiceName } from "./services.ts";
import type { Attributes, Served, Work } from "./work.ts";

/** A statement in the shop's database. */
export function query(statement: string, ms: number, more: Partial<Work> = {}): Work {
  return {
    name: statement,
    op: "db",
    ms,
    data: {
      "db.system": "postgresql",
      "db.name": "shop",
      "server.address": "db.shop.internal",
      "server.port": 5432,
    },
    ...more,
  };
}

/** A look into the cache. */
export function lookUp(key: string, isHit: boolean, ms: number): Work {
  return {
    name: key,
    op: "cache.get",
    ms,
    data: {
      "cache.key": [key],
      "cache.hit": isHit,
      "db.system": "redis",
      "network.peer.address": "cache.shop.internal",
    },
  };
}

/** What is kept for the next time. */
export function keep(key: string, ms: number): Work {
  return { name: key, op: "cache.put", ms, data: { "cache.key": [key], "db.system": "redis" } };
}

/** A request to another service, or to one that tells nothing of it. */
export function call(
  { method, url, status }: Pick<Served, "method" | "url" | "status">,
  ms: number,
  parts: readonly Work[] = [],
): Work {
  const { host } = new URL(url);
  return {
    name: `${method} ${url}`,
    op: "http.client",
    kind: "client",
    ms,
    parts,
    data: {
      "http.request.method": method,
      "url.full": url,
      "server.address": host,
      "http.response.status_code": status,
    },
    status: status >= 500 ? "internal_error" : "ok",
  };
}

/** A request that another service answers: the time on the wire around its own. */
export function callOf(served: Work, ms: number): Work {
  if (served.entry?.http === undefined) throw new TypeError(`${served.name} is no endpoint`);
  return call(served.entry.http, ms, [served]);
}

/** A request that one of the shop's services answers. */
export function answer(
  service: ServiceName,
  server: string,
  http: Served,
  work: Pick<Work, "ms" | "parts" | "thrown" | "data" | "logs">,
): Work {
  const data: Attributes = {
    "http.request.method": http.method,
    "http.route": http.route,
    "http.response.status_code": http.status,
    "url.full": http.url,
    ...work.data,
  };
  return {
    name: `${http.method} ${http.route}`,
    op: "http.server",
    kind: "server",
    ...work,
    data,
    status: http.status >= 500 ? "internal_error" : http.status === 404 ? "not_found" : "ok",
    entry: { service, server, http },
  };
}
