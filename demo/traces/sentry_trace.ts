/** Traces as Sentry's SDKs send them: an envelope for each transaction, and for each error in it. */
import type { Envelope, Item } from "../envelope.ts";
import { clientOf, countryOf } from "./browsers.ts";
import type { Trace } from "./history.ts";
import { logItems } from "./sentry_logs.ts";
import { commonFields, type Fields } from "./sentry_fields.ts";
import { SERVICES } from "./services.ts";
import type { Placed, Segment } from "./placed.ts";
import type { Frame, Thrown } from "./work.ts";

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
