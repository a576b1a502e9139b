import { LIMITS as PPROF } from "../pprof/limits.ts";

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
