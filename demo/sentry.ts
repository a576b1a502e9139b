/** What services with one of Sentry's SDKs send: transactions with their spans, errors and logs, as envelopes. */
import { newId } from "./chance.ts";
import { type ErrorFrame, errors, type Frame, type Thrown } from "./code.ts";
import {
  type Attribute,
  type Attributes,
  linesOf,
  type Placed,
  type Scene,
  type Segment,
  type Served,
} from "./scene.ts";
import type { Envelope, Item } from "./send.ts";
import { clientOf, service, type ServiceName } from "./shop.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** Where in a service something happened. */
interface Place {
  readonly service: ServiceName;
  readonly server: string;
  readonly transaction: string;
  readonly http?: Partial<Served> & { readonly data?: unknown } | undefined;
  /** The context of the trace. */
  readonly trace: Fields;
}

/** Headers of requests that have a body. */
const SENT = { "content-type": "application/json", "user-agent": "okhttp/5.1.0" };

/** What transactions and errors have in common. */
export function commonFields({ release, environment, person }: Scene, place: Place): Fields {
  const { http } = place;
  const { platform, sdk: [name, version], contexts } = service(place.service);
  const client = place.service === "web" && person !== null ? clientOf(person) : null;
  return {
    platform,
    sdk: { name, version },
    release: release(place.service),
    environment,
    transaction: place.transaction,
    ...(person !== null && { user: { id: String(person), email: `person${person}@example.com` } }),
    ...(place.server !== "" && { server_name: place.server }),
    ...(http && {
      request: {
        method: http.method,
        url: http.url,
        ...(http.data !== undefined && { data: http.data, headers: SENT }),
        ...(client &&
          { headers: { "User-Agent": client.agent, Referer: "https://shop.example.com/" } }),
      },
    }),
    tags: {
      service: place.service,
      ...(client && { "device.family": client.device, "geo.country_code": client.country }),
    },
    contexts: {
      ...(client && { browser: client.browser, os: { name: client.os } }),
      ...contexts,
      ...(http?.status !== undefined && { response: { status_code: http.status } }),
      trace: place.trace,
    },
  };
}

/** Of an event: exceptions, the one that caused the others first. */
export function exceptionOf(name: ServiceName, thrown: readonly Thrown[], isHandled = false) {
  const { platform, mechanism = "generic" } = service(name);
  const values = thrown.map(({ type, message, frames }, index) => ({
    type,
    value: message,
    mechanism: index === 0
      ? { type: mechanism, handled: isHandled, exception_id: 0 }
      : { type: "chained", handled: true, exception_id: index, parent_id: index - 1 },
    ...(frames.length > 0 && {
      stacktrace: { frames: frames.map((frame) => frameOf(frame, platform)) },
    }),
  }));
  return { values: values.reverse() };
}

const FOREIGN =
  /node_modules|site-packages|\/usr\/local\/|^node:|\/vendor\/|webpack\/runtime|springframework/;
/** What comes before the path of a module. */
const BASE = /^.*(?:site-packages|node_modules|python3\.13|\/app\/src|\/srv)\//;

/** The pages' script as it is deployed, whose frames were mapped before they were sent. */
const SCRIPT = "https://shop.example.com/assets/app.js";

/** A frame as the SDK of a platform describes it. */
export function frameOf(frame: Frame & Partial<ErrorFrame>, platform: string) {
  const { name, file, line, column, before, code, after, vars } = frame;
  const path = file.replace(BASE, "");
  return {
    ...named(name, path, platform),
    filename: platform === "python" ? path : file,
    abs_path: platform === "javascript" ? SCRIPT : file,
    lineno: line,
    ...(column > 0 && { colno: column }),
    in_app: !FOREIGN.test(file),
    ...(code && { pre_context: before, context_line: code, post_context: after }),
    ...(platform === "javascript" && { data: { sourcemap: `${SCRIPT}.map` } }),
    ...(vars && Object.keys(vars).length > 0 && { vars }),
  };
}

/** Go writes the package before the function, Node and Python have a module for each file. */
function named(name: string, path: string, platform: string) {
  if (platform === "go") {
    const [, module, inner] = /^(.*?[^/.]*)\.([^/]*)$/.exec(name) ?? [];
    return { module, function: inner };
  }
  if (platform !== "node" && platform !== "python") return { function: name };
  return { module: path.replace(/\.\w+$/, "").replaceAll("/", "."), function: name };
}

