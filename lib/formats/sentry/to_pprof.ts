import { PprofBuilder, type PprofLabel } from "../pprof/encode.ts";
import { SDK_COMMENT } from "../pprof/sdk_comment.ts";
import { FrameLocations } from "./frame_locations.ts";
import type { SampleProfile } from "./sample_profile.ts";
import { usualInterval, type WeighedSample } from "./weigh.ts";

const WALL = { type: "wall", unit: "nanoseconds" };

/** What a profile of an SDK says beside its samples. */
export interface SdkScene {
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
