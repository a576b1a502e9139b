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
  const words = [
    [droppedSamples > 0, `${counted(droppedSamples, "sample")} left out: ${firstDropped}`],
    [droppedLabels > 0, `${counted(droppedLabels, "label")} left out`],
    [cutStacks > 0, `${counted(cutStacks, "stack")} cut to the outermost frames`],
    [cutTexts > 0, `${counted(cutTexts, "long text")} cut to the end`],
    [repairs.pairedFunctions, "functions without ids taken in the order of locations"],
    [repairs.scaledTime, "time not in nanoseconds"],
    [repairs.ignoredDuration, "impossible duration ignored"],
  ] as const;
  return words.flatMap(([happened, text]) => happened ? [text] : []);
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
