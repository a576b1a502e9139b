import { createHash } from "node:crypto";

/**
 * The id of the row that these spans are stored in: the same for the same set of spans in whichever order and request
 * they come, so that a client's second attempt stores nothing twice.
 *
 * @param traceId 32 lower-case hex digits
 * @param spans at least one, their ids 16 lower-case hex digits
 * @returns 32 lower-case hex digits
 */
export function spanBatchId(
  traceId: string,
  spans: readonly { readonly spanId: string }[],
): string {
  const ids = spans.map(({ spanId }) => spanId);
  return md5([traceId, ...ids.sort()].join("/"));
}

/**
 * The event id of a local root that is a span and has none of its own: the same from whichever request it comes.
 *
 * @returns 32 lower-case hex digits
 */
export function entryEventId(traceId: string, spanId: string): string {
  return md5(`${traceId}/${spanId}`);
}

function md5(text: string): string {
  return createHash("md5").update(text).digest("hex");
}
