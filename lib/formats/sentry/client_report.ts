import type { Outcome } from "../../records/mod.ts";
import { asObject, clippedName, readInteger } from "../fields.ts";
import { type ItemDecoder, ItemError, jsonOf } from "./item_decoder.ts";

/** `discarded_events` is what SDKs send; the others come from relays in between. */
const LISTS = [
  "discarded_events",
  "rate_limited_events",
  "filtered_events",
  "filtered_sampling_events",
] as const;
const MAX_ENTRIES = 500;
/** Beyond this a count is a lie. */
const MAX_QUANTITY = 1_000_000_000;

/** What the client dropped itself, and why. The report is an item of its own, too. */
export const decodeClientReport: ItemDecoder = (item) => {
  const raw = asObject(jsonOf(item));
  if (raw === undefined) throw new ItemError("invalid", "not_an_object");
  const outcomes: Outcome[] = [{
    category: "internal",
    kind: "accepted",
    reason: "",
    quantity: 1,
  }];
  for (const list of LISTS) {
    const entries = raw[list];
    if (!Array.isArray(entries)) continue;
    for (const entry of entries.slice(0, MAX_ENTRIES)) {
      const outcome = readDiscarded(entry);
      if (outcome !== null) outcomes.push(outcome);
    }
  }
  return { records: [], outcomes };
};

function readDiscarded(entry: unknown): Outcome | null {
  const raw = asObject(entry) ?? {};
  const quantity = Math.min(readInteger(raw.quantity) ?? 0, MAX_QUANTITY);
  if (quantity === 0) return null;
  return {
    category: clippedName(raw.category, 40) ?? "unknown",
    kind: "client_discard",
    reason: clippedName(raw.reason, 60) ?? "unknown",
    quantity,
  };
}
