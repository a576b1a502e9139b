import type { OutcomeKind } from "../../telemetry/records.ts";
import type { UsageRow } from "../../telemetry/usage.ts";

/** Quantities of one line of a table by the end that items came to. */
export interface UsageLine {
  readonly key: string;
  readonly byKind: ReadonlyMap<OutcomeKind, number>;
  readonly total: number;
}

export interface UsageTotals {
  /** What arrived: everything but client-side drops. */
  readonly arrived: readonly UsageRow[];
  /** What clients dropped before sending, as they report. */
  readonly clientDrops: readonly UsageRow[];
}

/** Tells what arrived from what clients dropped themselves, which never did. */
export function splitUsage(rows: readonly UsageRow[]): UsageTotals {
  const isClientDrop = ({ kind }: UsageRow) => kind === "client_discard";
  return {
    arrived: rows.filter((row) => !isClientDrop(row)),
    clientDrops: rows.filter(isClientDrop),
  };
}

/** Adds up by a key, the largest line first. */
export function linesBy(rows: readonly UsageRow[], keyOf: (row: UsageRow) => string): UsageLine[] {
  const lines = new Map<string, Map<OutcomeKind, number>>();
  for (const row of rows) {
    const line = lines.get(keyOf(row)) ?? new Map<OutcomeKind, number>();
    lines.set(keyOf(row), line);
    line.set(row.kind, (line.get(row.kind) ?? 0) + row.quantity);
  }
  return [...lines].map(([key, byKind]) => ({ key, byKind, total: sum(byKind.values()) }))
    .sort((a, b) => b.total - a.total || (a.key < b.key ? -1 : 1));
}

/** The sum of all lines. */
export function totalOf(rows: readonly UsageRow[]): UsageLine {
  return linesBy(rows, () => "")[0] ?? { key: "", byKind: new Map(), total: 0 };
}

/** Quantities by day of the month, from the first to the last day, days without anything included. */
export function byDay(rows: readonly UsageRow[], days: readonly string[]): number[] {
  const sums = new Map<string, number>();
  for (const { day, quantity } of rows) sums.set(day, (sums.get(day) ?? 0) + quantity);
  return days.map((day) => sums.get(day) ?? 0);
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
