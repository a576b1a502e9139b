import type { JsonObject } from "../sentry/json.ts";
import type { DecodeContext } from "../protocol.ts";
import type { OtlpSpan, ResourceGroup, Scope } from "./model.ts";
import type { OutcomeTally } from "./outcome_tally.ts";
import { type OtlpSender, senderOf } from "./sender.ts";
import { checkSpan } from "./span_checks.ts";

/** A process, as a request tells of it. */
export interface Source {
  readonly sender: OtlpSender;
  /** Its attributes, as sent. */
  readonly resource: JsonObject;
}

/** A span with the library that made it. */
export interface ScopedSpan {
  readonly span: OtlpSpan;
  readonly scope: Scope<unknown>;
}

/** What one process tells of one trace. */
export interface TracePart {
  readonly source: Source;
  readonly traceId: string;
  /** At least one. */
  readonly spans: readonly ScopedSpan[];
}

interface Placed extends ScopedSpan {
  readonly source: Source;
}

/**
 * Sorts the spans of a request by process and trace. What cannot or shall not be stored is counted and left out; of two
 * spans with one id the one that ends later is kept.
 */
export function tracePartsOf(
  groups: readonly ResourceGroup<OtlpSpan>[],
  context: DecodeContext,
  tally: OutcomeTally,
): TracePart[] {
  const kept = new Map<string, Placed>();
  for (const { group, source } of withSources(groups)) {
    const unwanted = context.policy.filterOther(source.sender.release, context);
    for (const scope of group.scopes) {
      if (unwanted !== null) tally.add("span", "filtered", unwanted, scope.items.length);
      else for (const span of scope.items) keep({ span, scope, source }, kept, context, tally);
    }
  }
  return groupByPart(kept.values());
}

function withSources(groups: readonly ResourceGroup<OtlpSpan>[]) {
  // Collectors repeat a resource for each span.
  const sources = new Map<string, Source>();
  return groups.map((group) => {
    const key = JSON.stringify(group.attributes);
    const source = sources.get(key) ??
      { sender: senderOf(group.attributes), resource: group.attributes };
    sources.set(key, source);
    return { group, source };
  });
}

function keep(
  placed: Placed,
  kept: Map<string, Placed>,
  context: DecodeContext,
  tally: OutcomeTally,
): void {
  const { span } = placed;
  const fault = checkSpan(span, context);
  if (fault !== null) {
    tally.add("span", "invalid", fault);
    return;
  }
  const key = `${span.traceId}/${span.spanId}`;
  const other = kept.get(key);
  if (other !== undefined) tally.add("span", "duplicate", "same_span");
  if (other === undefined || other.span.end < span.end) kept.set(key, placed);
}

function groupByPart(spans: Iterable<Placed>): TracePart[] {
  const bySource = Map.groupBy(spans, ({ source }) => source);
  return [...bySource].flatMap(([source, placed]) =>
    [...Map.groupBy(placed, ({ span }) => span.traceId)].map(([traceId, spans]) => ({
      source,
      traceId,
      spans,
    }))
  );
}
