/**
 * What both encodings of OTLP's profiles are read into: tables that all profiles of a request share, and profiles that
 * name places in them. Places are as sent, and may lead nowhere; 0 is "not set" everywhere.
 */
import type { Json } from "../json.ts";
import type { ResourceGroup, Scope } from "./model.ts";

/** `ValueType`: places in the texts. */
export interface OtlpValueType {
  type: number;
  unit: number;
}

/** `KeyValueAndUnit`. */
export interface OtlpAttribute {
  key: number;
  value: Json;
  unit: number;
}

/** `Mapping`. */
export interface OtlpMapping {
  start: bigint;
  limit: bigint;
  offset: bigint;
  filename: number;
  attributes: number[];
}

/** `Line`. */
export interface OtlpLine {
  function: number;
  line: number;
  column: number;
}

/** `Location`. */
export interface OtlpLocation {
  mapping: number;
  address: bigint;
  /** The innermost inlined function first. */
  readonly lines: OtlpLine[];
  attributes: number[];
}

/** `Function`. */
export interface OtlpFunction {
  name: number;
  systemName: number;
  filename: number;
  startLine: number;
}

/** `Link`: ids as hex digits, `""` when unset. */
export interface OtlpProfileLink {
  traceId: string;
  spanId: string;
}

/** `ProfilesDictionary`. */
export interface OtlpDictionary {
  readonly mappings: OtlpMapping[];
  readonly locations: OtlpLocation[];
  readonly functions: OtlpFunction[];
  readonly links: OtlpProfileLink[];
  readonly texts: string[];
  readonly attributes: OtlpAttribute[];
  /** Locations, the leaf first. */
  readonly stacks: (readonly number[])[];
}

/** `Sample`: values, times in nanoseconds since 1970, or one time for each value. */
export interface OtlpSample {
  stack: number;
  link: number;
  readonly attributes: number[];
  readonly values: bigint[];
  readonly times: bigint[];
  /** Numbers of its fields are not those of the protocol since March 2026. */
  isOlder: boolean;
}

/** `Profile`: one type of values. */
export interface OtlpProfile {
  type: OtlpValueType | null;
  readonly samples: OtlpSample[];
  /** Nanoseconds since 1970, 0 when unset. */
  time: bigint;
  duration: bigint;
  periodType: OtlpValueType | null;
  period: bigint;
  /** 32 hex digits, or `""`. */
  profileId: string;
  attributes: number[];
  /** As `pprof`, with the bytes that the profile was made of; or `""`. */
  originalFormat: string;
  original: Uint8Array | null;
  /** Its fields, or those of a sample, are of the protocol before March 2026, and mean other things. */
  isOlder: boolean;
}

/** One request. */
export interface OtlpProfiles {
  readonly groups: ResourceGroup<OtlpProfile>[];
  readonly dictionary: OtlpDictionary;
}

/** A dictionary of which nothing is read yet. */
export function newDictionary(): OtlpDictionary {
  return {
    mappings: [],
    locations: [],
    functions: [],
    links: [],
    texts: [],
    attributes: [],
    stacks: [],
  };
}

/** A profile of which nothing is read yet. */
export function newProfile(): OtlpProfile {
  return {
    type: null,
    samples: [],
    time: 0n,
    duration: 0n,
    periodType: null,
    period: 0n,
    profileId: "",
    attributes: [],
    originalFormat: "",
    original: null,
    isOlder: false,
  };
}

/** A sample of which nothing is read yet. */
export function newSample(): OtlpSample {
  return { stack: 0, link: 0, attributes: [], values: [], times: [], isOlder: false };
}

/** Profiles that were one before they became OTLP, which knows one type of values for each: at least one. */
export interface ProfileSet {
  readonly group: ResourceGroup<OtlpProfile>;
  readonly scope: Scope<OtlpProfile>;
  /** In the order of the types of the profile that they were. */
  readonly profiles: readonly OtlpProfile[];
}

/**
 * Finds what belongs together: profiles of one resource and one library that began at the same time, took as long, were
 * sampled alike, and differ in their types.
 */
export function profileSets(
  groups: readonly ResourceGroup<OtlpProfile>[],
  dictionary: OtlpDictionary,
): ProfileSet[] {
  return groups.flatMap((group) =>
    group.scopes.flatMap((scope) =>
      setsOf(inOrder(scope), dictionary).map((profiles) => ({ group, scope, profiles }))
    )
  );
}

function setsOf(
  profiles: readonly OtlpProfile[],
  { texts }: OtlpDictionary,
): OtlpProfile[][] {
  const nameOf = (type: OtlpValueType | null) =>
    type === null ? "" : `${texts[type.type] ?? ""}/${texts[type.unit] ?? ""}`;
  const sets: OtlpProfile[][] = [];
  const open = new Map<string, { profiles: OtlpProfile[]; types: Set<string> }>();
  for (const profile of profiles) {
    const { time, duration, periodType, period, type } = profile;
    const key = `${time} ${duration} ${period} ${nameOf(periodType)}`;
    const set = open.get(key);
    const name = nameOf(type);
    // Without a time nothing says that they were one; a type that is there already begins another.
    if (set === undefined || time === 0n || set.types.has(name)) {
      const started = { profiles: [profile], types: new Set([name]) };
      open.set(key, started);
      sets.push(started.profiles);
    } else {
      set.profiles.push(profile);
      set.types.add(name);
    }
  }
  return sets;
}

/** Converters from pprof say which type each profile was. */
function inOrder({ items, attributes }: Scope<OtlpProfile>): readonly OtlpProfile[] {
  const order = attributes["pprof.scope.sample_type_order"];
  if (!Array.isArray(order) || order.length !== items.length) return items;
  const places = new Map(items.map((item, index) => [item, Number(order[index])]));
  return items.toSorted((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
}
