import type { Buckets, HistogramPoint, SparseCounts } from "../../records/mod.ts";
import { explicitBuckets, exponentialBuckets } from "../metrics/histograms.ts";
import { type Fault, LIMITS } from "../metrics/limits.ts";
import type { OtlpReader } from "../otlp/proto_reader.ts";
import { LIMITS as OTLP_LIMITS } from "../otlp/request.ts";

/** `Sample` of both versions. */
export interface RemoteSample {
  value: number;
  timeMs: number;
  /** 0: unknown. */
  startMs: number;
  /** It only says that there is none any more. */
  isStale: boolean;
}

/** Reads a `Sample`. @throws {Refusal} 400 */
export function readSample(reader: OtlpReader): RemoteSample {
  return reader.message(sampleField, { value: 0, timeMs: 0, startMs: 0, isStale: false });
}

function sampleField(field: number, sample: RemoteSample, reader: OtlpReader): void {
  if (field === 1) {
    sample.isStale = isStaleMarker(reader);
    sample.value = reader.double() ?? 0;
  } else if (field === 2) sample.timeMs = timeOf(reader);
  else if (field === 3) sample.startMs = timeOf(reader);
}

/** Milliseconds since 1970; 0 when unset. */
export function timeOf(reader: OtlpReader): number {
  return Number(reader.int64() ?? 0);
}

const STALE_BYTES = [0x02, 0, 0, 0, 0, 0, 0xf0, 0x7f];

/** One NaN of many, with which a series ends. */
function isStaleMarker({ buf, pos }: OtlpReader): boolean {
  return STALE_BYTES.every((byte, place) => buf[pos + place] === byte);
}

/** Reads a `Histogram`, which both versions have in common. @throws {Refusal} 400 */
export function readHistogram(reader: OtlpReader): NativeHistogram {
  return reader.message(histogramField, newNativeHistogram());
}

function histogramField(field: number, histogram: NativeHistogram, reader: OtlpReader): void {
  const { positive, negative } = histogram;
  switch (field) {
    case 1:
      histogram.count = reader.uint();
      break;
    case 2:
      histogram.count = reader.double() ?? 0;
      break;
    case 3:
      histogram.isStale = isStaleMarker(reader);
      histogram.sum = reader.double() ?? 0;
      break;
    case 4:
      histogram.schema = reader.sint();
      break;
    case 5:
      histogram.zeroThreshold = reader.double() ?? 0;
      break;
    case 6:
      histogram.zeroCount = reader.uint();
      break;
    case 7:
      histogram.zeroCount = reader.double() ?? 0;
      break;
    case 8:
      readSpan(negative.spans, reader);
      break;
    case 9:
      reader.sints(negative.deltas);
      break;
    case 10:
      reader.doubles(negative.counts);
      break;
    case 11:
      readSpan(positive.spans, reader);
      break;
    case 12:
      reader.sints(positive.deltas);
      break;
    case 13:
      reader.doubles(positive.counts);
      break;
    case 14:
      histogram.resetHint = reader.uint();
      break;
    case 15:
      histogram.timeMs = timeOf(reader);
      break;
    case 16:
      reader.doubles(histogram.customBounds);
      break;
    case 17:
      histogram.startMs = timeOf(reader);
  }
}

function readSpan(spans: BucketSpan[], reader: OtlpReader): void {
  if (!reader.isMessage) return;
  reader.countElement();
  spans.push(reader.message(spanField, { offset: 0, length: 0 }));
}

function spanField(field: number, span: BucketSpan, reader: OtlpReader): void {
  if (field === 1) span.offset = reader.sint();
  else if (field === 2) span.length = reader.uint();
}

/** A run of buckets side by side. */
interface BucketSpan {
  /** Of the first span its index, of others the gap to the one before. */
  offset: number;
  length: number;
}

/** Buckets of one sign. Of whole numbers the differences are sent, of fractions the counts. */
interface NativeBuckets {
  readonly spans: BucketSpan[];
  readonly deltas: number[];
  readonly counts: number[];
}

/** `Histogram` of both versions of remote write. */
export interface NativeHistogram {
  count: number;
  sum: number;
  schema: number;
  zeroThreshold: number;
  zeroCount: number;
  readonly positive: NativeBuckets;
  readonly negative: NativeBuckets;
  readonly customBounds: number[];
  resetHint: number;
  timeMs: number;
  startMs: number;
  /** It only says that there is none any more. */
  isStale: boolean;
}

