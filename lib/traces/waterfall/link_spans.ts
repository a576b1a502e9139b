import type { WaterfallSpan } from "../waterfall_data.ts";

export interface SpanLinks {
  /** For each span the index of its parent; -1 for roots and for those whose parent is not in the trace. */
  readonly parents: Int32Array;
  /** Spans that were made roots, because they were their own ancestors. */
  readonly cut: ReadonlySet<number>;
}

/**
 * Finds each span's parent. Clients can send anything: of spans with one id the first is the parent, and
 * of spans that form a ring the first one becomes a root. Linear, and flat however deep spans are nested.
 */
export function linkSpans(spans: readonly WaterfallSpan[]): SpanLinks {
  const byId = new Map<string, number>();
  for (const [index, { spanId }] of spans.entries()) {
    if (!byId.has(spanId)) byId.set(spanId, index);
  }
  const parents = Int32Array.from(
    spans,
    ({ parentSpanId }) => parentSpanId === null ? -1 : byId.get(parentSpanId) ?? -1,
  );
  return { parents, cut: cutRings(parents) };
}

/** Takes the parent away from one span of every ring, itself its parent being the smallest ring. */
function cutRings(parents: Int32Array): ReadonlySet<number> {
  const cut = new Set<number>();
  /** In which walk towards the root a span was first met. */
  const walkOf = new Int32Array(parents.length).fill(-1);
  for (let walk = 0; walk < parents.length; walk++) {
    let at = walk;
    while (at !== -1 && walkOf[at] === -1) {
      walkOf[at] = walk;
      at = parents[at] ?? -1;
    }
    if (at === -1 || walkOf[at] !== walk) continue;
    const first = firstOfRing(parents, at);
    parents[first] = -1;
    cut.add(first);
  }
  return cut;
}

function firstOfRing(parents: Int32Array, start: number): number {
  let first = start;
  for (let at = parents[start] ?? -1; at !== start; at = parents[at] ?? -1) {
    first = Math.min(first, at);
  }
  return first;
}
