import type { Outcome, OutcomeKind, TelemetryRecord } from "../../records/mod.ts";
import type { DecodeContext } from "../../ingest/protocol.ts";
import { recordId } from "../record_id.ts";
import type { EnvelopeHeader, Item } from "./envelope.ts";
import { type Json, parseJson } from "../json.ts";
import { type Clock, eventTime } from "../clock.ts";
import type { WorkBudget } from "./work_budget.ts";

/** What a decoder of one item may use beside the item. */
export interface ItemContext extends DecodeContext {
  readonly header: EnvelopeHeader;
  /** Place of the item in its envelope: with the request it makes ids. */
  readonly index: number;
  /** The id for a record that is an event: the header's, for the first of them; else null. */
  readonly eventId: string | null;
  /** The event that the envelope is about, for what comes along with it; or null. */
  readonly companionId: string | null;
  /** What the request may still cost. */
  readonly work: WorkBudget;
}

/** What one item turns into: all of it is among the records or the outcomes. */
export interface Decoded {
  readonly records: readonly TelemetryRecord[];
  readonly outcomes: readonly Outcome[];
}

/** @throws {ItemError} when nothing of the item can be used */
export type ItemDecoder = (item: Item, context: ItemContext) => Decoded;

/** An item is no use; counted with the reason. */
export class ItemError extends Error {
  override name = "ItemError";

  constructor(
    readonly kind: OutcomeKind,
    /** A short machine word such as `invalid_json`. */
    readonly reason: string,
    /** Beside the item itself: what was in it and goes with it. */
    readonly others: readonly Outcome[] = [],
  ) {
    super(`Cannot use the item: ${reason}`);
  }
}

export function decoded(...records: readonly TelemetryRecord[]): Decoded {
  return { records, outcomes: [] };
}

/** The payload as JSON. @throws {ItemError} */
export function jsonOf({ payload }: Item): Json {
  try {
    return parseJson(payload);
  } catch (error) {
    if (error instanceof SyntaxError) throw new ItemError("invalid", "invalid_json");
    throw error;
  }
}

/** The clock of the request's client. */
export function clockOf({ receivedAt, header, retentionDays }: ItemContext): Clock {
  return { receivedAt, sentAt: header.sentAt, retentionDays };
}

/** When something happened, corrected and clamped as events are; the time of receipt when it does not say. */
export function timeOf(sent: unknown, context: ItemContext): Date {
  return new Date(eventTime(sent, clockOf(context)).timestamp * 1000);
}

/** The same with what the clock told beyond milliseconds: seconds as numbers hold microseconds. */
export function exactTimeOf(
  sent: unknown,
  context: ItemContext,
): { readonly timestamp: Date; readonly nanos: number } {
  const micros = Math.round(eventTime(sent, clockOf(context)).timestamp * 1e6);
  return { timestamp: new Date(Math.floor(micros / 1000)), nanos: micros % 1000 * 1000 };
}

/** An id for the `n`th record of the item. */
export function idIn({ requestId, index }: ItemContext, n: number | string = 0): string {
  return recordId(requestId, index, n);
}

/** @throws {ItemError} when the project's filters do not want what comes from this sender */
export function refuseFiltered(release: string, context: ItemContext): void {
  const reason = context.policy.filterOther(release, context);
  if (reason !== null) throw new ItemError("filtered", reason);
}
