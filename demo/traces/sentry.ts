/** Traces as Sentry's SDKs send them: an envelope for each transaction, and for each error in it. */
import type { Envelope, Item } from "../send.ts";
import { clientOf, countryOf } from "./storefront.ts";
import type { Trace } from "./history.ts";
import {
  type Attribute,
  type Attributes,
  type Frame,
  linesOf,
  type Placed,
  type Segment,
  type Served,
  type Thrown,
  type Work,
} from "./scene.ts";
import { type ServiceName, SERVICES } from "./services.ts";

/** The envelopes of one service's part in a trace, and the error events among them. */
export interface SentryPart {
  readonly transaction: Envelope;
  /** What was thrown, as events that go in envelopes of their own. */
  readonly errors: readonly Record<string, unknown>[];
}

/** What a service with one of Sentry's SDKs sends of its part in a trace. */
export function sentryPart(trace: Trace, segment: Segment): SentryPart {
  const { scene, traceId } = trace;
  const { root, entry } = segment;
  const common = commonFields(trace, segment);
  const release = scene.release(entry.service);
  const header = {
    sdk: SERVICES[entry.service].sdk,
    trace: {
      trace_id: traceId,
      sample_rate: String(scene.sampling.rate),
      environment: scene.environment,
      release,
      transaction: root.work.name,
    },
  };
  const items = [
    transactionItem(trace, segment, common),
    ...interactionItems(trace, segment),
    ...logItems(trace, segment),
  ];
  const thrown = root.work.thrown;
  return {
    transaction: { header, items },
    errors: thrown === undefined ? [] : [errorEvent(thrown, root, common)],
  };
}

function transactionItem(
  { traceId }: Trace,
  { root, spans, entry }: Segment,
  common: Fields,
): Item {
  const { inp: _, ...vitals } = entry.vitals ?? {};
  const measurements = Object.entries(vitals).map(([name, value]) => [
    name,
    { value: rounded(value), unit: name === "cls" ? "" : "millisecond" },
  ]);
  return {
    header: { type: "transaction" },
    payload: {
      event_id: newEventId(),
      type: "transaction",
      ...common,
      transaction_info: { source: "route" },
      start_timestamp: root.start,
      timestamp: root.end,
      spans: spans.map((span) => spanOf(traceId, span)),
      ...(measurements.length > 0 && { measurements: Object.fromEntries(measurements) }),
    },
  };
}

function spanOf(traceId: string, { work, spanId, parentSpanId, start, end }: Placed): Fields {
  return {
    trace_id: traceId,
    span_id: spanId,
    parent_span_id: parentSpanId,
    op: work.op,
    description: work.name,
    start_timestamp: start,
    timestamp: end,
    status: work.status ?? "ok",
    data: work.data ?? {},
  };
}

/** Browsers tell how long an interaction took by a span of its own. */
function interactionItems({ scene, traceId }: Trace, { entry, root }: Segment): Item[] {
  const inp = entry.vitals?.inp;
  if (inp === undefined || scene.person === null) return [];
  const end = root.end + 1.5;
  const client = clientOf(scene.person);
  const payload = {
    trace_id: traceId,
    span_id: scene.random.hex(16),
    parent_span_id: root.spanId,
    op: "ui.interaction.click",
    description: "main > form > button[type=submit]",
    origin: "auto.http.browser.inp",
    start_timestamp: end - inp / 1000,
    timestamp: end,
    status: "ok",
    measurements: { inp: { value: rounded(inp), unit: "millisecond" } },
    data: {
      transaction: root.work.name,
      release: scene.release(entry.service),
      environment: scene.environment,
      "service.name": entry.service,
      "browser.name": client.browser.name,
      "device.family": client.device,
      "geo.country_code": countryOf(scene.person),
    },
    platform: "javascript",
  };
  return [{ header: { type: "span" }, payload }];
}

function errorEvent(thrown: Thrown, { end }: Placed, common: Fields): Record<string, unknown> {
  return {
    event_id: newEventId(),
    ...common,
    timestamp: end,
    level: "error",
    exception: {
      values: [{
        type: thrown.type,
        value: thrown.message,
        mechanism: { type: "generic", handled: false },
        stacktrace: { frames: thrown.frames.map(frameOf) },
      }],
    },
  };
}

function frameOf({ module, filename, function: name, line, code, isForeign = false }: Frame) {
  return {
    module,
    filename,
    function: name,
    lineno: line,
    in_app: !isForeign,
    ...(code !== undefined && { context_line: code }),
  };
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}

function newEventId(): string {
  return crypto.randomUUID().replaceAll("-", "");
}

/** Work as Sentry's SDKs for Node and Python tell of it. */

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

type Fields = Readonly<Record<string, unknown>>;

/** What a transaction and the errors in it have in common, as fields of an event. */
function commonFields({ scene, traceId }: Trace, { entry, root }: Segment): Fields {
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

/** The item with what a service logged in its part of a trace; none when that is nothing. */
function logItems({ scene, traceId }: Trace, { root, entry }: Segment): Item[] {
  const attributes = {
    "sentry.release": scene.release(entry.service),
    "sentry.environment": scene.environment,
    "sentry.sdk.name": SERVICES[entry.service].sdk.name,
    "sentry.sdk.version": SERVICES[entry.service].sdk.version,
    "server.address": entry.server,
    "logger.name": entry.service,
  };
  const items = linesOf(root).map(({ level, body, data, time }) => ({
    timestamp: time,
    trace_id: traceId,
    span_id: root.spanId,
    level,
    body,
    attributes: typed({ ...attributes, ...data }),
  }));
  if (items.length === 0) return [];
  const header = {
    type: "log",
    item_count: items.length,
    content_type: "application/vnd.sentry.items.log+json",
  };
  return [{ header, payload: { items } }];
}

function typed(values: Readonly<Record<string, Attribute>>) {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, { value, type: typeOf(value) }]),
  );
}

function typeOf(value: Attribute): string {
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "double";
  return typeof value;
}
