import { textIn } from "../fields.ts";
import type { Json, JsonObject } from "../json.ts";
import { addressInFile, type ValueType } from "../pprof/profile.ts";
import { lineNumber, PprofBuilder, type PprofLabel } from "../pprof/encode.ts";
import { isSpanId, isTraceId } from "./model.ts";
import { LIMITS, TooMuchWork, type Work } from "./profiles_limits.ts";
import type {
  OtlpDictionary,
  OtlpLocation,
  OtlpProfile,
  OtlpSample,
  OtlpValueType,
  ProfileSet,
} from "./profiles_model.ts";

/** A profile that is written, and what was found on the way. */
interface WrittenPprof {
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

const BUILD_IDS = [
  "process.executable.build_id.gnu",
  "process.executable.build_id.go",
  "process.executable.build_id.htlhash",
] as const;

/** Puts locations of a dictionary into a profile, each when it is first asked for. */
class Locations {
  readonly #ids = new Map<number, number>();
  readonly #stacks = new Map<number, readonly number[]>();
  readonly #frameTypes = new Map<string, number>();

  constructor(
    private readonly builder: PprofBuilder,
    private readonly dictionary: OtlpDictionary,
    private readonly work: Work,
  ) {}

  /** The locations of a stack, the leaf first; what is not in the dictionary is left out. @throws {TooMuchWork} */
  stack(place: number): readonly number[] {
    let stack = this.#stacks.get(place);
    if (stack === undefined) {
      const { locations, stacks } = this.dictionary;
      const places = (stacks[place] ?? []).slice(-LIMITS.depth)
        .filter((each) => each < locations.length);
      this.work.spend(places.length);
      this.#stacks.set(place, stack = places.map((each) => this.#location(each)));
    }
    return stack;
  }

  /** What kinds of frames there were, as `cpython`, the most frequent first. */
  get frameTypes(): string[] {
    return [...this.#frameTypes].sort(([, a], [, b]) => b - a).map(([type]) => type);
  }

  #location(place: number): number {
    const known = this.#ids.get(place);
    if (known !== undefined) return known;
    const location = this.dictionary.locations[place] as OtlpLocation;
    const type = textIn(this.#attributes(location.attributes), "profile.frame.type");
    if (type !== "") this.#frameTypes.set(type, (this.#frameTypes.get(type) ?? 0) + 1);
    const id = this.#add(location);
    this.#ids.set(place, id);
    return id;
  }

  #add(location: OtlpLocation): number {
    const { builder } = this;
    const { functions, texts } = this.dictionary;
    this.work.spend(Math.min(location.lines.length, LIMITS.lines));
    const lines = location.lines.slice(0, LIMITS.lines).flatMap((line) => {
      const named = line.function === 0 ? undefined : functions[line.function];
      if (named === undefined) return [];
      const name = texts[named.name] ?? "";
      const id = builder.function(name, texts[named.filename] ?? "", {
        systemName: texts[named.systemName] || name,
        startLine: lineNumber(named.startLine),
      });
      return [{ function: id, line: lineNumber(line.line), column: lineNumber(line.column) }];
    });
    return builder.location(lines, {
      mapping: this.#mapping(location.mapping),
      // One function is one place, wherever it was called from.
      address: lines.length === 0 ? this.#addressInFile(location) : 0n,
    });
  }

  #mapping(place: number): number {
    const mapping = place === 0 ? undefined : this.dictionary.mappings[place];
    if (mapping === undefined) return 0;
    const attributes = this.#attributes(mapping.attributes);
    return this.builder.mapping(
      this.dictionary.texts[mapping.filename] ?? "",
      textIn(attributes, ...BUILD_IDS),
    );
  }

  /** The same in every process, where the binary's place in memory is known. */
  #addressInFile({ address, mapping: place }: OtlpLocation): bigint {
    const mapping = place === 0 ? undefined : this.dictionary.mappings[place];
    return mapping === undefined ? address : addressInFile(address, mapping);
  }

  #attributes(places: readonly number[]): JsonObject {
    const { attributes, texts } = this.dictionary;
    const some = places.slice(0, LIMITS.attributes);
    this.work.spend(some.length);
    return Object.fromEntries(some.flatMap((place) => {
      const attribute = attributes[place];
      return attribute === undefined ? [] : [[texts[attribute.key] ?? "", attribute.value]];
    }));
  }
}

/** What a sample says of one moment, or of the whole time. */
interface Observation {
  readonly sample: OtlpSample;
  readonly value: bigint;
  /** Nanoseconds since the profile began, or null when it does not say. */
  readonly offset: bigint | null;
}

/** The observations of a profile, and how many samples are no use. */
interface Observations {
  readonly observations: readonly Observation[];
  readonly broken: number;
}

/**
 * Takes a profile's samples apart where they were seen several times. Samples are no use that name what is not in the
 * dictionary, have neither value nor time, not one value for each time, or
 * more attributes than anybody reads.
 */
function observationsOf(profile: OtlpProfile, dictionary: OtlpDictionary): Observations {
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

/** Makes labels of what samples name in the dictionary. */
class Labels {
  readonly #attributes = new Map<number, readonly PprofLabel[]>();

  constructor(private readonly dictionary: OtlpDictionary) {}

  /** Labels of a sample: its attributes, and the trace and span that it is linked to. */
  of({ attributes, link }: OtlpSample): PprofLabel[] {
    return [...attributes.flatMap((place) => this.#attribute(place)), ...this.#link(link)];
  }

  #attribute(place: number): readonly PprofLabel[] {
    let labels = this.#attributes.get(place);
    if (labels === undefined) {
      const { attributes, texts } = this.dictionary;
      const { key, value, unit } = attributes[place] ?? { key: 0, value: null, unit: 0 };
      labels = labelsOf(texts[key] ?? "", value, texts[unit] ?? "");
      this.#attributes.set(place, labels);
    }
    return labels;
  }

  #link(place: number): PprofLabel[] {
    const { traceId, spanId } = this.dictionary.links[place] ?? { traceId: "", spanId: "" };
    if (place === 0 || !isTraceId(traceId)) return [];
    const trace = { key: "trace_id", text: traceId };
    return isSpanId(spanId) ? [trace, { key: "span_id", text: spanId }] : [trace];
  }
}

/** None for what has no name or says nothing. */
function labelsOf(key: string, value: Json, unit: string): PprofLabel[] {
  if (key === "" || value === null) return [];
  if (typeof value === "number" && Number.isSafeInteger(value)) {
    return [{ key, number: BigInt(value), unit }];
  }
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return text === "" ? [] : [{ key, text }];
}
