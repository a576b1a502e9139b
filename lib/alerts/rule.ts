/** An alert rule, how its groups stand, and what happens to them. */
import { createHash } from "node:crypto";
import type { AlertInput } from "./check_input.ts";

export type { AlertInput };
export type AlertSource = AlertInput["source"];
export type MetricSource = Extract<AlertSource, { kind: "metric" }>;
export type ErrorSource = Extract<AlertSource, { kind: "errors" }>;
export type TransactionSource = Extract<AlertSource, { kind: "transactions" }>;
export type Condition = AlertInput["condition"];
export type Comparison = Condition["comparison"];
export type Schedule = NonNullable<AlertInput["schedule"]>;

export interface AlertRule extends AlertInput {
  readonly projectId: string;
  /** UUID. */
  readonly ruleId: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** E-mail address of whoever changed it last. */
  readonly updatedBy: string;
}

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
