/**
 * The pivot: what every protocol turns into and what every page reads. Protocols know records and
 * never SQL; repositories know records and never HTTP.
 */
import type { Attachment } from "./records/attachment.ts";
import type { CheckIn } from "./records/check_in.ts";
import type { ErrorEvent } from "./records/error_event.ts";
import type { Feedback } from "./records/feedback.ts";
import type { LogRecord } from "./records/log_record.ts";
import type { MetricBatch } from "./records/metric_batch.ts";
import type { Category, Outcome } from "./records/outcome.ts";
import type { Profile } from "./records/profile.ts";
import type { SessionCounts, SessionUpdate } from "./records/session.ts";
import type { SpanBatch } from "./records/span.ts";
import type { Transaction } from "./records/transaction.ts";

export * from "./records/attachment.ts";
export * from "./records/check_in.ts";
export * from "./records/error_event.ts";
export * from "./records/feedback.ts";
export * from "./records/log_record.ts";
export * from "./records/measurement.ts";
export * from "./records/metric_batch.ts";
export * from "./records/origin.ts";
export * from "./records/outcome.ts";
export * from "./records/profile.ts";
export * from "./records/session.ts";
export * from "./records/span.ts";
export * from "./records/transaction.ts";

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
