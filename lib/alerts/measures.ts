/** What alerts on errors and transactions can be judged by. */
import { type Message, message } from "../core/language/translate.ts";

/** `duration` in ms, `percent` as a share of 1, `rate` per minute, `times` as a multiple, else a UCUM unit. */
export type ValueKind =
  | "count"
  | "duration"
  | "percent"
  | "rate"
  | "score"
  | "times"
  | { readonly unit: string };

interface Measure {
  readonly label: Message;
  readonly values: Exclude<ValueKind, object>;
}

/**
 * `events`, `users`: how many in the window. `new_issue`, `regression`: each issue that began, or came back, in the
 * window alerts by itself. `spike`: events of the window as a multiple of the mean of the seven windows of the same
 * time on the days before.
 */
const errors = {
  events: { label: message("Number of errors"), values: "count" },
  users: { label: message("Users with errors"), values: "count" },
  new_issue: { label: message("A new issue"), values: "count" },
  regression: { label: message("An issue that came back"), values: "count" },
  spike: { label: message("Errors compared with the baseline"), values: "times" },
} satisfies Record<string, Measure>;

export type ErrorMeasure = keyof typeof errors;
export const ERROR_MEASURES: Readonly<Record<ErrorMeasure, Measure>> = errors;

interface TransactionFacts extends Measure {
  /** Of quantiles. */
  readonly share?: number;
  /** Of page loads in browsers. @default false */
  readonly isVital?: true;
}

/** What a vital is judged by, as by Google. */
const VITAL_SHARE = 0.75;

/** Throughput is per minute; CLS has no unit. */
const transactions = {
  p50: { label: message("p50 duration"), values: "duration", share: 0.5 },
  p75: { label: message("p75 duration"), values: "duration", share: 0.75 },
  p95: { label: message("p95 duration"), values: "duration", share: 0.95 },
  p99: { label: message("p99 duration"), values: "duration", share: 0.99 },
  failure_rate: { label: message("Failure rate"), values: "percent" },
  throughput: { label: message("Throughput"), values: "rate" },
  apdex: { label: message("Apdex"), values: "score" },
  lcp: { label: message("LCP (p75)"), values: "duration", share: VITAL_SHARE, isVital: true },
  inp: { label: message("INP (p75)"), values: "duration", share: VITAL_SHARE, isVital: true },
  cls: { label: message("CLS (p75)"), values: "score", share: VITAL_SHARE, isVital: true },
  fcp: { label: message("FCP (p75)"), values: "duration", share: VITAL_SHARE, isVital: true },
  ttfb: { label: message("TTFB (p75)"), values: "duration", share: VITAL_SHARE, isVital: true },
} satisfies Record<string, TransactionFacts>;

export type TransactionMeasure = keyof typeof transactions;
export const TRANSACTION_MEASURES: Readonly<Record<TransactionMeasure, TransactionFacts>> =
  transactions;
