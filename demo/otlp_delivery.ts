import type { Delivery } from "./send.ts";
import type { OtlpRequest } from "./traces/otlp_trace.ts";

/** A request of an OpenTelemetry exporter on its way. @param dsn of a server key: others may not send OTLP */
export function otlpDelivery(dsn: string, { signal, body }: OtlpRequest): Delivery {
  const { protocol, host, pathname, username } = new URL(dsn);
  const prefix = pathname.slice(0, pathname.lastIndexOf("/"));
  return {
    url: `${protocol}//${host}${prefix}/v1/${signal}`,
    headers: { authorization: `Bearer ${username}`, "content-type": "application/json" },
    body: () => JSON.stringify(body),
  };
}
