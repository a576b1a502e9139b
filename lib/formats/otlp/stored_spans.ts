import type { Span } from "../../records/mod.ts";
import type { DecodeContext } from "../../ingest/protocol.ts";
import type { JsonObject } from "../json.ts";
import { nearestKept } from "../clock.ts";
import { type SentException, spanExceptions } from "./sent_exception.ts";
import type { Scope } from "./model.ts";
import { sampleRateOf } from "./sample_rate.ts";
import { segmentIdsOf } from "./segments.ts";
import { toSpan } from "./span.ts";
import type { ScopedSpan, TracePart } from "./trace_parts.ts";

/** A span as it is stored, with what only its sender's form tells. */
export interface StoredSpan {
  readonly span: Span;
  /** As sent: errors are told apart by them. */
  readonly exceptions: readonly SentException[];
  /** 0 < rate <= 1. */
  readonly sampleRate: number;
}

/** What one process tells of one trace, as it is stored. */
export interface StoredPart {
  /** Attributes of the resource, and of the library where all spans come from one. */
  readonly resource: JsonObject;
  readonly spans: readonly StoredSpan[];
}

/** Makes the spans that are stored, in the order sent; attributes change in place. */
export function storeSpans({ source, spans: sent }: TracePart, context: DecodeContext): StoredPart {
  const { resource, scopeOf } = placesOfScopes(sent, source.resource);
  context.policy.scrubObject(resource);
  const segments = segmentIdsOf(sent.map(({ span }) => span));
  const shift = shiftOf(sent, context);
  const spans = sent.map(({ span: sentSpan, scope }) => {
    const exceptions = spanExceptions(sentSpan);
    const segmentId = segments.get(sentSpan.spanId) ?? null;
    const span = toSpan(sentSpan, { segmentId, shift, extra: scopeOf(scope) }, context);
    const sampleRate = sampleRateOf(sentSpan.traceState, sentSpan.attributes);
    return { span, exceptions, sampleRate };
  });
  return { resource, spans };
}

/** Names of libraries go with the resource when there is one library, else with each span. */
function placesOfScopes(spans: readonly ScopedSpan[], sent: JsonObject) {
  const names = new Set(spans.map(({ scope }) => `${scope.name} ${scope.version}`));
  const [first] = spans;
  const isOne = names.size === 1 && first !== undefined;
  const resource: JsonObject = { ...sent, ...(isOne && scopeAttributes(first.scope)) };
  return {
    resource,
    scopeOf: (scope: Scope<unknown>): JsonObject => isOne ? {} : scopeAttributes(scope),
  };
}

function scopeAttributes({ name, version }: Scope<unknown>): JsonObject {
  return {
    ...(name !== "" && { "otel.scope.name": name }),
    ...(version !== "" && { "otel.scope.version": version }),
  };
}

/** A clock that is ahead moves all of it back alike, so that durations and order stay. In seconds. */
function shiftOf(spans: readonly ScopedSpan[], context: DecodeContext): number {
  const last = spans.reduce((max, { span }) => Math.max(max, span.end), -Infinity);
  return nearestKept(last, context) - last;
}
