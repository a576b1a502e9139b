import { distinctCount } from "./distinct.ts";
import { Sketch } from "./sketch.ts";

/** What counts add up to. */
export interface Stats {
  /** How many were stored. */
  readonly count: number;
  readonly failures: number;
  /** How many there were, with what was sampled away, as far as clients say. */
  readonly weight: number;
  /** Of all values: milliseconds, or scores. */
  readonly sum: number;
  /** Of HTTP answers 2xx to 5xx. */
  readonly statuses: readonly [number, number, number, number];
  readonly sketch: Sketch;
  /** Different users: exact below 256, else an estimate. */
  readonly users: number;
  /** A trace to look at, 32 hex digits, or null. */
  readonly traceId: string | null;
  /** The last period with a count: when it was last seen, to the hour or so. */
  readonly lastSeen: Date | null;
}

/** What is dear to read, since it is many bytes, and can be left out. */
export type Costly = "sketch" | "users";

/** What is left out is no zero: the type does not have it. */
export type StatsWithout<Left extends Costly = never> = Omit<Stats, Left>;

/** How rows of counts come from Postgres; what was left out is absent. */
export interface StatsRow {
  readonly count: string;
  readonly failures: string;
  readonly weight: number;
  readonly sum: number;
  readonly status_2xx: string;
  readonly status_3xx: string;
  readonly status_4xx: string;
  readonly status_5xx: string;
  readonly sketch?: Uint8Array;
  readonly users?: Uint8Array;
  readonly traceId: string | null;
  readonly lastSeen: Date;
}

export const NO_STATS: Stats = {
  count: 0,
  failures: 0,
  weight: 0,
  sum: 0,
  statuses: [0, 0, 0, 0],
  sketch: new Sketch(),
  users: 0,
  traceId: null,
  lastSeen: null,
};

/**
 * Reads a row.
 *
 * @typeParam Left what the row was asked for without
 */
export function statsOf<Left extends Costly>(row: StatsRow): StatsWithout<Left> {
  const stats: Omit<Stats, Costly> & Partial<Pick<Stats, Costly>> = {
    count: Number(row.count),
    failures: Number(row.failures),
    weight: row.weight,
    sum: row.sum,
    statuses: [
      Number(row.status_2xx),
      Number(row.status_3xx),
      Number(row.status_4xx),
      Number(row.status_5xx),
    ],
    traceId: row.traceId,
    lastSeen: row.lastSeen,
    ...row.sketch === undefined ? {} : { sketch: unread(row.sketch) },
    ...row.users === undefined ? {} : { users: distinctCount(row.users) },
  };
  return stats as StatsWithout<Left>;
}

/** Most groups of a list are on none of its pages: nobody asks for their quantiles. */
function unread(bytes: Uint8Array): Sketch {
  const sketch = new Sketch();
  sketch.addUnread(bytes);
  return sketch;
}

/**
 * Adds up counts of different things. Users are no sum: who is among several is one.
 *
 * @param parts at least one
 */
export function sumOf(parts: readonly StatsWithout<"users">[]): StatsWithout<"users"> {
  const sum = (of: (part: StatsWithout<"users">) => number) =>
    parts.reduce((total, part) => total + of(part), 0);
  const sketch = new Sketch();
  for (const part of parts) sketch.merge(part.sketch);
  const seen = parts.flatMap(({ lastSeen }) => lastSeen === null ? [] : [lastSeen.getTime()]);
  return {
    count: sum(({ count }) => count),
    failures: sum(({ failures }) => failures),
    weight: sum(({ weight }) => weight),
    sum: sum((part) => part.sum),
    statuses: [
      sum(({ statuses }) => statuses[0]),
      sum(({ statuses }) => statuses[1]),
      sum(({ statuses }) => statuses[2]),
      sum(({ statuses }) => statuses[3]),
    ],
    sketch,
    traceId: parts.find(({ traceId }) => traceId !== null)?.traceId ?? null,
    lastSeen: seen.length === 0 ? null : new Date(Math.max(...seen)),
  };
}

/** The average value, or null when there is none. */
export function averageOf({ sum, count }: Pick<Stats, "sum" | "count">): number | null {
  return count === 0 ? null : sum / count;
}

/** The share of failures, 0 to 1, or null when there is nothing to fail. */
export function failureRate({ failures, count }: Pick<Stats, "failures" | "count">): number | null {
  return count === 0 ? null : failures / count;
}

/**
 * Apdex: the share of transactions within the threshold, and half of those within four times of it. Failed ones count
 * as they took, since their duration alone is in the sketch.
 *
 * @param thresholdMs what is satisfying
 * @returns 0 to 1, or null when there are none
 */
export function apdex(sketch: Sketch, thresholdMs: number): number | null {
  const { count } = sketch;
  if (count === 0) return null;
  const satisfied = sketch.countUpTo(thresholdMs);
  const tolerated = sketch.countUpTo(4 * thresholdMs) - satisfied;
  return (satisfied + tolerated / 2) / count;
}

/** Counts of what is stored, and of what there was. */
export type Sampled = Pick<Stats, "count" | "weight">;

/**
 * What a figure of the stored ones is with those that were sampled away: they were as long and failed as often.
 *
 * @param stored a sum over the stored ones, as milliseconds or failures
 * @returns the same for all that there were, as far as clients say
 */
export function extrapolated(stored: number, { count, weight }: Sampled): number {
  return count === 0 ? 0 : stored * weight / count;
}

/** Milliseconds that all took together, with what was sampled away. */
export function totalTimeOf(stats: Sampled & Pick<Stats, "sum">): number {
  return extrapolated(stats.sum, stats);
}

/** Counts of several groups together. */
export function sampledOf(groups: readonly Sampled[]): Sampled {
  return {
    count: groups.reduce((sum, { count }) => sum + count, 0),
    weight: groups.reduce((sum, { weight }) => sum + weight, 0),
  };
}
