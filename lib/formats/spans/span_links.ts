import type { SpanLink } from "../../records/mod.ts";
import { readAttributes } from "../attributes.ts";
import { asObject } from "../fields.ts";
import { readSpanId, readTraceId } from "../ids.ts";
import type { JsonObject } from "../json.ts";

const MAX_LINKS = 128;
const NO_LINKS: readonly SpanLink[] = [];

/**
 * The links of a span as Sentry's SDKs send them, at most 128; those without ids are left out.
 *
 * @param scrub takes secrets out of a link's attributes, in place
 */
export function readSpanLinks(
  sent: unknown,
  scrub: (attributes: JsonObject) => void,
): readonly SpanLink[] {
  if (!Array.isArray(sent)) return NO_LINKS;
  return sent.slice(0, MAX_LINKS).flatMap((each) => {
    const raw = asObject(each);
    const traceId = readTraceId(raw?.trace_id);
    const spanId = readSpanId(raw?.span_id);
    if (traceId === undefined || spanId === undefined) return [];
    const attributes = readAttributes(raw?.attributes);
    scrub(attributes);
    return [{ traceId, spanId, attributes }];
  });
}
