import type { OtlpSpan } from "./model.ts";
import { isEntrySpan } from "./span_checks.ts";

/**
 * Finds for each span the nearest entry span above it, itself included, as far as parents are among `spans`.
 *
 * @param spans of one trace, their ids different
 * @returns ids of entry spans by ids of spans; null where the way up leads out of the request
 */
export function segmentIdsOf(spans: readonly OtlpSpan[]): ReadonlyMap<string, string | null> {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const segments = new Map<string, string | null>();
  for (const span of spans) {
    const path: string[] = [];
    let current: OtlpSpan | undefined = span;
    let segment: string | null = null;
    while (current !== undefined) {
      const known = segments.get(current.spanId);
      if (known !== undefined || isEntrySpan(current)) {
        segment = known === undefined ? current.spanId : known;
        break;
      }
      // Set at once: a circle of parents ends here.
      segments.set(current.spanId, null);
      path.push(current.spanId);
      current = byId.get(current.parentSpanId);
    }
    segments.set(span.spanId, segment);
    for (const spanId of path) segments.set(spanId, segment);
  }
  return segments;
}
