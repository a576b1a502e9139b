/** An alert rule as people write it. */
import { createHash } from "node:crypto";
import type { Formula, MetricQuery } from "../metrics/query_types.ts";

/** Judges one query or formula; each of its groups has a state of its own. */
export interface MetricSource {
  readonly kind: "metric";
  readonly queries: readonly MetricQuery[];
  readonly formulas: readonly Formula[];
  /** Id of the query or formula that is judged. */
  readonly judged: string;
}

/**
 * `events`, `users`: how many in the window. `new_issue`, `regression`: each issue that began, or came back, in the
 * window alerts by itself. `spike`: events of the window as a multiple of the mean of the seven windows of the same
 * time on the days before.
 */
export const ERROR_MEASURES = ["events", "users", "new_issue", "regression", "spike"] as const;
export type ErrorMeasure = (typeof ERROR_MEASURES)[number];

export interface ErrorSource {
  readonly kind: "errors";
  readonly measure: ErrorMeasure;
  /** In the words of the issue search, as `level:error !release:1.2`; `""`: all. */
  readonly search: string;
}

/** Durations and vitals in ms (CLS without unit), shares 0 to 1, throughput per minute. */
export const TRANSACTION_MEASURES = [
  "p50",
  "p75",
  "p95",
  "p99",
  "failure_rate",
  "throughput",
  "apdex",
  "lcp",
  "inp",
  "cls",
  "fcp",
  "ttfb",
] as const;
export type TransactionMeasure = (typeof TRANSACTION_MEASURES)[number];

/** Those of page loads in browsers. */
export const VITAL_MEASURES: ReadonlySet<TransactionMeasure> = new Set([
  "lcp",
  "inp",
  "cls",
  "fcp",
  "ttfb",
]);

export interface TransactionSource {
  readonly kind: "transactions";
  readonly measure: TransactionMeasure;
  /** Name of the transaction, or null for all together. */
  readonly transaction: string | null;
}

export type AlertSource = MetricSource | ErrorSource | TransactionSource;

export type Comparison = ">" | ">=" | "<" | "<=";

export interface Condition {
  readonly comparison: Comparison;
  /** Null: no warnings. */
  readonly warning: number | null;
  readonly critical: number;
  /** Back to normal once the value no longer compares so; null: the lower of the two levels. */
  readonly recovery: number | null;
}

/** When notices go out; outside it states are still kept. Times are minutes of the day in `timeZone`. */
export interface Schedule {
  /** 0 is Sunday. */
  readonly days: readonly number[];
  readonly fromMinute: number;
  /** Exclusive; up to 1440. Not above `fromMinute`: until then on the day after. */
  readonly toMinute: number;
  /** IANA name. */
  readonly timeZone: string;
}

export interface AlertRule {
  readonly projectId: string;
  /** UUID. */
  readonly ruleId: string;
  readonly name: string;
  readonly source: AlertSource;
  /** Empty means all. */
  readonly environments: readonly string[];
  readonly condition: Condition;
  /** What a value is taken over, in minutes: 1 to 1440. */
  readonly windowMinutes: number;
  /** How long the condition must hold before it fires, in minutes; 0: at once. */
  readonly forMinutes: number;
  /** What a window without any data means. */
  readonly noData: "ok" | "keep" | "alert";
  /** Ids of channels; none: only the history is kept. */
  readonly channelIds: readonly string[];
  readonly schedule: Schedule | null;
  /** Notices are held back until then. */
  readonly mutedUntil: Date | null;
  readonly isEnabled: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** E-mail address of whoever changed it last. */
  readonly updatedBy: string;
}

/** What a person fills in. */
export type AlertInput = Omit<
  AlertRule,
  "projectId" | "ruleId" | "createdAt" | "updatedAt" | "updatedBy"
>;

/** `pending`: the condition holds, but not for long enough yet. */
export type AlertStatus = "ok" | "pending" | "firing" | "no_data";
export type AlertLevel = "warning" | "critical";

/** The state of one group of a rule. */
export interface AlertState {
  readonly ruleId: string;
  /** Stable text of the group's labels (`host=a, zone=b`), the id, or `""` for a rule without groups. */
  readonly group: string;
  readonly status: AlertStatus;
  /** While pending or firing. */
  readonly level: AlertLevel | null;
  readonly value: number | null;
  /** Since when it has this status. */
  readonly since: Date;
  readonly evaluatedAt: Date;
}

/** One entry of a rule's history. */
export interface AlertTransition {
  readonly ruleId: string;
  readonly group: string;
  readonly at: Date;
  readonly from: AlertStatus;
  readonly to: AlertStatus;
  readonly level: AlertLevel | null;
  readonly value: number | null;
  /** Whether channels were told, and if not why: `muted`, `schedule`, `flapping`, `no_channel`. */
  readonly notice: "sent" | "muted" | "schedule" | "flapping" | "no_channel" | "none";
}

/** What channels know of a group. */
export interface Told {
  readonly status: Exclude<AlertStatus, "pending">;
  readonly level: AlertLevel | null;
}

/** All that is kept of one group of a rule between two evaluations. */
export interface GroupState {
  readonly group: string;
  readonly status: AlertStatus;
  readonly level: AlertLevel | null;
  readonly value: number | null;
  /** Since when it has this status. */
  readonly since: Date;
  /** The last change of status or level. */
  readonly changedAt: Date;
  /** The end of the last window with data. */
  readonly seenAt: Date;
  readonly told: Told;
  /** When channels were told for the last time, and the time before. */
  readonly toldAt: Date | null;
  readonly toldBefore: Date | null;
  /** When they were told that it is critical, for the last time. */
  readonly criticalToldAt: Date | null;
  /** Changes too often for channels to hear of each. */
  readonly isFlapping: boolean;
}

/** A group that nothing is known of yet. */
export function newState(group: string, since: Date): GroupState {
  return {
    group,
    status: "ok",
    level: null,
    value: null,
    since,
    changedAt: since,
    seenAt: since,
    told: { status: "ok", level: null },
    toldAt: null,
    toldBefore: null,
    criticalToldAt: null,
    isFlapping: false,
  };
}

/** Names a group in few characters, however long it is: a UUID. */
export function groupId(group: string): string {
  const hash = createHash("md5").update(group).digest("hex");
  return hash.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
