import type { ValueType } from "../pprof/profile.ts";

/** What counts of collapsed stacks mean. */
export interface CountedAs {
  readonly types: readonly ValueType[];
  /** Values of a stack that was counted once, one for each type. */
  readonly factors: readonly bigint[];
  /** Time between two samples, or null. */
  readonly periodType: ValueType | null;
  readonly period: bigint;
}

const DEFAULT_RATE = 100;
const MAX_RATE = 1_000_000;
const SECOND_NANOS = 1e9;
const SAMPLES: ValueType = { type: "samples", unit: "count" };

const type = (type: string, unit: string): ValueType => ({ type, unit });

const BY_SUFFIX: Readonly<Record<string, ValueType>> = {
  inuse_objects: type("inuse_objects", "count"),
  inuse_space: type("inuse_space", "bytes"),
  alloc_objects: type("alloc_objects", "count"),
  alloc_space: type("alloc_space", "bytes"),
  goroutines: type("goroutine", "count"),
  mutex_count: type("contentions", "count"),
  mutex_duration: type("delay", "nanoseconds"),
  block_count: type("contentions", "count"),
  block_duration: type("delay", "nanoseconds"),
  lock_count: type("lock_count", "count"),
  lock_duration: type("lock_time", "nanoseconds"),
  exceptions: type("exceptions", "count"),
  live: type("inuse_objects", "count"),
};

const BY_UNITS: Readonly<Record<string, ValueType>> = {
  objects: type("alloc_objects", "count"),
  bytes: type("alloc_space", "bytes"),
  goroutines: type("goroutine", "count"),
  lock_samples: type("contentions", "count"),
  lock_nanoseconds: type("delay", "nanoseconds"),
  exceptions: type("exceptions", "count"),
};

/**
 * Tells what is counted: samples on the CPU unless the name or the units say otherwise.
 *
 * @param suffix of the application's name, as `wall`
 * @param units as `samples`, `bytes`; `""` when absent
 * @param sampleRate samples a second; 100 when it is no such number
 */
export function countedAs(suffix: string, units: string, sampleRate: number): CountedAs {
  const single = valueIn(BY_SUFFIX, suffix) ?? valueIn(BY_UNITS, units);
  if (single !== undefined) return { types: [single], factors: [1n], periodType: null, period: 0n };
  const time = type(suffix === "wall" || suffix === "itimer" ? "wall" : "cpu", "nanoseconds");
  const rate = sampleRate > 0 && sampleRate <= MAX_RATE ? sampleRate : DEFAULT_RATE;
  const period = BigInt(Math.round(SECOND_NANOS / rate));
  return { types: [SAMPLES, time], factors: [1n, period], periodType: time, period };
}

function valueIn(table: Readonly<Record<string, ValueType>>, key: string): ValueType | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
