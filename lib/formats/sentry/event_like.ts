import { asObject } from "../fields.ts";
import type { Item } from "./envelope.ts";
import { clockOf, type ItemContext, ItemError, jsonOf } from "./item_decoder.ts";
import { type EventTime, eventTime } from "../clock.ts";
import { normalizeEvent } from "./normalize.ts";
import type { NormalizedEvent } from "./normalized_event.ts";

/** An item that has an event's fields and another meaning: a transaction, feedback. */
export interface EventLike {
  readonly event: NormalizedEvent;
  /** The fields as sent that events do not have. */
  readonly own: Readonly<Record<string, unknown>>;
  readonly time: EventTime;
}

/**
 * Normalises what is sent in an event's clothes.
 *
 * @param ownFields names of fields that normalising events would drop
 * @throws {ItemError}
 */
export function readEventLike(
  item: Item,
  context: ItemContext,
  ownFields: readonly string[],
): EventLike {
  const raw = asObject(jsonOf(item));
  if (raw === undefined) throw new ItemError("invalid", "not_an_object");
  const own = Object.fromEntries(ownFields.map((field) => [field, raw[field]]));
  for (const field of ownFields) raw[field] = undefined;
  const time = eventTime(raw.timestamp, clockOf(context));
  raw.type = undefined;
  raw.level ??= "info";
  const result = normalizeEvent(raw, {
    ...clockOf(context),
    eventId: context.eventId,
    clientAddress: context.policy.keepsAddresses ? context.clientAddress : null,
    rawBytes: item.payload.length,
  });
  if ("invalid" in result) throw new ItemError("invalid", result.invalid);
  return { event: result.event, own, time };
}
