/** Kinds and values of profiles as people call them. */
import { currentLanguage, type Message, message, t } from "../core/language/translate.ts";
import { bytesOf, foldedUnit, formatProfileValue, nanosecondsOf } from "../core/value_units.ts";
import type { ValueType } from "../formats/pprof/profile.ts";
import { typeId } from "../formats/pprof/sample_types.ts";
import type { ProfileKind } from "../records/mod.ts";
import type { ChartUnit } from "../ui/charts/mod.ts";
import { formatCount, formatDuration, formatExact } from "../ui/format.ts";
import type { Differences } from "./merge/merge.ts";

/** What the values of several profiles were made into one by. */
export type Nature = "interval" | "cumulative" | "snapshot";

export const KIND_NAMES: Readonly<Record<ProfileKind, Message>> = {
  cpu: "CPU",
  wall: "Wall clock",
  memory: "Memory",
  goroutine: "Goroutines",
  threadcreate: "Threads created",
  block: "Blocking",
  mutex: "Mutexes",
  lock: "Locks",
  exception: "Exceptions",
  other: "Other",
};

const TYPE_NAMES: ReadonlyMap<string, Message> = new Map<string, Message>([
  ["cpu", "CPU time"],
  ["wall", "Wall time"],
  ["time", "Wall time"],
  ["sample", "Samples"],
  ["samples", "Samples"],
  ["inuse_space", "Memory in use"],
  ["inuse_objects", "Objects in use"],
  ["space", "Memory in use"],
  ["objects", "Objects in use"],
  ["alloc_space", "Allocated memory"],
  ["alloc_size", "Allocated memory"],
  ["alloc_objects", "Allocated objects"],
  ["alloc_samples", "Samples of allocations"],
  ["goroutine", "Goroutines"],
  ["goroutines", "Goroutines"],
  ["threadcreate", "Threads created"],
  ["contentions", "Contentions"],
  ["delay", "Delay"],
  ["lock_count", "Locks taken"],
  ["lock_time", "Time waited for locks"],
  ["exception", "Exceptions"],
  ["exceptions", "Exceptions"],
]);

/** `CPU time`, `Allocated memory`; the profile's own word for what is not known. */
export function typeName({ type }: Pick<ValueType, "type">): string {
  const known = TYPE_NAMES.get(type.toLowerCase());
  return known === undefined ? type || t("Values") : t(known);
}

/** Names that say nothing without the kind of the profile. */
const VAGUE = new Set(["sample", "samples", "contentions", "delay"]);

/** `CPU time`, `Memory in use`; with the kind before it where the name alone says too little: `CPU · Samples`. */
export function valueName(kind: ProfileKind, type: ValueType): string {
  const word = type.type.toLowerCase();
  const isKnown = TYPE_NAMES.has(word) && !VAGUE.has(word);
  return isKnown ? typeName(type) : `${t(KIND_NAMES[kind])} · ${typeName(type)}`;
}

/** {@linkcode typeName} of each type; those that would be called the same have their own word behind it. */
export function typeNames(types: readonly ValueType[]): string[] {
  const taken = new Set<string>();
  return types.map((type) => {
    const name = typeName(type);
    return firstFree(taken, [name, `${name} (${type.type})`, `${name} (${typeId(type)})`]);
  });
}

/** The first name that nobody has, else the last. */
function firstFree(taken: Set<string>, names: readonly string[]): string {
  const free = names.find((name) => !taken.has(name)) ?? names.at(-1) ?? "";
  taken.add(free);
  return free;
}

/** How charts write values of a unit, and what a value is multiplied by for it. */
export function chartUnitOf(unit: string): { readonly unit: ChartUnit; readonly factor: number } {
  const nanos = nanosecondsOf(unit);
  if (nanos !== null) return { unit: "duration", factor: Number(nanos) / 1e6 };
  const bytes = bytesOf(unit);
  return bytes !== null ? { unit: "bytes", factor: Number(bytes) } : { unit: "count", factor: 1 };
}

/** A value with its unit, and the exact number of it for whoever hovers. */
export function valueTexts(value: bigint | number, unit: string): { text: string; exact: string } {
  const digits = typeof value === "bigint"
    ? value.toLocaleString(currentLanguage())
    : formatExact(value);
  return { text: formatProfileValue(value, unit), exact: exactText(digits, unit) };
}

function exactText(digits: string, unit: string): string {
  switch (foldedUnit(unit)) {
    case "":
    case "count":
    case "sample":
    case "unit":
      return digits;
    case "nanosecond":
      return t("{time} ns", { time: digits });
    case "byte":
      return t("{size} B", { size: digits });
    default:
      return `${digits} ${unit}`;
  }
}

const COMBINED = {
  interval: message("Sum of {count} profile.|Sum of {count} profiles."),
  snapshot: message(
    "Average of {count} profile, each of which tells how things stood at one moment.|Average of {count} profiles, each of which tells how things stood at one moment.",
  ),
  cumulative: message(
    "Growth over {count} profile: they count since their process began, so of each process the first is taken from the last.|Growth over {count} profiles: they count since their process began, so of each process the first is taken from the last.",
  ),
} as const;

/** `Sum of 12 profiles.`: how the values came about, and what is not in them. */
export function combiningWords(
  { nature, profiles, left, cut = 0, differences = null }: {
    readonly nature: Nature;
    readonly profiles: number;
    /** Profiles that could not be read, or were too many. */
    readonly left: number;
    /** Stacks that lost their innermost frames. */
    readonly cut?: number;
    /** Of what is counted since processes began. */
    readonly differences?: Pick<Differences, "resets" | "whole"> | null;
  },
): string {
  if (profiles === 0 && left === 0) return t("No profiles.");
  const how = profiles === 1
    ? nature === "cumulative"
      ? t("One profile, which counts since its process began.")
      : t("One profile.")
    : t(COMBINED[nature], { n: profiles, count: formatCount(profiles) });
  const parts = [how, ...differenceWords(profiles === 1 ? null : differences)];
  if (left > 0) {
    parts.push(
      t(
        "{n} more was left out: too many for one graph, or not readable.|{n} more were left out: too many for one graph, or not readable.",
        { n: left },
      ),
    );
  }
  if (cut > 0) {
    parts.push(
      t(
        "{count} stack ends early, since there are too many; the sums are whole.|{count} stacks end early, since there are too many; the sums are whole.",
        { n: cut, count: formatCount(cut) },
      ),
    );
  }
  return parts.join(" ");
}

function differenceWords(differences: Pick<Differences, "resets" | "whole"> | null): string[] {
  if (differences === null) return [];
  const { resets, whole } = differences;
  return [
    ...(resets === 0 ? [] : [
      t("Processes began anew {n} time.|Processes began anew {n} times.", { n: resets }),
    ]),
    ...(whole === 0 ? [] : [
      t(
        "{n} process with a single profile is in it with all since the beginning.|{n} processes with a single profile are in it with all since the beginning.",
        { n: whole },
      ),
    ]),
  ];
}

/** Why something short has no samples, or one that tells little. Both in milliseconds. */
export function shorterThanInterval(ms: number, intervalMs: number): string {
  return t(
    "It took {duration}, less than the {interval} between two samples: whether one falls into it is a matter of luck.",
    { duration: formatDuration(ms), interval: formatDuration(intervalMs) },
  );
}
