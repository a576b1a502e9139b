import { Refusal } from "../../core/refusal.ts";
import type { Batch, Category, Outcome, TelemetryRecord, Transaction } from "../../records/mod.ts";
import type { DecodeContext } from "../decode_context.ts";
import { asObject, clippedName, readInteger, readText } from "../fields.ts";
import { decodeAttachment } from "./attachment_item.ts";
import { decodeCheckIn } from "./check_in_item.ts";
import type { Envelope, Item } from "./envelope.ts";
import { decodeEvent, decodeFeedback, decodeSecurity, decodeUserReport } from "./event_items.ts";
import {
  type Decoded,
  type ItemContext,
  type ItemDecoder,
  ItemError,
  objectOf,
  WorkBudget,
} from "./item_decoder.ts";
import { decodeLogs, decodeNel } from "./log_items.ts";
import { decodeMetrics } from "./metric_item.ts";
import { decodeProfile, decodeProfileChunk } from "./profile_items.ts";
import { decodeSession, decodeSessions } from "./session_items.ts";
import { decodeSpanContainer } from "./span_items.ts";
import { decodeSpanV1, decodeTransaction } from "./transaction_item.ts";

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
  const known = TYPES.get(item.type);
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

interface ItemType {
  readonly category: Category;
  /** Null: taken and counted, but Watchpost has no place for it. */
  readonly decode: ItemDecoder | null;
  /** Bytes after decompression, or `event`: as many as the instance allows an event. @default those of the request */
  readonly maxBytes?: number | "event";
}

/** A span by itself has no content type, or JSON's; the container of spans has its own. */
const decodeSpan: ItemDecoder = (item, context) =>
  isSpanContainer(item) ? decodeSpanContainer(item, context) : decodeSpanV1(item, context);

function isSpanContainer({ header }: Item): boolean {
  return header.item_count !== undefined ||
    readText(header.content_type)?.includes("span.v2") === true;
}

/** What SDKs send; what is not among these is unknown to us. */
const TYPES: ReadonlyMap<string, ItemType> = new Map<string, ItemType>([
  ["event", { category: "error", decode: decodeEvent, maxBytes: "event" }],
  ["transaction", { category: "transaction", decode: decodeTransaction }],
  ["span", { category: "span", decode: decodeSpan }],
  ["attachment", { category: "attachment", decode: decodeAttachment }],
  ["session", { category: "session", decode: decodeSession, maxBytes: 65_536 }],
  ["sessions", { category: "session", decode: decodeSessions, maxBytes: 1_000_000 }],
  ["profile", { category: "profile", decode: decodeProfile }],
  ["profile_chunk", { category: "profile_chunk", decode: decodeProfileChunk }],
  ["profile_chunk_ui", { category: "profile_chunk", decode: decodeProfileChunk }],
  ["check_in", { category: "monitor", decode: decodeCheckIn, maxBytes: 100_000 }],
  ["feedback", { category: "feedback", decode: decodeFeedback, maxBytes: "event" }],
  ["user_report", { category: "feedback", decode: decodeUserReport, maxBytes: 65_536 }],
  ["log", { category: "log_item", decode: decodeLogs }],
  ["trace_metric", { category: "trace_metric", decode: decodeMetrics }],
  ["metric", { category: "trace_metric", decode: decodeMetrics }],
  ["client_report", { category: "internal", decode: decodeClientReport, maxBytes: 65_536 }],
  ["raw_security", { category: "security", decode: decodeSecurity, maxBytes: 1_000_000 }],
  ["security", { category: "security", decode: decodeSecurity, maxBytes: "event" }],
  ["nel", { category: "log_item", decode: decodeNel, maxBytes: 1_000_000 }],
  ["replay_event", { category: "replay", decode: null }],
  ["replay_recording", { category: "replay", decode: null }],
  ["replay_video", { category: "replay", decode: null }],
  ["statsd", { category: "metric_bucket", decode: null }],
  ["metric_buckets", { category: "metric_bucket", decode: null }],
  ["unreal_report", { category: "attachment", decode: null }],
  ["form_data", { category: "default", decode: null }],
]);

/** Sentry's data category of an item type; `unknown` for unknown types. */
export function categoryOf(itemType: string): Category {
  return TYPES.get(itemType)?.category ?? "unknown";
}

/**
 * The most bytes that an item of a type may have, or null when only the request's own limit holds.
 *
 * @param maxEventBytes `config.maxEventBytes`
 */
function itemLimit(type: string, maxEventBytes: number): number | null {
  const most = TYPES.get(type)?.maxBytes ?? null;
  return most === "event" ? maxEventBytes : most;
}

const NO_HEADER = { eventId: null, dsn: null, sentAt: null, sdk: null, trace: null };

/**
 * Decodes a body that is one item without an envelope around it: the rest is the same.
 *
 * @throws {Refusal} as `decodeItems()`
 */
export function decodeSingleItem(type: string, payload: Uint8Array, context: DecodeContext): Batch {
  const items = [{ type, header: {}, payload }];
  return decodeItems({ header: NO_HEADER, items, lost: 0 }, context);
}

/** What the client dropped itself, and why. The report is an item of its own, too. */
function decodeClientReport(item: Item): Decoded {
  const raw = objectOf(item);
  const outcomes: Outcome[] = [
    { category: "internal", kind: "accepted", reason: "", quantity: 1 },
  ];
  for (const list of LISTS) {
    const entries = raw[list];
    if (!Array.isArray(entries)) continue;
    for (const entry of entries.slice(0, MAX_ENTRIES)) {
      const outcome = readDiscarded(entry);
      if (outcome !== null) outcomes.push(outcome);
    }
  }
  return { records: [], outcomes };
}

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

/** Profiles with what they leave to the transaction that came with them: its service, its name as stored, its span. */
function withTransactions(records: readonly TelemetryRecord[]): readonly TelemetryRecord[] {
  if (!records.some(({ kind }) => kind === "profile")) return records;
  const transactions = new Map(
    records.flatMap((record): [string, Transaction][] =>
      record.kind === "transaction" ? [[record.eventId, record]] : []
    ),
  );
  return records.map((record) => {
    if (record.kind !== "profile" || record.transactionId === null) return record;
    const transaction = transactions.get(record.transactionId);
    if (transaction === undefined) return record;
    return {
      ...record,
      service: record.service || transaction.service,
      environment: record.environment || transaction.environment,
      release: record.release || transaction.release,
      transaction: transaction.name,
      traceId: record.traceId ?? transaction.traceId,
      spanId: record.spanId ?? transaction.spanId,
    };
  });
}
