/** What profiles tell of, and what may be done with their values over time. */
import type { ProfileKind } from "../../records/mod.ts";
import type { PprofProfile } from "./profile.ts";
import { nanosecondsOf } from "./units.ts";

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
