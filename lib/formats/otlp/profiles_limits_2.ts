import { LIMITS as PPROF } from "../pprof/limits.ts";

/** How much of a request of profiles is taken at all: what a collector batches of many services fits. */
export const LIMITS = {
  /** Of the request, after decompression. */
  bytes: 32 * 1024 * 1024,
  profiles: 5_000,
  /** Messages and texts of any kind. */
  parts: 400_000,
  /** Resources and libraries together. */
  groups: 20_000,
  /** Values and names in JSON. */
  jsonParts: 600_000,
  /** Places in lists, as of locations in stacks. */
  places: 8_000_000,
  /** Values and times of samples. */
  values: 2_000_000,
  /** Of a profile: beyond, samples that were seen many times become one without their times. */
  timed: 100_000,
  /** Frames of all samples together, and what takes as long, see `work.ts`. */
  work: 8_000_000,
  /** Deeper stacks lose what is nearest to the leaf. */
  depth: PPROF.depth,
  samples: PPROF.samples,
  /** Of one place: functions that were inlined into one another. */
  lines: 256,
  /** Of a sample, a location, a mapping. */
  attributes: PPROF.labelsPerSample,
  /** UTF-16 units of a function's name, or of a file's. */
  text: 16_384,
} as const;
