import { Refusal } from "../../core/refusal.ts";

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

/**
 * Bytes that are no profile, or one larger than any that is taken. The message says what is wrong and where, begins
 * small and has no full stop: `sample 17 refers to location 99, which is not in the profile`.
 */
export class PprofError extends Error {
  override readonly name = "PprofError";

  constructor(message: string, readonly kind: "invalid" | "too_large" = "invalid") {
    super(message);
  }
}

/** A profile that is none, or larger than any that is taken. */
export function unreadableProfile({ kind, message }: PprofError): Refusal {
  const detail = `Cannot read the profile: ${latin(message)}`;
  return kind === "too_large"
    ? new Refusal(413, detail, { kind: "too_large", reason: "profile_size" })
    : new Refusal(400, detail, { kind: "invalid", reason: "invalid_profile" });
}

/** A parameter of the address that says nothing. @param why the rest of the sentence */
export function badParameter(name: string, why: string): Refusal {
  return new Refusal(400, latin(`The parameter ${name} ${why}`), {
    kind: "invalid",
    reason: "bad_parameter",
  });
}

/** A body that is not what its address or content type says. */
export function unreadableBody(sentence: string): Refusal {
  return new Refusal(400, latin(sentence), { kind: "invalid", reason: "invalid_profile" });
}

/** Names in a profile may be in any language, and a refusal travels in a header. */
function latin(text: string): string {
  return text.slice(0, 500).replace(/[^\x20-\x7e]/g, "?");
}

/** What was wrong with a profile that is taken all the same. */
export interface Repairs {
  /** Samples that were left out. */
  droppedSamples: number;
  /** What is wrong with the first of them, or `""`. */
  firstDropped: string;
  /** Labels without a name, and those beyond a hundred of one sample. */
  droppedLabels: number;
  /** Stacks that lost frames nearest to the leaf. */
  cutStacks: number;
  /** Strings that lost their beginning. */
  cutTexts: number;
  /** No function had an id: they belong to the locations in order, as old .NET profilers write them. */
  pairedFunctions: boolean;
  /** The time was in another unit than nanoseconds. */
  scaledTime: boolean;
  /** The duration was impossible. */
  ignoredDuration: boolean;
}

/** No repairs. */
export function noRepairs(): Repairs {
  return {
    droppedSamples: 0,
    firstDropped: "",
    droppedLabels: 0,
    cutStacks: 0,
    cutTexts: 0,
    pairedFunctions: false,
    scaledTime: false,
    ignoredDuration: false,
  };
}

/** What was repaired, each in words without a full stop; none for a profile that was in order. */
export function repairsInWords(repairs: Repairs): string[] {
  const { droppedSamples, firstDropped, droppedLabels, cutStacks, cutTexts } = repairs;
  const words: string[] = [];
  // Grouped digits take long: only what happened is put in words.
  if (droppedSamples > 0) {
    words.push(`${counted(droppedSamples, "sample")} left out: ${firstDropped}`);
  }
  if (droppedLabels > 0) words.push(`${counted(droppedLabels, "label")} left out`);
  if (cutStacks > 0) words.push(`${counted(cutStacks, "stack")} cut to the outermost frames`);
  if (cutTexts > 0) words.push(`${counted(cutTexts, "long text")} cut to the end`);
  if (repairs.pairedFunctions) words.push("functions without ids taken in the order of locations");
  if (repairs.scaledTime) words.push("time not in nanoseconds");
  if (repairs.ignoredDuration) words.push("impossible duration ignored");
  return words;
}

function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

const DAY_NANOS = 86_400_000_000_000n;
/** From 2001 on; clients with no clock write less. */
const EARLIEST_SECONDS = 1_000_000_000n;
/** In nanoseconds since 1970, these are less than a month: nobody had pprof then. */
const UNITS: readonly (readonly [perSecond: bigint, nanos: bigint])[] = [
  [1_000_000n, 1_000n],
  [1_000n, 1_000_000n],
  [1n, 1_000_000_000n],
];

/** A time in nanoseconds since 1970 of one that may be in µs, ms or s; 0 for a negative one. */
export function repairedTime(nanos: bigint, repairs: Repairs): bigint {
  if (nanos >= EARLIEST_SECONDS * 1_000_000_000n) return nanos;
  for (const [perSecond, factor] of UNITS) {
    // Up to the year 2100, where seconds of one unit are not yet those of the next.
    if (nanos >= EARLIEST_SECONDS * perSecond && nanos < 4_102_444_800n * perSecond) {
      repairs.scaledTime = true;
      return nanos * factor;
    }
  }
  return nanos > 0n ? nanos : 0n;
}

/** A duration of a day at most; 0 for an impossible one. */
export function repairedDuration(nanos: bigint, repairs: Repairs): bigint {
  if (nanos >= 0n && nanos <= DAY_NANOS) return nanos;
  repairs.ignoredDuration = true;
  return 0n;
}