/** The envelope of one service's part in a trace, and the errors in it, which go in envelopes of their own. */
export function sentryPart(segment: Segment) {
  const { scene, traceId } = segment.trace;
  const { root: { work, end, spanId, parentSpanId }, entry } = segment;
  const [name, version] = service(entry.service).sdk;
  const common = commonFields(scene, {
    ...entry,
    transaction: work.name,
    http: entry.http ??
      (entry.service === "web" ? { url: String(work.data?.["url.full"]) } : undefined),
    trace: {
      trace_id: traceId,
      span_id: spanId,
      ...(parentSpanId !== null && { parent_span_id: parentSpanId }),
      op: work.op,
      status: work.status ?? "ok",
      data: work.data,
    },
  });
  const header = {
    sdk: { name, version },
    trace: {
      trace_id: traceId,
      sample_rate: String(scene.sampling.rate),
      environment: scene.environment,
      release: scene.release(entry.service),
      transaction: work.name,
    },
  };
  const items = [
    transactionItem(segment, common),
    ...interactionItems(segment),
    ...logItems(logsOf(segment)),
  ];
  const error = work.thrown && {
    event_id: newId(),
    ...common,
    timestamp: end,
    level: "error",
    exception: exceptionOf(entry.service, errors(work.thrown)),
  };
  return { envelope: { header, items } satisfies Envelope, errors: error ? [error] : [] };
}

/** What the service logged. */
function logsOf({ trace: { scene, traceId }, root, entry }: Segment): Log[] {
  const [name, version] = service(entry.service).sdk;
  return linesOf(root).map(({ level, body, data, time }) => ({
    timestamp: time,
    trace_id: traceId,
    span_id: root.spanId,
    level,
    body,
    attributes: {
      "sentry.release": scene.release(entry.service),
      "sentry.environment": scene.environment,
      "sentry.sdk.name": name,
      "sentry.sdk.version": version,
      "server.address": entry.server,
      "logger.name": entry.service,
      ...data,
    },
  }));
}

function transactionItem({ trace, root, spans, entry }: Segment, common: Fields): Item {
  const { inp: _, ...vitals } = entry.vitals ?? {};
  const measurements = Object.entries(vitals).map(([name, value]) => [
    name,
    { value: rounded(value), unit: name === "cls" ? "" : "millisecond" },
  ]);
  const payload = {
    event_id: newId(),
    type: "transaction",
    ...common,
    transaction_info: { source: "route" },
    start_timestamp: root.start,
    timestamp: root.end,
    spans: spans.map((span) => spanOf(trace.traceId, span)),
    ...(measurements.length > 0 && { measurements: Object.fromEntries(measurements) }),
  };
  return { header: { type: "transaction" }, payload };
}

/** What the SDKs add to work of these kinds. */
const ATTRIBUTES: Readonly<Record<string, Attributes>> = {
  db: {
    "db.system": "postgresql",
    "db.name": "shop",
    "server.address": "db.shop.internal",
    "server.port": 5432,
  },
  "cache.get": { "db.system": "redis", "network.peer.address": "cache.shop.internal" },
  "cache.put": { "db.system": "redis" },
};

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
    data: { ...ATTRIBUTES[work.op], ...work.data },
  };
}

/** Browsers tell how long an interaction took by a span of its own. */
function interactionItems({ trace: { scene, traceId }, entry, root }: Segment): Item[] {
  const inp = entry.vitals?.inp;
  if (inp === undefined || scene.person === null) return [];
  const end = root.end + 1.5;
  const { browser, device, country } = clientOf(scene.person);
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
      "browser.name": browser.name,
      "device.family": device,
      "geo.country_code": country,
    },
    platform: "javascript",
  };
  return [{ header: { type: "span" }, payload }];
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}

interface Log {
  readonly attributes: Attributes;
  readonly [field: string]: unknown;
}

/** The item with some logs; none for nothing. */
export function logItems(logs: readonly Log[]): Item[] {
  if (logs.length === 0) return [];
  const header = {
    type: "log",
    item_count: logs.length,
    content_type: "application/vnd.sentry.items.log+json",
  };
  const items = logs.map((log) => ({
    ...log,
    attributes: Object.fromEntries(
      Object.entries(log.attributes).map(([name, value]) => [name, { value, type: typeOf(value) }]),
    ),
  }));
  return [{ header, payload: { items } }];
}

function typeOf(value: Attribute): string {
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "double";
  return typeof value;
}
