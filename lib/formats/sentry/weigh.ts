/** How long each sample stands for. */
import { ItemError } from "./item_decoder.ts";
import { LIMITS } from "./limits.ts";
import type { SampleProfile, SdkSample } from "./sample_profile.ts";

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
export function usualInterval(samples: readonly WeighedSample[]): number {
  const intervals = new Float64Array(samples.length);
  let count = 0;
  for (const sample of samples) {
    if (sample.nanos > 0 && sample.count === 1) intervals[count++] = sample.nanos;
  }
  return intervals.subarray(0, count).sort()[count >> 1] ?? 0;
}
