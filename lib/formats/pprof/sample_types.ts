/** Which values a profile has to show, and what they are called. */
import { foldedUnit, nanosecondsOf } from "../../core/value_units.ts";
import type { ProfileKind } from "../../records/mod.ts";
import type { PprofProfile, ValueType } from "./profile.ts";

/** Values that can be shown: those of a sample type, times a factor. */
export interface ProfileValue extends ValueType {
  /** Place among the profile's sample types. */
  readonly index: number;
  /** What each value is multiplied by; 1 for values as they stand. */
  readonly factor: bigint;
}

type Header = Pick<
  PprofProfile,
  "sampleTypes" | "periodType" | "period" | "defaultSampleType"
>;

const COUNTED = new Set(["", "sample", "samples"]);
const COUNTS = new Set(["", "count", "sample"]);

/**
 * The values to show of a profile, in its own order, each type once; hyphens in names are underscores, as old .NET
 * profilers differ from new ones in nothing else. A profile that only counts its samples has the time between them as
 * well, in nanoseconds: samples × period.
 *
 * @returns at least one for every profile that {@linkcode decodePprof} lets through
 */
export function valueTypesOf(profile: Header): readonly ProfileValue[] {
  const values = new Map<string, ProfileValue>();
  for (const [index, { type, unit }] of profile.sampleTypes.entries()) {
    const value = { type: type.replaceAll("-", "_"), unit, index, factor: 1n };
    const id = typeId(value);
    if (!values.has(id)) values.set(id, value);
  }
  const time = timeOfSamples(profile);
  return time === null ? [...values.values()] : [...values.values(), time];
}

function timeOfSamples({ sampleTypes, periodType, period }: Header): ProfileValue | null {
  const [only] = sampleTypes;
  if (sampleTypes.length !== 1 || only === undefined || periodType === null) return null;
  if (!COUNTED.has(only.type.toLowerCase()) || !COUNTS.has(foldedUnit(only.unit))) return null;
  const nanos = nanosecondsOf(periodType.unit);
  if (nanos === null || period <= 0n) return null;
  const type = periodType.type.replaceAll("-", "_") || "cpu";
  return { type, unit: "nanoseconds", index: 0, factor: period * nanos };
}

/**
 * Types in the order in which they are shown: those with samples before those without, which profilers of many things
 * at once name as well; time on the processor, then on the clock, then the others; and the last first, which is where
 * profilers put the main one.
 *
 * @param hasSamples whether any sample has a value of the type
 */
export function bestFirst<T extends ValueType>(
  types: readonly T[],
  hasSamples: (type: T) => boolean,
): T[] {
  return types.map((type) => ({ type, rank: (hasSamples(type) ? 0 : 3) + timeRank(type) }))
    .reverse().sort((a, b) => a.rank - b.rank).map(({ type }) => type);
}

function timeRank({ type, unit }: ValueType): number {
  if (nanosecondsOf(unit) === null) return 2;
  const word = type.toLowerCase();
  return word.includes("cpu") ? 0 : word.startsWith("wall") ? 1 : 2;
}

/** Whether any sample of a profile has a value of the type. */
function hasSamples(
  { sampleTypes, samples }: Pick<PprofProfile, "sampleTypes" | "samples">,
  { index }: Pick<ProfileValue, "index">,
): boolean {
  for (let at = index; at < samples.values.length; at += sampleTypes.length) {
    if (samples.values[at] !== 0n) return true;
  }
  return false;
}

/**
 * The values to show first: those that the profile prefers, if it has samples of them, else the first of
 * {@linkcode bestFirst}.
 *
 * @throws {RangeError} for a profile without sample types
 */
export function defaultTypeOf(profile: Header & Pick<PprofProfile, "samples">): ProfileValue {
  const filled = (value: ProfileValue) => hasSamples(profile, value);
  const values = bestFirst(valueTypesOf(profile), filled);
  const preferred = profile.defaultSampleType.replaceAll("-", "_");
  const named = values.find((value) => value.type === preferred && filled(value));
  const value = named ?? values[0];
  if (value === undefined) throw new RangeError("A profile without sample types has no values");
  return value;
}

/** A type as one word, for addresses and the index: `cpu:nanoseconds`. */
export function typeId({ type, unit }: ValueType): string {
  return `${escaped(type)}:${escaped(unit)}`;
}

