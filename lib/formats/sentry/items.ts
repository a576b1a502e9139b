import type { Batch, Outcome, TelemetryRecord } from "../../records/mod.ts";
import type { DecodeContext } from "../../ingest/protocol.ts";
import { Refusal } from "../../core/refusal.ts";
import type { Envelope, Item } from "./envelope.ts";
import { readInteger } from "../fields.ts";
import { type Decoded, type ItemContext, ItemError } from "./item_decoder.ts";
import { itemLimit } from "./item_limits.ts";
import { categoryOf, itemTypeOf } from "./item_types.ts";
import { withTransactions } from "./with_transactions.ts";
import { WorkBudget } from "./work_budget.ts";

export { categoryOf } from "./item_types.ts";

/** Items that are kept as they are: nobody parses them. */
const BLOBS = new Set(["attachment"]);

/** Items that belong to the event of their envelope, and so come after it. */
const COMPANIONS = new Set(["attachment", "user_report"]);

/**
 * Turns the items of an envelope into records, one by one: what cannot be used is counted with its reason and
 * harms nothing beside it.
 *
 * @throws {Refusal} 413 when there is nothing in it but items that are too large
 */
export function decodeItems(envelope: Envelope, context: DecodeContext): Batch {
  const { header, items, lost } = envelope;
  const batch = new GrowingBatch();
  const work = new WorkBudget(items.reduce((sum, { payload }) => sum + payload.length, 0));
  batch.count({ category: "unknown", kind: "invalid", reason: "broken_envelope", quantity: lost });
  const numbered = items.map((item, index) => ({ item, index }));
  const isCompanion = ({ item }: { item: Item }) => COMPANIONS.has(item.type);
  for (
    const { item, index } of [
      ...numbered.filter((each) => !isCompanion(each)),
      ...numbered.filter(isCompanion),
    ]
  ) {
    const companionId = header.eventId ?? batch.mainId;
    // The header's id is one event's; should there be more of them, each has its own.
    const eventId = batch.mainId === null ? header.eventId : null;
    batch.add(item, { ...context, header, index, eventId, companionId, work });
  }
  if (lost === 0) refuseIfAllTooLarge(items, context, batch);
  return {
    records: withTransactions(batch.records),
    outcomes: batch.outcomes,
    eventId: header.eventId ?? batch.mainId,
  };
}

/** The first thing that the client would call an event. */
function idOfMain(record: TelemetryRecord): string | null {
  switch (record.kind) {
    case "error":
    case "transaction":
      return record.eventId;
    case "feedback":
      return record.feedbackId;
    default:
      return null;
  }
}

class GrowingBatch {
  readonly records: TelemetryRecord[] = [];
  /** Id of the first event, or null. */
  mainId: string | null = null;
  tooLarge = 0;
  readonly #counts = new Map<string, Outcome>();

  get outcomes(): Outcome[] {
    return [...this.#counts.values()];
  }

  /** Adds what one item turns into, whatever that is. */
  add(item: Item, context: ItemContext): void {
    const { records, outcomes } = decodeItem(item, context);
    for (const outcome of outcomes) this.count(outcome);
    if (outcomes.some(({ kind, reason }) => kind === "too_large" && reason === item.type)) {
      this.tooLarge++;
    }
    for (const record of records) {
      this.records.push(record);
      this.mainId ??= idOfMain(record);
    }
  }

  /** Outcomes of the same kind are one, so that a request of many items makes few rows. */
  count({ quantity, ...outcome }: Outcome): void {
    if (quantity <= 0) return;
    const key = `${outcome.category} ${outcome.kind} ${outcome.reason}`;
    const before = this.#counts.get(key)?.quantity ?? 0;
    this.#counts.set(key, { ...outcome, quantity: before + quantity });
  }
}

function decodeItem(item: Item, context: ItemContext): Decoded {
  const known = itemTypeOf(item.type);
  const category = categoryOf(item.type);
  const dropped = (kind: Outcome["kind"], reason: string, others: readonly Outcome[] = []) => ({
    records: [],
    outcomes: [{ category, kind, reason, quantity: elementsIn(item) }, ...others],
  });
  const limit = itemLimit(item.type, context.maxEventBytes);
  if (limit !== null && item.payload.length > limit) return dropped("too_large", item.type);
  if (known === undefined) return dropped("unsupported", "unknown_item_type");
  if (known.decode === null) return dropped("unsupported", item.type);
  if (!BLOBS.has(item.type) && !context.work.admits(item)) {
    return dropped("too_large", "too_many_parts");
  }
  try {
    return known.decode(item, context);
  } catch (error) {
    if (error instanceof ItemError) return dropped(error.kind, error.reason, error.others);
    throw error;
  }
}

/** More elements than this in one item are a lie that would spoil the counts. */
const MAX_ELEMENTS = 10_000;

/** Containers of logs, spans and metrics say how many there are; every other item is one. */
function elementsIn({ header }: Item): number {
  const count = readInteger(header.item_count) ?? 1;
  return Math.min(Math.max(count, 1), MAX_ELEMENTS);
}

function refuseIfAllTooLarge(
  items: readonly Item[],
  { maxEventBytes }: DecodeContext,
  { tooLarge }: GrowingBatch,
): void {
  const [first] = items;
  if (first === undefined || tooLarge < items.length) return;
  const limit = itemLimit(first.type, maxEventBytes);
  throw new Refusal(
    413,
    `The ${first.type.slice(0, 40)} item is larger than ${limit} bytes after decompression`,
    { kind: "too_large", reason: first.type, category: categoryOf(first.type) },
  );
}
