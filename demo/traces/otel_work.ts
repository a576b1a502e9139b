/** Work as OpenTelemetry's Java agent tells of it. */
import type { Attributes, Served, Work } from "./work.ts";

/** A statement in the database of the orders. */
export function statement(text: string, ms: number, more: Partial<Work> = {}): Work {
  const [operation = ""] = text.split(" ", 1);
  const [, table = ""] = /\b(?:FROM|INTO|UPDATE) (\w+)/.exec(text) ?? [];
  return {
    name: `${operation} orders.${table}`,
    kind: "client",
    ms,
    data: {
      "db.system.name": "postgresql",
      "db.namespace": "orders",
      "db.query.text": text,
      "db.operation.name": operation,
      "db.collection.name": table,
      "server.address": "orders-db.shop.internal",
      "server.port": 5432,
    },
    ...more,
  };
}

/** A request to another service. */
export function request(
  { method, url, status }: Pick<Served, "method" | "url" | "status">,
  ms: number,
  parts: readonly Work[] = [],
): Work {
  return {
    name: method,
    kind: "client",
    ms,
    parts,
    data: {
      "http.request.method": method,
      "url.full": url,
      "server.address": new URL(url).hostname,
      "http.response.status_code": status,
    },
    status: status >= 400 ? "internal_error" : "ok",
  };
}

/** A request that the service answers. */
export function respond(
  http: Served,
  work: Pick<Work, "ms" | "parts" | "logs" | "thrown">,
  data: Attributes = {},
): Work {
  const { host, pathname, protocol } = new URL(http.url);
  return {
    name: `${http.method} ${http.route}`,
    kind: "server",
    ...work,
    data: {
      "http.request.method": http.method,
      "http.route": http.route,
      "http.response.status_code": http.status,
      "url.path": pathname,
      "url.scheme": protocol.replace(":", ""),
      "server.address": host,
      "network.protocol.version": "1.1",
      ...data,
    },
    status: http.status >= 500 ? "internal_error" : "ok",
    entry: { service: "orders", server: "orders-api-1", http },
  };
}

/** A message put into a queue, and what its consumer does with it. */
export function publish(queue: string, ms: number, consumer: Work): Work {
  return { ...messaging(queue, "send", "producer"), ms, parts: [consumer] };
}

/** What a worker does with a message, some time after it was put into the queue. */
export function consume(
  queue: string,
  work: Pick<Work, "ms" | "parts" | "laterMs" | "logs" | "status" | "thrown">,
): Work {
  const entry = { service: "orders", server: "orders-worker-1" } as const;
  return { ...messaging(queue, "process", "consumer"), ...work, entry };
}

function messaging(queue: string, type: "send" | "process", kind: "producer" | "consumer") {
  return {
    name: `${type} ${queue}`,
    kind,
    data: {
      "messaging.system": "rabbitmq",
      "messaging.destination.name": queue,
      "messaging.operation.type": type,
      "messaging.operation.name": type === "send" ? "publish" : "process",
    },
  };
}