/** Reads what {@linkcode typeId} wrote; null for anything else. */
export function readTypeId(id: string): ValueType | null {
  const [type, unit, ...rest] = id.split(":");
  if (type === undefined || unit === undefined || rest.length > 0) return null;
  return { type: unescaped(type), unit: unescaped(unit) };
}

function escaped(name: string): string {
  return name.replaceAll("%", "%25").replaceAll(":", "%3A");
}

function unescaped(name: string): string {
  return name.replace(/%3A/gi, ":").replaceAll("%25", "%");
}

/** Words of clients: the endings of Go's addresses, the names of Pyroscope's types, our own. */
const HINTS: Readonly<Record<string, ProfileKind>> = {
  cpu: "cpu",
  process_cpu: "cpu",
  profile: "cpu",
  itimer: "cpu",
  wall: "wall",
  fgprof: "wall",
  time: "wall",
  memory: "memory",
  heap: "memory",
  allocs: "memory",
  alloc: "memory",
  alloc_objects: "memory",
  alloc_space: "memory",
  inuse_objects: "memory",
  inuse_space: "memory",
  goroutine: "goroutine",
  goroutines: "goroutine",
  threadcreate: "threadcreate",
  block: "block",
  block_count: "block",
  block_duration: "block",
  mutex: "mutex",
  mutex_count: "mutex",
  mutex_duration: "mutex",
  lock: "lock",
  exception: "exception",
  exceptions: "exception",
  other: "other",
};

/** The first that fits any type wins: profiles of several kinds at once are known by what comes first here. */
const BY_TYPE: readonly (readonly [RegExp, ProfileKind])[] = [
  [/^wall/, "wall"],
  [/cpu|^itimer/, "cpu"],
  [/^goroutine/, "goroutine"],
  [/^threadcreate/, "threadcreate"],
  [/^(alloc|inuse|live)_|^(objects|space)$/, "memory"],
  [/^mutex/, "mutex"],
  [/^block/, "block"],
  [/^lock|^contentions$|^delay$/, "lock"],
  [/^exception/, "exception"],
  [/^time$/, "wall"],
];

/** Counted since the process began, unless the profile covers a stretch of time. */
const CUMULATIVE = new Set(["alloc_objects", "alloc_space", "contentions", "delay"]);
/** What there is at one moment. */
const SNAPSHOT = /^(inuse_|live_|goroutine|threadcreate)|^(objects|space)$/;

/**
 * What a profile tells of: as its client says, else as its sample types and its period do. Go's profiles of locks and
 * of waiting have the same types, and are `lock` when nobody says which.
 *
 * @param hint a word of the client, such as `mutex`, or `""`
 */
export function profileKindOf(
  { sampleTypes, periodType }: Pick<PprofProfile, "sampleTypes" | "periodType">,
  hint: string,
): ProfileKind {
  const word = folded(hint);
  const stated = Object.hasOwn(HINTS, word) ? HINTS[word] : undefined;
  if (stated !== undefined) return stated;
  const period = folded(periodType?.type ?? "");
  const types = sampleTypes.map(({ type }) => folded(type));
  // The period tells time on the clock from time on the processor where types do not: fgprof's is `time`.
  if (period.startsWith("wall")) return "wall";
  const known = kindOfAny(types) ?? kindOfAny([period]);
  if (known !== undefined) return known;
  // Samples in time and nothing else: py-spy's.
  return periodType !== null && nanosecondsOf(periodType.unit) !== null &&
      types.every((type) => type === "samples" || type === "sample")
    ? "cpu"
    : "other";
}

function kindOfAny(types: readonly string[]): ProfileKind | undefined {
  return BY_TYPE.find(([pattern]) => types.some((type) => pattern.test(type)))?.[1];
}

/**
 * What may be done with values over time: those of intervals are added up; of cumulative ones the first is taken from
 * the last, for each instance; of snapshots there is an average.
 *
 * @param type name of the sample type, such as `alloc_space`
 * @param isDelta the profile covers a stretch of time
 */
export function natureOf(
  kind: ProfileKind,
  type: string,
  isDelta: boolean,
): "interval" | "cumulative" | "snapshot" {
  const name = folded(type);
  if (kind === "goroutine" || kind === "threadcreate" || SNAPSHOT.test(name)) return "snapshot";
  return !isDelta && CUMULATIVE.has(name) ? "cumulative" : "interval";
}

function folded(name: string): string {
  return name.trim().toLowerCase().replaceAll("-", "_");
}
