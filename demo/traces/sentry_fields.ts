import { clientOf, countryOf } from "./browsers.ts";
import type { Trace } from "./history.ts";
import { SERVICES } from "./services.ts";
import type { Placed, Segment } from "./placed.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** What a transaction and the errors in it have in common, as fields of an event. */
export function commonFields({ scene, traceId }: Trace, { entry, root }: Segment): Fields {
  const { service, server, http } = entry;
  const { platform, sdk } = SERVICES[service];
  const { person } = scene;
  const page = service === "web" && person !== null ? pageFields(person, root) : null;
  return {
    platform,
    sdk,
    release: scene.release(service),
    environment: scene.environment,
    transaction: root.work.name,
    ...(person !== null && {
      user: { id: String(person), email: `person${person}@example.com` },
    }),
    ...(server !== "" && { server_name: server }),
    ...(http && { request: { method: http.method, url: http.url } }),
    ...(page && { request: page.request }),
    tags: { service, ...page?.tags },
    contexts: {
      ...page?.contexts,
      ...(http && { response: { status_code: http.status } }),
      trace: traceContext(traceId, root),
    },
  };
}

/** What the browser adds. */
function pageFields(person: number, { work }: Placed) {
  const { browser, os, device, agent } = clientOf(person);
  return {
    request: { url: work.data?.["url.full"], headers: { "User-Agent": agent } },
    tags: { "device.family": device, "geo.country_code": countryOf(person) },
    contexts: { browser, os },
  };
}

function traceContext(traceId: string, { work, spanId, parentSpanId }: Placed): Fields {
  return {
    trace_id: traceId,
    span_id: spanId,
    ...(parentSpanId !== null && { parent_span_id: parentSpanId }),
    op: work.op,
    status: work.status ?? "ok",
    data: work.data,
  };
}
