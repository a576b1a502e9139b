import type { JsonObject } from "../json.ts";
import type { DecodeContext } from "../../ingest/protocol.ts";
import type { OtlpSpan, ResourceGroup, Scope } from "./model.ts";
import type { OutcomeTally } from "../outcome_tally.ts";
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

interface Kept {
  readonly spans: Map<string, Placed>;
  /** What those of them say whose id came again: written once for each, however many have the id of a long one. */
  readonly texts: Map<string, string>;
}

/**
 * Sorts the spans of a request by process and trace. What cannot or shall not be stored is counted and left out; of two
 * spans with one id the one that ends later is kept, the other rejected unless it says the same.
 */
export function tracePartsOf(
  groups: readonly ResourceGroup<OtlpSpan>[],
  context: DecodeContext,
  tally: OutcomeTally,
): TracePart[] {
  const kept: Kept = { spans: new Map(), texts: new Map() };
  for (const { group, source } of withSources(groups)) {
    const unwanted = context.policy.filterOther(source.sender.release, context);
    for (const scope of group.scopes) {
      if (unwanted !== null) tally.add("span", "filtered", unwanted, scope.items.length);
      else for (const span of scope.items) keep({ span, scope, source }, kept, context, tally);
    }
  }
  return groupByPart(kept.spans.values());
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
  { spans, texts }: Kept,
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
  const other = spans.get(key);
  if (other === undefined) {
    spans.set(key, placed);
    return;
  }
  // Equal resources are one source; they may be long, and are written for none.
  const text = JSON.stringify(span);
  const otherText = texts.get(key) ?? JSON.stringify(other.span);
  if (text === otherText && placed.source === other.source) {
    tally.add("span", "duplicate", "same_span");
  } else tally.add("span", "invalid", "same_id");
  const isLater = other.span.end < span.end;
  if (isLater) spans.set(key, placed);
  texts.set(key, isLater ? text : otherText);
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
