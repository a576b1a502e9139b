import type { ErrorEvent } from "../../records/mod.ts";
import { toErrorEvent } from "./error_event.ts";
import {
  clockOf,
  decoded,
  type ItemContext,
  type ItemDecoder,
  ItemError,
  jsonOf,
} from "./item_decoder.ts";

/** An error or a message. */
export const decodeEvent: ItemDecoder = (item, context) =>
  decoded(errorRecord(jsonOf(item), context, item.payload.length));

/**
 * The record of an event, after all that the project's settings make of it.
 *
 * @param raw a parsed event, which is taken over and changed in place
 * @param rawBytes its size as it was sent
 * @throws {ItemError} when it is no event, or one that the project does not want
 */
export function errorRecord(raw: unknown, context: ItemContext, rawBytes: number): ErrorEvent {
  const { policy } = context;
  const result = toErrorEvent(raw, {
    ...clockOf(context),
    eventId: context.eventId,
    clientAddress: policy.keepsAddresses ? context.clientAddress : null,
    rawBytes,
    filter: (event) => policy.filterEvent(event, context),
    scrub: (event) => policy.scrubEvent(event),
    fingerprint: (event) => policy.fingerprintOf(event),
  });
  if ("dropped" in result) throw new ItemError(result.dropped.kind, result.dropped.reason);
  return result;
}
