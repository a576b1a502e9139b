/** The part that both versions of Sentry's sample format have in common: frames, stacks, threads. */
import { asObject, clippedName, type Raw, readBoolean, readInteger, readText } from "../fields.ts";
import { TEXT } from "../limits.ts";
import { lineNumber, PprofBuilder, type PprofLabel } from "../pprof/encode.ts";
import { LIMITS as PPROF } from "../pprof/faults.ts";
import { SDK_COMMENT } from "../pprof/profile.ts";
import { ItemError } from "./item_decoder.ts";

/** What samples refer to. */
export interface SampleProfile {
  /** As sent. */
  readonly frames: readonly Raw[];
  /** Places in `frames`, the leaf first; an empty one is a thread that does nothing. */
  readonly stacks: readonly (readonly number[])[];
  /** Names by thread id. */
  readonly threadNames: ReadonlyMap<string, string>;
  /** As sent, which is in no certain order. */
  readonly samples: readonly Raw[];
}

/** One look at one thread. */
export interface SdkSample {
  /** Id of the thread, or `""`. */
  readonly thread: string;
  /** Place in `stacks`. */
  readonly stack: number;
  /** Whole nanoseconds since the profile began. */
  readonly offset: number;
  /** As the client calls it, or `""`. */
  readonly state: string;
}

/**
 * Reads `profile`, once it is known to lead nowhere but to itself.
 *
 * @throws {ItemError} invalid when parts are missing or stacks name frames that are not there; too_large for more frames
 * or stacks than a profile may have; unsupported for Android's traces, which are no samples
 */
export function readSampleProfile(raw: Raw): SampleProfile {
  const profile = asObject(raw.profile) ?? {};
  if (typeof raw.sampled_profile === "string" || Array.isArray(profile.methods)) {
    throw new ItemError("unsupported", "android_trace");
  }
  const { frames, stacks, samples } = profile;
  if (!Array.isArray(frames) || !Array.isArray(stacks) || !Array.isArray(samples)) {
    throw new ItemError("invalid", "no_frames_stacks_or_samples");
  }
  if (frames.length > LIMITS.frames) throw new ItemError("too_large", "too_many_frames");
  if (stacks.length > LIMITS.stacks) throw new ItemError("too_large", "too_many_stacks");
  return {
    frames: frames.map((frame: unknown) => asObject(frame) ?? {}),
    stacks: stacks.map((stack: unknown) => readStack(stack, frames.length)),
    threadNames: namesIn(profile.thread_metadata),
    samples: samples.map((sample: unknown) => asObject(sample) ?? {}),
  };
}

function readStack(stack: unknown, frames: number): number[] {
  if (!Array.isArray(stack)) throw new ItemError("invalid", "stack_is_no_list");
  return stack.slice(-LIMITS.depth).map((sent: unknown) => {
    const place = readInteger(sent);
    if (place === undefined || place >= frames) {
      throw new ItemError("invalid", "frame_not_in_profile");
    }
    return place;
  });
}

function namesIn(metadata: unknown): Map<string, string> {
  const names = new Map<string, string>();
  for (const [id, thread] of Object.entries(asObject(metadata) ?? {})) {
    const name = clippedName(asObject(thread)?.name, TEXT.name);
    if (name !== undefined) names.set(id, name);
  }
  return names;
}

/** What is the same in samples of both versions. @throws {ItemError} when the stack is not there */
export function readPlace(
  sample: Raw,
  { stacks }: SampleProfile,
): Pick<SdkSample, "thread" | "stack" | "state"> {
  const stack = readInteger(sample.stack_id);
  if (stack === undefined || stack >= stacks.length) {
    throw new ItemError("invalid", "stack_not_in_profile");
  }
  return {
    stack,
    thread: clippedName(sample.thread_id, TEXT.word) ?? "",
    state: clippedName(sample.state, TEXT.word) ?? "",
  };
}

/** A sample, or several in a row of the same stack, with what it weighs. */
export interface WeighedSample extends SdkSample {
  /** How many samples it stands for. */
  readonly count: number;
  /** Nanoseconds until the next sample of its thread; 0 for the last one, of which nobody knows. */
  readonly nanos: number;
}

/**
 * The samples without those at either end of a thread in which it did nothing: SDKs look at threads before they begin
 * and after they end.
 *
 * @param samples in the order of time
 */
export function withoutIdleEnds(
  samples: readonly SdkSample[],
  { stacks }: SampleProfile,
): SdkSample[] {
  const busy = new Map<string, { first: number; last: number }>();
  for (const [index, { thread, stack }] of samples.entries()) {
    if (stacks[stack]?.length === 0) continue;
    const range = busy.get(thread);
    if (range === undefined) busy.set(thread, { first: index, last: index });
    else range.last = index;
  }
  return samples.filter(({ thread }, index) => {
    const range = busy.get(thread);
    return range !== undefined && index >= range.first && index <= range.last;
  });
}

