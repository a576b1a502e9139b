/** The states of an alert's groups as one. */
import type { AlertRule, AlertState, AlertStatus } from "./rule.ts";
import type { RuleSummary } from "./states.ts";

export interface AlertSummary {
  /** The state that matters most; null before the first evaluation. */
  readonly worst: AlertState | null;
  /** Groups by status. */
  readonly counts: Readonly<Record<AlertStatus, number>>;
  readonly groups: number;
}

/** What the list can be narrowed to; each alert is in exactly one beside `all`. */
export const LIST_FILTERS = ["all", "firing", "pending", "no_data", "ok", "muted", "off"] as const;
export type ListFilter = (typeof LIST_FILTERS)[number];

const NONE_YET = { ok: 0, pending: 0, firing: 0, no_data: 0 };
const RANKS: Readonly<Record<AlertStatus, number>> = { firing: 3, no_data: 2, pending: 1, ok: 0 };

/** What the groups of a rule come to; a rule that was not judged yet has none. */
export function summaryOf(found: RuleSummary | undefined): AlertSummary {
  if (found === undefined) return { worst: null, counts: NONE_YET, groups: 0 };
  const groups = Object.values(found.counts).reduce((sum, count) => sum + count, 0);
  return { ...found, groups };
}

/** The same of all states of a rule, the worst first. */
export function summaryOfStates(states: readonly AlertState[]): AlertSummary {
  const counts = { ...NONE_YET };
  for (const { status } of states) counts[status] += 1;
  return { worst: states[0] ?? null, counts, groups: states.length };
}

/** The worst first: by status, then level, then the latest change. */
export function compareSummaries({ worst: a }: AlertSummary, { worst: b }: AlertSummary): number {
  const [one, other] = [a?.status ?? "ok", b?.status ?? "ok"];
  if (one !== other) return RANKS[other] - RANKS[one];
  if (a === null || b === null || one === "ok") return 0;
  return Number(b.level === "critical") - Number(a.level === "critical") ||
    b.since.getTime() - a.since.getTime();
}

/** Whether nobody is told of an alert at this moment. */
export function isMuted({ mutedUntil }: Pick<AlertRule, "mutedUntil">, now: Date): boolean {
  return mutedUntil !== null && mutedUntil > now;
}

/** Where in the list an alert belongs. What is muted is so whatever its state: it is not what needs a hand. */
export function filterOf(
  rule: Pick<AlertRule, "mutedUntil" | "isEnabled">,
  { worst }: AlertSummary,
  now: Date,
): Exclude<ListFilter, "all"> {
  if (!rule.isEnabled) return "off";
  if (isMuted(rule, now)) return "muted";
  return worst?.status ?? "ok";
}
