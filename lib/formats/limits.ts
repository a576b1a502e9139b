/**
 * How much of an event is kept: the one table of its limits. Lengths count UTF-16 units. Strings over their
 * limit end in `...`.
 */

/** Lengths of texts, by where they stand. */
export const TEXT = {
  /** Release, site, checksum, tag keys and values, transaction, culprit, users. */
  name: 200,
  /** Environment, dist, logger, platform, level-like words. */
  word: 64,
  /** Exception types and modules, file names, server name, names of contexts. */
  path: 256,
  /** Functions, one line of source code. */
  line: 512,
  /** Messages and exception values. */
  message: 8_192,
  url: 2_048,
  email: 75,
  /** One header, cookie or query parameter. */
  pair: 4_096,
  /** A request body that came as text. */
  body: 16_384,
} as const;

/** Numbers of elements. */
export const COUNT = {
  /** The newest are kept. */
  breadcrumbs: 200,
  /** The outermost are kept. */
  exceptions: 100,
  threads: 256,
  /** Of these the oldest and the newest are kept, as many as the next two lines say. */
  frames: 250,
  oldestFrames: 50,
  newestFrames: 200,
  /** Longer stacks keep variables and surrounding source only for this many frames at either end. */
  detailedFramesPerEnd: 25,
  /** Lines of source before, and after, the line of a frame. */
  contextLines: 15,
  /** Tags a client may set; the derived ones come on top. */
  clientTags: 78,
  /** Headers, cookies, query parameters, each. */
  pairs: 200,
  fingerprint: 50,
} as const;

/**
 * Sizes of free-form JSON, in characters. They apply only to events larger than `wholeEvent`, so that usual
 * events are kept to the letter; see `trim_large.ts`.
 */
export const SIZE = {
  wholeEvent: 65_536,
  extra: 262_144,
  extraValue: 16_384,
  contexts: 131_072,
  context: 8_192,
  variables: 2_048,
  crumbField: 4_096,
  requestField: 32_768,
  modules: 32_768,
  debugMeta: 65_536,
  otherField: 8_192,
} as const;