/** The samples without threads that have only one, which tells of no time. */
export function withoutSingles(samples: readonly SdkSample[]): SdkSample[] {
  const counts = new Map<string, number>();
  for (const { thread } of samples) counts.set(thread, (counts.get(thread) ?? 0) + 1);
  return samples.filter(({ thread }) => (counts.get(thread) ?? 0) > 1);
}

/**
 * Weighs samples. The weights of a thread add up to the time from its first to its last sample. Of more samples than a
 * profile may have, or more frames in them, those in a row of one thread that show the same stack become one.
 *
 * @param samples in the order of time
 * @throws {ItemError} too_large for more samples, or more frames in all of them, than a profile may have
 */
export function weigh(samples: readonly SdkSample[], profile: SampleProfile): WeighedSample[] {
  const each = weighEach(samples);
  if (excessOf(each, profile) === null) return each;
  const joined = joinRuns(each);
  const excess = excessOf(joined, profile);
  if (excess !== null) throw new ItemError("too_large", excess);
  return joined;
}

/** What there is too much of, as the reason of a refusal; null when all is well. */
function excessOf(samples: readonly SdkSample[], { stacks }: SampleProfile): string | null {
  if (samples.length > LIMITS.samples) return "too_many_samples";
  let frames = 0;
  for (const { stack } of samples) frames += stacks[stack]?.length ?? 0;
  return frames > LIMITS.framesOfSamples ? "too_many_frames" : null;
}

function weighEach(samples: readonly SdkSample[]): WeighedSample[] {
  const nextOffsets = new Map<string, number>();
  const weighed: WeighedSample[] = [];
  for (let index = samples.length - 1; index >= 0; index--) {
    const sample = samples[index] as SdkSample;
    const { thread, offset } = sample;
    weighed.push({ ...sample, count: 1, nanos: (nextOffsets.get(thread) ?? offset) - offset });
    nextOffsets.set(thread, offset);
  }
  return weighed.reverse();
}

type Run = { -readonly [K in keyof WeighedSample]: WeighedSample[K] };

function joinRuns(samples: readonly WeighedSample[]): WeighedSample[] {
  const open = new Map<string, Run>();
  const joined: WeighedSample[] = [];
  for (const sample of samples) {
    const run = open.get(sample.thread);
    if (run?.stack === sample.stack && run.state === sample.state) {
      run.count += sample.count;
      run.nanos += sample.nanos;
    } else {
      const next = { ...sample };
      open.set(sample.thread, next);
      joined.push(next);
    }
  }
  return joined;
}

/** The usual time between two samples of a thread, in nanoseconds: the median; 0 when there are no two. */
function usualInterval(samples: readonly WeighedSample[]): number {
  const intervals = new Float64Array(samples.length);
  let count = 0;
  for (const sample of samples) {
    if (sample.nanos > 0 && sample.count === 1) intervals[count++] = sample.nanos;
  }
  return intervals.subarray(0, count).sort()[count >> 1] ?? 0;
}

const WALL = { type: "wall", unit: "nanoseconds" };

/** What a profile of an SDK says beside its samples. */
interface SdkScene {
  /** Nanoseconds since 1970. */
  readonly timeNanos: bigint;
  /** As `python`. */
  readonly platform: string;
  /** The thread that ran the transaction, or `""`. */
  readonly activeThread: string;
}

/**
 * Makes a pprof profile of an SDK's samples: one sample for each, in the order of time, with its thread, and when it was
 * taken in `offset`. Modules are mappings, with whether they are the application's own in place of a build id.
 *
 * @returns plain protobuf
 */
export function toPprof(
  profile: SampleProfile,
  samples: readonly WeighedSample[],
  { timeNanos, platform, activeThread }: SdkScene,
): Uint8Array {
  const builder = new PprofBuilder({
    sampleTypes: [{ type: "samples", unit: "count" }, WALL],
    timeNanos,
    durationNanos: BigInt(
      samples.reduce((max, { offset, nanos }) => Math.max(max, offset + nanos), 0),
    ),
    periodType: WALL,
    period: BigInt(usualInterval(samples)),
    defaultSampleType: WALL.type,
    comments: [SDK_COMMENT],
  });
  const locations = new FrameLocations(builder, profile.frames, platform);
  const stacks = profile.stacks.map((): number[] | null => null);
  const labels = new SampleLabels(profile, locations, activeThread);
  for (const sample of samples) {
    const stack = stacks[sample.stack] ??
      (profile.stacks[sample.stack] ?? []).map((place) => locations.at(place));
    stacks[sample.stack] = stack;
    const values = [BigInt(sample.count), BigInt(sample.nanos)];
    builder.sample(stack, values, labels.of(sample));
  }
  return builder.toBytes();
}

