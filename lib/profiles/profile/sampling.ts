import type { PprofProfile } from "../../formats/pprof/profile.ts";
import { readTypeId } from "../../formats/pprof/sample_types.ts";
import { nanosecondsOf } from "../../formats/pprof/units.ts";
import { offsetOf } from "../trees/sample_labels.ts";
import type { ProfileRow } from "../queries/profile_types.ts";

/** Whether samples of a profile tell when they were taken. */
export function isTimed(profile: PprofProfile): boolean {
  return profile.samples.count > 0 && offsetOf(profile, 0) !== null;
}

/**
 * The time between two samples in milliseconds, as the profile says or, where it does not, as its samples lie.
 *
 * @param isIn of which samples, all of one thread
 * @returns null where nobody can tell
 */
export function samplingIntervalMs(
  row: Pick<ProfileRow, "period" | "periodType">,
  profile: PprofProfile,
  isIn: (sample: number) => boolean,
): number | null {
  const nanos = nanosecondsOf(readTypeId(row.periodType)?.unit ?? "");
  if (nanos !== null && row.period > 0n) return Number(row.period * nanos) / 1e6;
  let [count, first, last] = [0, Infinity, -Infinity];
  for (let sample = 0; sample < profile.samples.count; sample++) {
    if (!isIn(sample)) continue;
    const offset = offsetOf(profile, sample);
    if (offset === null) return null;
    count++;
    first = Math.min(first, Number(offset));
    last = Math.max(last, Number(offset));
  }
  return count > 1 && last > first ? (last - first) / (count - 1) / 1e6 : null;
}
