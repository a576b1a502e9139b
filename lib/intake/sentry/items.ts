import type {
  Batch,
  Category,
  Outcome,
  OutcomeKind,
  TelemetryRecord,
} from "../../telemetry/records.ts";
import type { Envelope, Item } from "./envelope.ts";
import { type DecodeContext, toErrorEvent } from "./error_event.ts";
import { readInteger } from "./fields.ts";
import { type Json, parseJson } from "./json.ts";

const CATEGORIES: ReadonlyMap<string, Category> = new Map([
  ["event", "error"],
  ["transaction", "transaction"],
  ["span", "span"],
  ["attachment", "attachment"],
  ["unreal_report", "attachment"],
  ["session", "session"],
  ["sessions", "session"],
  ["profile", "profile"],
  ["profile_chunk", "profile_chunk"],
  ["profile_chunk_ui", "profile_chunk"],
  ["replay_event", "replay"],
  ["replay_recording", "replay"],
  ["replay_video", "replay"],
  ["check_in", "monitor"],
  ["feedback", "feedback"],
  ["user_report", "feedback"],
  ["log", "log_item"],
  ["trace_metric", "trace_metric"],
  ["statsd", "metric_bucket"],
  ["metric_buckets", "metric_bucket"],
  ["raw_security", "security"],
  ["security", "security"],
  ["nel", "security"],
  ["form_data", "default"],
  ["client_report", "internal"],
]);

/** Sentry's data category of an item type; `unknown` for types that no SDK we know of sends. */
export function categoryOf(itemType: string): Category {
  return CATEGORIES.get(itemType) ?? "unknown";
}

/** What holds for a whole request; ids and the client's clock come from the envelope's header. */
export type EnvelopeContext = Omit<DecodeContext, "eventId" | "sentAt" | "rawBytes">;

/**
 * Turns the items of an envelope into records, one by one: what cannot be used is counted with its reason and
 * harms nothing beside it.
 */
export function decodeItems(envelope: Envelope, context: EnvelopeContext): Batch {
  const { header, items, lost } = envelope;
  const records: TelemetryRecord[] = [];
  const outcomes = new OutcomeCounts();
  if (lost > 0) outcomes.add("unknown", "invalid", "broken_envelope", lost);

  for (const item of items) {
    if (item.type !== "event") {
      const reason = CATEGORIES.has(item.type) ? "item_type_not_stored" : "unknown_item_type";
      outcomes.add(categoryOf(item.type), "not_stored", reason, elementsIn(item));
      continue;
    }
    const raw = jsonOf(item.payload);
    if (raw === undefined) {
      outcomes.add("error", "invalid", "invalid_json", 1);
      continue;
    }
    const result = toErrorEvent(raw, {
      ...context,
      // The header's id is one event's; should there be more of them, each has its own.
      eventId: records.length === 0 ? header.eventId : null,
      sentAt: header.sentAt,
      rawBytes: item.payload.length,
    });
    if ("dropped" in result) outcomes.addOutcome(result.dropped);
    else records.push(result);
  }
  return {
    records,
    outcomes: outcomes.list(),
    eventId: header.eventId ?? records[0]?.eventId ?? null,
  };
}

/** More elements than this in one item are a lie that would spoil the counts. */
const MAX_ELEMENTS = 10_000;

/** Containers of logs, spans and metrics say how many there are; every other item is one. */
function elementsIn({ header }: Item): number {
  const count = readInteger(header.item_count) ?? 1;
  return Math.min(Math.max(count, 1), MAX_ELEMENTS);
}

function jsonOf(payload: Uint8Array): Json | undefined {
  try {
    return parseJson(payload);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Adds up outcomes of the same kind, so that a request of many items makes few rows. */
class OutcomeCounts {
  #counts = new Map<string, Outcome>();

  add(category: Category, kind: OutcomeKind, reason: string, quantity: number): void {
    this.addOutcome({ category, kind, reason, quantity });
  }

  addOutcome({ quantity, ...outcome }: Outcome): void {
    const key = `${outcome.category} ${outcome.kind} ${outcome.reason}`;
    const before = this.#counts.get(key)?.quantity ?? 0;
    this.#counts.set(key, { ...outcome, quantity: before + quantity });
  }

  list(): Outcome[] {
    return [...this.#counts.values()];
  }
}
