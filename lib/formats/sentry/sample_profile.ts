/** The part that both versions of Sentry's sample format have in common: frames, stacks, threads. */
import { asObject, clippedName, type Raw, readInteger } from "../fields.ts";
import { ItemError } from "./item_decoder.ts";
import { TEXT } from "../limits.ts";
import { LIMITS } from "./limits.ts";

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
