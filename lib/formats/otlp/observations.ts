import { LIMITS } from "./profiles_limits_2.ts";
import type { OtlpDictionary, OtlpProfile, OtlpSample } from "./profiles_model_2.ts";

/** What a sample says of one moment, or of the whole time. */
export interface Observation {
  readonly sample: OtlpSample;
  readonly value: bigint;
  /** Nanoseconds since the profile began, or null when it does not say. */
  readonly offset: bigint | null;
}

/** The observations of a profile, and how many samples are no use. */
export interface Observations {
  readonly observations: readonly Observation[];
  readonly broken: number;
}

/**
 * Takes a profile's samples apart where they were seen several times. Samples are no use that name what is not in the
 * dictionary, have neither value nor time, not one value for each time, or
 * more attributes than anybody reads.
 */
export function observationsOf(profile: OtlpProfile, dictionary: OtlpDictionary): Observations {
  const whole = profile.samples.filter((sample) => isWhole(sample, dictionary));
  const seen = whole.reduce((sum, { times }) => sum + times.length, 0);
  const isTimed = profile.time > 0n && seen <= LIMITS.timed;
  return {
    observations: whole.flatMap((sample) => isTimed ? timed(sample, profile) : [summed(sample)]),
    broken: profile.samples.length - whole.length,
  };
}

function isWhole(
  { stack, link, attributes, values, times }: OtlpSample,
  dictionary: OtlpDictionary,
): boolean {
  // Place 0 is "not set", whether or not the table has anything there.
  const isKnown = (place: number, table: readonly unknown[]) => place === 0 || place < table.length;
  return isKnown(stack, dictionary.stacks) && isKnown(link, dictionary.links) &&
    attributes.length <= LIMITS.attributes &&
    attributes.every((place) => isKnown(place, dictionary.attributes)) &&
    (values.length === 0 || times.length === 0
      ? values.length + times.length > 0
      : values.length === times.length);
}

function timed(sample: OtlpSample, { time }: OtlpProfile): Observation[] {
  const { values, times } = sample;
  if (times.length === 0) return [summed(sample)];
  return times.map((at, index) => ({
    sample,
    // A time by itself was seen once.
    value: values.length === 0 ? 1n : values[index] ?? 0n,
    offset: at >= time ? at - time : null,
  }));
}

function summed(sample: OtlpSample): Observation {
  const { values, times } = sample;
  const value = values.length === 0
    ? BigInt(times.length)
    : values.reduce((sum, each) => sum + each, 0n);
  return { sample, value: BigInt.asIntN(64, value), offset: null };
}
