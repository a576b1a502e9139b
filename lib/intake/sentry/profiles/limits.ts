import { LIMITS as PPROF } from "../../../pprof/limits.ts";

/** How much of an SDK's profile is taken. A minute of a hundred threads fits. */
export const LIMITS = {
  /** Of the item, after decompression. */
  bytes: 32 * 1024 * 1024,
  /** Brackets in the JSON, which has one for each sample, each frame and each stack. */
  brackets: 1_000_000,
  samples: PPROF.samples,
  /** Of all samples together. */
  frames: PPROF.frames,
  /** Deeper stacks lose what is nearest to the leaf. */
  depth: PPROF.depth,
  /** SDKs stop a transaction's profile after 30 s. */
  transactionNanos: 30e9,
  /** And cut chunks after 60 s. */
  chunkNanos: 66e9,
} as const;
