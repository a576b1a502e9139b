/** What a profile may hold at most. Genuine ones have a tenth of it. */
export const LIMITS = {
  /** Of the message, after decompression. */
  rawBytes: 32 * 1024 * 1024,
  /** Genuine profiles are compressed tenfold at most. */
  compression: 100,
  /** Below this, any compression will do. */
  bytesOfAnyCompression: 1024 * 1024,
  sampleTypes: 32,
  /** UTF-16 units of the name of a sample type, or of its unit. */
  typeName: 200,
  samples: 200_000,
  strings: 500_000,
  locations: 250_000,
  functions: 250_000,
  mappings: 50_000,
  /** Of all locations together. */
  lines: 1_000_000,
  /** Of all samples together. */
  frames: 10_000_000,
  // Samples of SDKs have six each.
  labels: 1_250_000,
  labelsPerSample: 100,
  comments: 1_000,
  /** Deeper stacks lose what is nearest to the leaf. */
  depth: 2_048,
  /** Longer texts lose their beginning. */
  textBytes: 65_535,
  /** Fields of the outer message, known or not: two bytes make one. */
  fields: 3_000_000,
} as const;
