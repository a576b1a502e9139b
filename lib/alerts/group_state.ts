import type { AlertLevel, AlertStatus } from "./rule.ts";

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
