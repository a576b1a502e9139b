/**
 * The pivot: what every protocol turns into and what every page reads. Protocols know records and
 * never SQL; repositories know records and never HTTP.
 */
import type { Category, Outcome } from "../core/refusal.ts";
import type { Attachment, ErrorEvent, Feedback } from "./error_event.ts";
import type { MetricBatch } from "./metric_batch.ts";
import type { Profile } from "./profile.ts";
import type { CheckIn, LogRecord, SessionCounts, SessionUpdate } from "./reports.ts";
import type { SpanBatch, Transaction } from "./trace.ts";

export { type Category, NO_PROJECT, type Outcome, type OutcomeKind } from "../core/refusal.ts";
export * from "./error_event.ts";
export * from "./metric_batch.ts";
export * from "./origin.ts";
export * from "./profile.ts";
export * from "./reports.ts";
export * from "./trace.ts";

/** The pipeline and the writer switch on `kind`. */
export type TelemetryRecord =
  | ErrorEvent
  | Transaction
  | SpanBatch
  | Attachment
  | Feedback
  | SessionUpdate
  | SessionCounts
  | CheckIn
  | LogRecord
  | Profile
  | MetricBatch;

/**
 * What one record counts as, once, whatever becomes of it: an item is one, a container as many as it has
 * elements, a transaction is one and its spans count beside it.
 */
export function countOf(
  record: TelemetryRecord,
): { readonly category: Category; readonly quantity: number } {
  switch (record.kind) {
    case "error":
      return { category: record.type === "csp" ? "security" : "error", quantity: 1 };
    case "transaction":
      // The others are among the spans of a batch, which counts them.
      return { category: "transaction", quantity: record.sentAs === "transaction" ? 1 : 0 };
    case "spans":
      return { category: "span", quantity: record.spans.length };
    case "attachment":
      return { category: "attachment", quantity: 1 };
    case "feedback":
      return { category: "feedback", quantity: 1 };
    case "session":
    case "sessions":
      return { category: "session", quantity: 1 };
    case "check_in":
      return { category: "monitor", quantity: 1 };
    case "log":
      return { category: "log_item", quantity: 1 };
    case "profile":
      return {
        category: record.source === "sentry_sample_v2" ? "profile_chunk" : "profile",
        quantity: 1,
      };
    case "metrics":
      return { category: "trace_metric", quantity: record.pointCount };
  }
}

/** Names one request for ever: storing it twice, as a replay may, changes nothing. */
export interface Receipt {
  /** UUID, version 7. */
  readonly requestId: string;
  readonly receivedAt: Date;
}

/** What a protocol's decoder makes of one request. */
export interface Batch {
  readonly records: readonly TelemetryRecord[];
  /** Everything in the request that is not among `records`, with the reason. */
  readonly outcomes: readonly Outcome[];
  /** The id to answer with, or null when the request has none. */
  readonly eventId: string | null;
}
