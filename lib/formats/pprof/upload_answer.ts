import type { DecodedPprof } from "./decode.ts";
import type { ValueType } from "./profile.ts";
import { repairsInWords } from "./repairs.ts";
import type { Profile } from "../../records/mod.ts";

/** What an upload is answered with. */
export interface UploadAnswer {
  readonly id: string;
  readonly sample_types: readonly ValueType[];
  readonly samples: number;
  readonly duration_ms: number;
  /** What could not be used as it was sent, each in words. Absent when nothing was repaired. */
  readonly repaired?: readonly string[];
}

/** @param isTimeReplaced the profile's own time could not be used */
export function uploadAnswer(
  { profile, repairs }: DecodedPprof,
  { profileId, samples, durationMs }: Profile,
  isTimeReplaced: boolean,
): UploadAnswer {
  const repaired = repairsInWords(repairs);
  if (isTimeReplaced) repaired.push("no usable time: it is that of receipt");
  return {
    id: profileId,
    sample_types: profile.sampleTypes.map(({ type, unit }) => ({ type, unit })),
    samples,
    duration_ms: durationMs,
    ...(repaired.length > 0 && { repaired }),
  };
}
