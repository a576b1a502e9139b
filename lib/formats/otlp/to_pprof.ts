import { PprofBuilder, type PprofLabel } from "../pprof/encode.ts";
import type { ValueType } from "../pprof/profile.ts";
import { textIn } from "../attributes.ts";
import { Labels } from "./labels.ts";
import { Locations } from "./locations.ts";
import type { OtlpDictionary, OtlpSample, OtlpValueType } from "./profiles_model_2.ts";
import { LIMITS } from "./profiles_limits_2.ts";
import { type Observation, observationsOf } from "./observations.ts";
import type { ProfileSet } from "./profile_sets.ts";
import { TooMuchWork, type Work } from "./work.ts";

/** A profile that is written, and what was found on the way. */
export interface WrittenPprof {
  /** Plain protobuf. */
  readonly bytes: Uint8Array;
  /** How many samples were no use, of how many. */
  readonly broken: number;
  readonly samples: number;
  /** As `cpython`, the most frequent first. */
  readonly frameTypes: readonly string[];
}

/** What a label costs to write, in frames. */
const LABEL_STEPS = 8;

/** Writes profiles that belong together as one, with a type of values for each. @throws {TooMuchWork} */
export function toPprof(
  { scope, profiles }: ProfileSet,
  dictionary: OtlpDictionary,
  work: Work,
): WrittenPprof {
  const [first] = profiles;
  const builder = new PprofBuilder({
    sampleTypes: profiles.map(({ type }) => valueTypeOf(type, dictionary)),
    timeNanos: BigInt.asIntN(64, first?.time ?? 0n),
    durationNanos: BigInt.asIntN(64, first?.duration ?? 0n),
    ...(first?.periodType && { periodType: valueTypeOf(first.periodType, dictionary) }),
    period: first?.period ?? 0n,
    defaultSampleType: textIn(scope.attributes, "pprof.scope.default_sample_type"),
  });
  const locations = new Locations(builder, dictionary, work);
  const labels = new Labels(dictionary);
  const seen = profiles.map((profile) => observationsOf(profile, dictionary));
  for (const { sample, offset, values } of joined(seen.map(({ observations }) => observations))) {
    const stack = locations.stack(sample.stack);
    const own = [...labels.of(sample), ...offsetLabel(offset)];
    work.spend(stack.length + LABEL_STEPS * own.length);
    builder.sample(stack, values, own);
  }
  return {
    bytes: builder.toBytes(),
    broken: seen.reduce((sum, { broken }) => sum + broken, 0),
    samples: profiles.reduce((sum, { samples }) => sum + samples.length, 0),
    frameTypes: locations.frameTypes,
  };
}

function valueTypeOf(sent: OtlpValueType | null, { texts }: OtlpDictionary): ValueType {
  return { type: texts[sent?.type ?? 0] ?? "", unit: texts[sent?.unit ?? 0] ?? "" };
}

function offsetLabel(offset: bigint | null): PprofLabel[] {
  return offset === null ? [] : [{ key: "offset", number: offset, unit: "nanoseconds" }];
}

interface Row {
  readonly sample: OtlpSample;
  readonly offset: bigint | null;
  readonly values: bigint[];
}

/** Puts what several types say of the same stack, labels and moment side by side. */
function joined(types: readonly (readonly Observation[])[]): Iterable<Row> {
  const rows = new Map<string, Row>();
  const identities = new Map<OtlpSample, string>();
  for (const [type, observations] of types.entries()) {
    for (const { sample, value, offset } of observations) {
      let identity = identities.get(sample);
      if (identity === undefined) {
        identity = `${sample.stack} ${sample.link} ${sample.attributes}`;
        identities.set(sample, identity);
      }
      const key = `${identity} ${offset}`;
      let row = rows.get(key);
      if (row === undefined) {
        if (rows.size === LIMITS.samples) throw new TooMuchWork("Cannot convert: too many samples");
        rows.set(key, row = { sample, offset, values: types.map(() => 0n) });
      }
      row.values[type] = BigInt.asIntN(64, (row.values[type] ?? 0n) + value);
    }
  }
  return rows.values();
}