/** Labels of samples. */
class SampleLabels {
  constructor(
    private readonly profile: SampleProfile,
    private readonly locations: FrameLocations,
    private readonly activeThread: string,
  ) {}

  of(sample: WeighedSample): PprofLabel[] {
    const leaf = this.profile.stacks[sample.stack]?.[0];
    const isInApp = leaf === undefined ? null : this.locations.isInApp(leaf);
    const { thread, state } = sample;
    const labels: PprofLabel[] = [];
    const add = (key: string, text: string) => {
      if (text !== "") labels.push({ key, text });
    };
    add("thread_id", thread);
    add("thread_name", this.profile.threadNames.get(thread) ?? "");
    add("thread_state", state);
    add("in_app", isInApp === null ? "" : String(isInApp));
    add("active_thread", thread !== "" && thread === this.activeThread ? "true" : "");
    labels.push({ key: "offset", number: BigInt(sample.offset), unit: "nanoseconds" });
    return labels;
  }
}

const ADDRESS = /^0x[0-9a-f]{1,16}$/i;
const SCRIPTS = new Set(["node", "javascript", "bun", "deno"]);

/** Puts frames of SDKs into a profile, each when it is first asked for. */
class FrameLocations {
  readonly #locations: Int32Array;

  /** @param platform as `python`; frames may name another */
  constructor(
    private readonly builder: PprofBuilder,
    private readonly frames: readonly Raw[],
    private readonly platform: string,
  ) {
    this.#locations = new Int32Array(frames.length);
  }

  /** The location of the frame at this place. */
  at(place: number): number {
    const known = this.#locations[place];
    if (known) return known;
    const location = this.#add(this.frames[place] ?? {});
    this.#locations[place] = location;
    return location;
  }

  /** Whether a frame is the application's own code; null when the client does not say. */
  isInApp(place: number): boolean | null {
    return readBoolean(this.frames[place]?.in_app) ?? null;
  }

  #add(frame: Raw): number {
    const { builder } = this;
    const isInApp = readBoolean(frame.in_app);
    const mapping = builder.mapping(
      textIn(frame, "module", "package"),
      isInApp === undefined ? "" : isInApp ? "app" : "library",
    );
    const name = textIn(frame, "function", "name");
    const address = addressOf(frame);
    if (name === "" && address !== 0n) return builder.location([], { mapping, address });
    const line = {
      function: builder.function(
        name || this.#unnamed(frame),
        textIn(frame, "abs_path", "filename", "file"),
      ),
      line: lineOf(frame.lineno ?? frame.line),
      column: lineOf(frame.colno ?? frame.column),
    };
    return builder.location([line], { mapping });
  }

  /** What V8 calls functions without names; elsewhere there are none. */
  #unnamed(frame: Raw): string {
    return SCRIPTS.has(readText(frame.platform) ?? this.platform) ? "anonymous" : "";
  }
}

function textIn(frame: Raw, ...names: readonly string[]): string {
  for (const name of names) {
    const text = readText(frame[name])?.trim();
    if (text) return text;
  }
  return "";
}

function lineOf(value: unknown): number {
  return lineNumber(readInteger(value) ?? 0);
}

/** 0 for none. */
function addressOf({ instruction_addr: sent }: Raw): bigint {
  if (typeof sent === "number") return BigInt(readInteger(sent) ?? 0);
  return typeof sent === "string" && ADDRESS.test(sent) ? BigInt(sent) : 0n;
}

/**
 * How much of an SDK's profile is taken: what can be read in a third of a second, since others wait meanwhile. SDKs
 * look 101 times a second, so that ten threads that never rest for a minute fit, and any number of those that wait.
 */
export const LIMITS = {
  /** Of the item, after decompression. */
  bytes: 32 * 1024 * 1024,
  /** Those that are taken; more are joined where a thread shows the same stack for a while. */
  samples: 60_000,
  /** Of all samples together; as above. */
  framesOfSamples: 2_000_000,
  /** SDKs send each line of code once: a busy minute has a few thousand. */
  frames: 20_000,
  stacks: 60_000,
  /** Deeper stacks lose what is nearest to the leaf. */
  depth: PPROF.depth,
  /** SDKs stop a transaction's profile after 30 s. */
  transactionNanos: 30e9,
  /** And cut chunks after 60 s. */
  chunkNanos: 66e9,
} as const;
