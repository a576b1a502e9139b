import { compactDistinct, joinedSets } from "./distinct.ts";
import { Sketch } from "./sketch.ts";
import type { StatCount } from "./stat_tally.ts";

/** One row of a table of counts: those of several minutes together, where its periods are longer. */
export interface StatRow extends Omit<StatCount, "minute" | "sketch" | "users"> {
  /** Start of the period, in milliseconds since 1970. */
  readonly time: number;
  readonly sketch: Uint8Array;
  readonly users: Uint8Array;
}

/** The counts as rows of their minutes. */
export function minuteRows(counts: readonly StatCount[]): StatRow[] {
  return counts.map(({ minute, sketch, users, ...count }) => ({
    ...count,
    time: minute,
    sketch: sketch.toBytes(),
    users: setOf(users),
  }));
}

/** Rows of longer periods, made of rows of shorter ones: each series once in each. */
export function rowsByPeriod(rows: readonly StatRow[], periodMs: number): StatRow[] {
  const startOf = (time: number) => Math.floor(time / periodMs) * periodMs;
  const groups = Map.groupBy(
    rows,
    ({ projectId, seriesId, time }) => `${projectId}/${startOf(time)}/${seriesId}`,
  );
  return [...groups.values()].map((group) => {
    const row = sumOf(group);
    return { ...row, time: startOf(row.time) };
  });
}

function sumOf(group: readonly StatRow[]): StatRow {
  const [first] = group;
  if (first === undefined) throw new RangeError("Cannot add up counts: there are none");
  // Most often, as what is added up at once has happened in the same minute.
  if (group.length === 1) return first;
  const sum = (of: (row: StatRow) => number) => group.reduce((total, row) => total + of(row), 0);
  return {
    ...first,
    count: sum(({ count }) => count),
    failures: sum(({ failures }) => failures),
    weight: sum(({ weight }) => weight),
    sum: sum(({ sum }) => sum),
    statuses: [
      sum(({ statuses }) => statuses[0]),
      sum(({ statuses }) => statuses[1]),
      sum(({ statuses }) => statuses[2]),
      sum(({ statuses }) => statuses[3]),
    ],
    sketch: Sketch.of(...group.map(({ sketch }) => sketch)).toBytes(),
    users: setOf(group.map(({ users }) => users)),
  };
}

function setOf(parts: readonly Uint8Array[]): Uint8Array {
  return parts.length === 0 ? new Uint8Array() : compactDistinct(joinedSets(parts));
}
