/**
 * A pprof profile in memory, as tables of numbers: a profile of a megabyte has a hundred thousand parts, which would
 * be as many objects. Names and rules are those of `google/pprof: proto/profile.proto`; what the message refers to by
 * id is referred to by place here.
 */

/** What is counted, and in what, as `cpu` in `nanoseconds`. */
export interface ValueType {
  readonly type: string;
  readonly unit: string;
}

/** Labels of samples: those of sample `i` stand at `starts[i]` to `starts[i + 1]`. */
export interface LabelTable {
  readonly starts: Uint32Array;
  /** Places in `strings`. */
  readonly keys: Uint32Array;
  /** Places in `strings`; 0 for a label that is a number. */
  readonly texts: Uint32Array;
  readonly numbers: BigInt64Array;
  /** Places in `strings`; 0 for none. */
  readonly units: Uint32Array;
}

/** Stacks with their values. */
export interface SampleTable {
  readonly count: number;
  /** The stack of sample `i` stands in `locations` at `starts[i]` to `starts[i + 1]`. */
  readonly starts: Uint32Array;
  /** Places in the table of locations, the leaf first. */
  readonly locations: Uint32Array;
  /** Of sample `i` and sample type `t` at `i * sampleTypes.length + t`. May be negative. */
  readonly values: BigInt64Array;
  readonly labels: LabelTable;
}

/** Places in the program. */
export interface LocationTable {
  readonly count: number;
  /** Places in the table of mappings; -1 for none. */
  readonly mappings: Int32Array;
  readonly addresses: BigUint64Array;
  /**
   * The lines of location `i` stand at `lineStarts[i]` to `lineStarts[i + 1]`: the innermost inlined function first,
   * the one that is really called last. None: it is not symbolised.
   */
  readonly lineStarts: Uint32Array;
  /** Places in the table of functions. */
  readonly lineFunctions: Uint32Array;
  /** From 1; 0 when unknown. */
  readonly lines: Uint32Array;
  readonly columns: Uint32Array;
}

/** Functions; texts are places in `strings`. */
export interface FunctionTable {
  readonly count: number;
  readonly names: Uint32Array;
  /** As the compiler mangled them. */
  readonly systemNames: Uint32Array;
  readonly filenames: Uint32Array;
  /** 0 when unknown. */
  readonly startLines: Uint32Array;
}

/** Binaries, or what else functions belong to; texts are places in `strings`. */
export interface MappingTable {
  readonly count: number;
  readonly filenames: Uint32Array;
  readonly buildIds: Uint32Array;
  readonly starts: BigUint64Array;
  readonly limits: BigUint64Array;
  readonly offsets: BigUint64Array;
}

/** One profile. */
export interface PprofProfile {
  readonly sampleTypes: readonly ValueType[];
  readonly samples: SampleTable;
  readonly locations: LocationTable;
  readonly functions: FunctionTable;
  readonly mappings: MappingTable;
  /** The first is `""`. */
  readonly strings: readonly string[];
  /** When it was taken, in nanoseconds since 1970; 0 when unknown. */
  readonly timeNanos: bigint;
  /** 0 for a snapshot. */
  readonly durationNanos: bigint;
  /** What is counted between two samples, or null. */
  readonly periodType: ValueType | null;
  readonly period: bigint;
  readonly comments: readonly string[];
  /** Type of the preferred values; `""`: those of the last one. */
  readonly defaultSampleType: string;
}

/** Where a mapping may begin that is not moved about in memory from process to process. */
const LOWEST_RANDOM_START = 1n << 32n;

/** A part of a file, and where it was in memory: as pprof's mapping. */
interface MappedRange {
  readonly start: bigint;
  readonly limit: bigint;
  readonly offset: bigint;
}

/** An address that is the same in every process, where the file's place in memory is known; else as it is. */
export function addressInFile(address: bigint, { start, limit, offset }: MappedRange): bigint {
  const isMoved = start >= LOWEST_RANDOM_START && address >= start && address < limit;
  return isMoved ? address - start + offset : address;
}

/** The comment of profiles that are made of what SDKs send, whose mappings are modules of the program. */
export const SDK_COMMENT = "watchpost:sdk";
