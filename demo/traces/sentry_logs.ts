import type { Item } from "../envelope.ts";
import type { Trace } from "./history.ts";
import { SERVICES } from "./services.ts";
import { linesOf, type Segment } from "./placed.ts";
import type { Attribute } from "./work.ts";

/** The item with what a service logged in its part of a trace; none when that is nothing. */
export function logItems({ scene, traceId }: Trace, { root, entry }: Segment): Item[] {
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