/** A histogram of which nothing is read yet. */
function newNativeHistogram(): NativeHistogram {
  return {
    count: 0,
    sum: 0,
    schema: 0,
    zeroThreshold: 0,
    zeroCount: 0,
    positive: { spans: [], deltas: [], counts: [] },
    negative: { spans: [], deltas: [], counts: [] },
    customBounds: [],
    resetHint: 0,
    timeMs: 0,
    startMs: 0,
    isStale: false,
  };
}

/** Such lists were not read to their end. */
function isTooLong({ deltas, counts }: NativeBuckets): boolean {
  return deltas.length > OTLP_LIMITS.numbers || counts.length > OTLP_LIMITS.numbers;
}

const CUSTOM_BUCKETS = -53;
const GAUGE = 3;

/** Makes the point of a histogram, or says what is wrong with it. */
export function histogramPoint(sent: NativeHistogram): HistogramPoint | Fault {
  if (sent.resetHint === GAUGE) return "gauge_histogram";
  if (sent.sum === Infinity || sent.sum === -Infinity) return "not_finite";
  if (isTooLong(sent.positive) || isTooLong(sent.negative)) return "too_many_buckets";
  const { timeMs, startMs, sum } = sent;
  const made = sent.schema === CUSTOM_BUCKETS ? custom(sent) : exponential(sent);
  if (typeof made === "string") return made;
  return {
    timeMs,
    startMs: startMs > 0 && startMs <= timeMs ? startMs : 0,
    count: made.count,
    // One observation that was NaN makes the sum NaN for ever.
    sum: Number.isNaN(sum) ? null : sum,
    min: null,
    max: null,
    buckets: made.buckets,
  };
}

type Counted = { readonly count: number; readonly buckets: Buckets };

/** Prometheus' indexes are one higher than OpenTelemetry's. */
const INDEX_SHIFT = -1;

function exponential({ schema, zeroThreshold, zeroCount, ...sent }: NativeHistogram) {
  const positive = sparse(sent.positive, INDEX_SHIFT);
  if (typeof positive === "string") return positive;
  const negative = sparse(sent.negative, INDEX_SHIFT);
  if (typeof negative === "string") return negative;
  const count = countIn(sent.count, zeroCount + sumOf(positive) + sumOf(negative));
  const buckets = exponentialBuckets({
    kind: "exponential",
    scale: schema,
    zeroCount,
    zeroThreshold,
    positive,
    negative,
  }, count);
  return typeof buckets === "string" ? buckets : { count, buckets };
}

function custom({ customBounds, positive, count: sent }: NativeHistogram): Counted | Fault {
  if (customBounds.length >= LIMITS.buckets) return "too_many_buckets";
  const filled = sparse(positive, 0);
  if (typeof filled === "string") return filled;
  const counts = new Array<number>(customBounds.length + 1).fill(0);
  for (const [place, index] of filled.indexes.entries()) {
    if (index < 0 || index >= counts.length) return "counts_differ";
    counts[index] = filled.counts[place] ?? 0;
  }
  const count = countIn(sent, sumOf(filled));
  const buckets = explicitBuckets(customBounds, counts, count);
  return typeof buckets === "string" ? buckets : { count, buckets };
}

/** Observations that were NaN are counted, but in no bucket. */
function countIn(sent: number, inBuckets: number): number {
  return sent > inBuckets ? inBuckets : sent;
}

function sumOf({ counts }: SparseCounts): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

function sparse({ spans, deltas, counts: sent }: NativeBuckets, shift: number) {
  const values = sent.length > 0 ? sent : addedUp(deltas);
  const indexes: number[] = [];
  const counts: number[] = [];
  let index = shift;
  let place = 0;
  for (const [number, { offset, length }] of spans.entries()) {
    if (number > 0 && offset < 0) return "bad_bounds";
    index += offset;
    if (place + length > values.length) return "counts_differ";
    const end = place + length;
    for (; place < end; place++, index++) {
      const count = values[place] ?? 0;
      if (count === 0) continue;
      indexes.push(index);
      counts.push(count);
    }
  }
  return place === values.length ? { indexes, counts } : "counts_differ";
}

function addedUp(deltas: readonly number[]): number[] {
  let sum = 0;
  return deltas.map((delta) => sum += delta);
}
