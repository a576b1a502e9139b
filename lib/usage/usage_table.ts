import type { KindQuantity } from "./usage.ts";
import type { OutcomeKind } from "../records/mod.ts";

/** Quantities of one line of a table by the end that items came to. */
export interface UsageLine {
  readonly key: string;
  readonly byKind: ReadonlyMap<OutcomeKind, number>;
  readonly total: number;
}

/** What arrived: everything but what clients dropped themselves, which never did. */
export function arrivedOf<T extends KindQuantity>(rows: readonly T[]): T[] {
  return rows.filter(({ kind }) => kind !== "client_discard");
}

/** Adds up by a key, the largest line first. */
export function linesBy<T extends KindQuantity>(
  rows: readonly T[],
  keyOf: (row: T) => string,
): UsageLine[] {
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
export function totalOf(rows: readonly KindQuantity[]): UsageLine {
  return linesBy(rows, () => "")[0] ?? { key: "", byKind: new Map(), total: 0 };
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
