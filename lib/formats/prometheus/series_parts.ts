import type { OtlpReader } from "../otlp/reader.ts";
import { type BucketSpan, type NativeHistogram, newNativeHistogram } from "./native_histogram.ts";

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
