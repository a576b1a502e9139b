import type { ResourceGroup, Scope } from "./model.ts";
import type { OtlpDictionary, OtlpProfile, OtlpValueType } from "./profiles_model_2.ts";

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
